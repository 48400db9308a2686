"""Routes for aclnnQuantMatmulV5 and WeightNz in all forms: outer products of scaled elements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.blocks.routes_products import of_blocks, powers
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.matmul.routes import product
from tests.aclnn.ops.matmul.routes_quantised import cut
from tests.oracle.route import Route, but, of_terms, route

I4, I8, U64, B16, H = ACL_INT4, ACL_INT8, ACL_UINT64, ACL_BF16, ACL_FLOAT16
E4, E5, E8, FP4 = ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_FLOAT8_E8M0, ACL_FLOAT4_E2M1


def spread(scales: np.ndarray, shape: tuple[int, ...], sizes: tuple[int, int]) -> np.ndarray:
    """The scale of each element: blocks have these sizes."""
    out = np.zeros(shape)
    for row, column in np.ndindex(*shape):
        out[row, column] = scales[row // sizes[0], column // sizes[1]]
    return out


def forms(
    x1: Any, x2: Any, x1Scale: Any, x2Scale: Any, x2Offset: Any = None, yOffset: Any = None, bias: Any = None,
    transposeX1: bool = False, transposeX2: bool = False, groupSize: int = 0, middle: int = 8, dtypes: Any = None,
) -> np.ndarray:  # fmt: skip
    rows, columns = x1Scale, x2Scale
    if str(dict(dtypes or {}).get("x2Scale")) == "uint64":
        columns = np.vectorize(lambda each: cut(int(each)))(x2Scale)
    x1, x2 = (np.asarray(each, float) for each in (x1, x2))
    if rows is not None and rows.ndim == 3:
        x1, x2 = of_blocks(x1, rows, 0 if transposeX1 else 1), of_blocks(x2, columns, 1 if transposeX2 else 0)
        rows = columns = None
    x1, x2 = x1.T if transposeX1 else x1, x2.T if transposeX2 else x2
    if yOffset is not None:
        x1, x2 = x1 - middle, x2 * spread(columns.reshape(-1, x2.shape[1]), x2.shape, (256, 1))
        return (product(x1, x2) + yOffset) * rows.reshape(-1, 1)
    if x2Offset is not None:
        x2 = (x2 - spread(x2Offset, x2.shape, (256, 1))) * spread(columns, x2.shape, (256, 1))
        columns, rows = None, rows[:, 0]
    elif columns is not None and columns.ndim == 2:
        x1, x2 = x1 * spread(rows, x1.shape, (1, 128)), x2 * spread(columns, x2.shape, (128, 128))
        rows = columns = None
    found = product(x1, x2) * (1 if columns is None else columns)
    return (found if rows is None else found * rows[:, None]) + (0 if bias is None else bias)


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """The rounding of sums of floats, by the magnitudes of all terms."""
    names = ("x1", "x2", "x1Scale", "x2Scale", "x2Offset", "yOffset", "bias")
    large = {name: None if (each := arguments.get(name)) is None else np.abs(each) for name in names}
    if large["x2Offset"] is not None:
        large["x2Offset"] = -large["x2Offset"]
    flags = {name: arguments[name] for name in ("transposeX1", "transposeX2", "groupSize", "dtypes")}
    return of_terms(forms(**large, **flags, middle=-8), 80, dtype)


def small(drawn: np.ndarray) -> np.ndarray:
    """Scales: powers of two for FLOAT8_E8M0, words with FLOAT values for UINT64."""
    if drawn.dtype.kind == "u":
        floats = np.linspace(0.001, 0.004, drawn.size).astype(np.float32).reshape(drawn.shape)
        return floats.view(np.uint32).astype(np.uint64)
    return powers(drawn) if drawn.dtype.name == "float8_e8m0fnu" else np.abs(drawn.astype(np.float32)) / 64 + 1 / 64


SHARED: dict[str, Any] = {"x1": Meta((3, 72), E4), "x2": Meta((72, 4), E5), "x1Scale": Meta((3, 2, 2), E8),
                          "x2Scale": Meta((2, 4, 2), E8)}  # fmt: skip
OF_INT4: dict[str, Any] = {
    "x1": Meta((3, 1024), I4), "x2": Meta((1024, 256), I4), "x1Scale": Meta((3, 1)), "x2Scale": Meta((4, 256)),
    "x2Offset": Meta((4, 256), H), "groupSize": 256, "out": Meta((3, 256), H),
}  # fmt: skip
OF_INT8: dict[str, Any] = {
    "x1": Meta((3, 512), I8), "x2": Meta((512, 256), I8), "x1Scale": Meta((3, 4)), "x2Scale": Meta((4, 2)),
    "groupSize": 4303356032, "out": Meta((3, 256), B16),
}  # fmt: skip
MIXED: dict[str, Any] = {"x2": Meta((8, 4), I4), "x2Scale": Meta((4,), U64), "yOffset": Meta((4,))}
TURNED: dict[str, Any] = {"x1": Meta((72, 3), E5), "x1Scale": Meta((2, 3, 2), E8), "transposeX1": True,
                          "x2": Meta((4, 72), E4), "x2Scale": Meta((4, 2, 2), E8), "transposeX2": True}  # fmt: skip
STORED: dict[str, Any] = {
    "x1": Meta((3, 32), E4), "x1Scale": Meta((3, 1, 2), E8), "x2Scale": Meta((1, 32, 2), E8), "bias": None,
    "x2": Meta((32, 32), E4, ACL_FORMAT_FRACTAL_NZ, storage=(1, 2, 16, 32)),
}  # fmt: skip
VALUES = {"x1Scale": small, "x2Scale": small}
PAIRS = {
    "scales of a pair swapped": but(
        forms, x2Scale=lambda given: np.flip(given["x2Scale"], -1) if given["x2Scale"].ndim == 3 else given["x2Scale"]
    )
}
ROUTES: tuple[Route, ...] = (
    route("aclnnQuantMatmulV5", "outer products", forms, bound=bound, groups=[("out",)], values=VALUES, narrow=True,
          start={"x2Offset": None, "bias": None, "x2Scale": Meta((4,)), "x1Scale": Meta((3,)),
                 "out": Meta((3, 4), H)},
          also=[MIXED, OF_INT4, OF_INT8],
          newest=[SHARED, TURNED, {**SHARED, "x1": Meta((3, 72), FP4), "x2": Meta((72, 4), FP4)},
                  {**SHARED, "x1Scale": Meta((3,)), "x2Scale": Meta((4,)), "bias": Meta((4,))},
                  {**SHARED, "x1Scale": None, "x2Scale": Meta((4,), U64)}],
          wrong={"scales of rows lost": but(forms, x1Scale=lambda given: None),
                 "nothing subtracted": but(forms, middle=0), **PAIRS}),
    route("aclnnQuantMatmulWeightNz", "outer products", forms, bound=bound, groups=[["x1"]], values=VALUES,
          start={"x2Offset": None, "x1Scale": Meta((3,)), "x2Scale": Meta((32,)), "bias": Meta((32,)),
                 "out": Meta((3, 32), B16)},
          newest=[STORED],
          wrong={"scales of rows lost": but(forms, x1Scale=None), **PAIRS,
                 "the weight transposed": but(forms, x2=lambda given: given["x2"].T)}),
)  # fmt: skip
