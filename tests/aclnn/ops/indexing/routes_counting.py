"""Routes for counting and for bags of rows: torch, and loops over elements."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number
from tests.oracle.route import Route, as_tensor, but, route, sums


def bincount(self: np.ndarray, weights: Any, minlength: int, out: np.ndarray) -> np.ndarray:
    found = np.zeros(max(out.size, minlength))
    for value, weight in zip(self.tolist(), np.ones(self.size) if weights is None else weights, strict=True):
        found[value] += weight
    return found


def torch_bincount(self: np.ndarray, weights: Any, minlength: int, out: np.ndarray) -> Any:
    import torch

    given = None if weights is None else weights.astype(np.float64)
    return torch.bincount(as_tensor(self), as_tensor(given), max(out.size, minlength)).numpy()


def bounds(self: np.ndarray, min: Any, max: Any) -> tuple[float, float]:
    whole = self.dtype.kind in "iu"
    low, high = (int(each.real) if whole else float(np.float32(each.real)) for each in (min, max))
    if low != high:
        return low, high
    found = float(self.min()), float(self.max())
    return found if found[0] < found[1] else (found[0] - 1, found[1] + 1)


def histc(self: np.ndarray, bins: int, min: Any, max: Any) -> np.ndarray:
    low, high = bounds(self, min, max)
    real = float if self.dtype.kind in "iu" else np.float32
    places = Counter(
        bins - 1 if value == high else int(real(real(value) - real(low)) * real(bins) / real(real(high) - real(low)))
        for value in self.ravel().tolist() if low <= value <= high
    )  # fmt: skip
    return np.array([places[at] for at in range(bins)])


def torch_histc(self: np.ndarray, bins: int, min: Any, max: Any) -> Any:
    import torch

    low, high = bounds(self, min, max)
    single = np.float64 if self.dtype.kind in "iu" else np.float32
    return torch.histc(as_tensor(self.astype(single)), bins, low, high).numpy().astype(np.int64)


def bags(
    weight: np.ndarray, indices: np.ndarray, offsets: np.ndarray, mode: int, perSampleWeights: Any,
    includeLastOffset: bool, paddingIdx: int,
) -> list[Any]:  # fmt: skip
    """Bag by bag."""
    starts = [int(each) for each in offsets]  # (what lies behind the last bag counts to it in offset2bag)
    ends = starts[1:] if includeLastOffset else [*starts[1:], indices.size]
    output, bag_of = np.zeros((len(ends), weight.shape[1])), np.zeros(indices.size, np.int64)
    sizes, places = np.zeros(len(ends), np.int64), np.zeros(output.shape, np.int64)
    for b, end in enumerate(ends):
        bag_of[starts[b] :] = b
        used = [at for at in range(starts[b], end) if indices[at] != paddingIdx]
        rows = [weight[indices[at]] * (1 if perSampleWeights is None else perSampleWeights[at]) for at in used]
        if rows and mode > 1:
            output[b], places[b] = np.max(rows, 0), [indices[used[at]] for at in np.argmax(rows, 0)]
        elif rows:
            output[b] = sum(rows) / (len(rows) if mode else 1)
        sizes[b] = len(rows) if mode else 0
    return [output, bag_of, sizes, places if mode > 1 else sizes]


def torch_bags(
    weight: np.ndarray, indices: np.ndarray, offsets: np.ndarray, mode: int, perSampleWeights: Any,
    includeLastOffset: bool, paddingIdx: int,
) -> list[Any]:  # fmt: skip
    import torch

    end = int(offsets[-1]) if includeLastOffset else indices.size  # torch reads beyond the last offset
    given = [as_tensor(each) for each in (indices[:end].astype(np.int64), weight, offsets.astype(np.int64))]
    scales = None if perSampleWeights is None else as_tensor(perSampleWeights[:end])
    output = torch.nn.functional.embedding_bag(
        *given, mode=("sum", "mean", "max")[mode], per_sample_weights=scales,
        include_last_offset=includeLastOffset, padding_idx=paddingIdx if paddingIdx >= 0 else None,
    )  # fmt: skip
    return [output.numpy(), None, None, None]


def rising(offsets: np.ndarray) -> np.ndarray:
    """From 0 on."""
    found = np.sort(offsets)
    found[:1] = 0
    return found


def renormed(self: np.ndarray, indices: np.ndarray, maxNorm: float, normType: float) -> np.ndarray:
    """Row by row."""
    out = self.copy()
    for at in {int(each) for each in indices.ravel()}:
        norm = float(sum(abs(self[at]) ** normType)) ** (1 / normType)
        out[at] *= maxNorm / (norm + 1e-7) if norm > maxNorm else 1
    return out


def torch_renormed(self: np.ndarray, indices: np.ndarray, maxNorm: float, normType: float) -> Any:
    import torch

    table = as_tensor(self.copy())
    flat = as_tensor(indices.astype(np.int64).ravel())
    return torch.embedding_renorm_(table, flat, maxNorm, normType).numpy()


def of_row(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """The factor is rounded to 16 bits, where the table has them."""
    return {"float16": 2.0**-9, "bfloat16": 2.0**-6}.get(dtype, 2.0**-20) * np.abs(exact)


def combined(function: Any) -> Any:
    """Slice by slice."""

    def expected(varRef: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
        out = varRef.copy()
        for place in np.ndindex(*indices.shape):
            at = int(indices[place])
            out[at] = function(out[at], updates[place])
        return out

    return expected


def torch_combined(reduce: str) -> Any:
    def expected(varRef: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> Any:
        import torch

        rows = as_tensor(updates.reshape(-1, *varRef.shape[1:]))
        index = as_tensor(indices.astype(np.int64).ravel()).reshape(-1, *[1] * (rows.ndim - 1)).expand_as(rows)
        return torch.scatter_reduce(as_tensor(varRef), 0, index, rows, reduce).numpy()

    return expected


def of_products(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    return 2.0**-20 * np.abs(exact)


ROWS: dict[str, Any] = {"maxIndices": Meta((2, 4), ACL_INT64), "perSampleWeights": None, "mode": 2}
LAST = {"includeLastOffset": True, "offsets": Meta((3,), ACL_INT64)}
ROUTES: tuple[Route, ...] = (
    route("aclnnBincount", "loop", bincount, bound=sums("weights"), torch=("torch.bincount", torch_bincount),
          values={"self": lambda x: np.abs(x) % 4}, groups=[["self"]],
          also=[{"weights": Meta((6,), ACL_FLOAT16)}, {"weights": Meta((6,), ACL_DOUBLE), "minlength": 2}],
          wrong={"weights ignored": but(bincount, weights=None),
                 "one more": but(bincount, self=lambda arguments: np.minimum(arguments["self"] + 1, 3))}),
    route("aclnnHistc", "loop", histc, bound="exact", torch=("torch.histc", torch_histc),
          also=[{"min": Number(0.0), "max": Number(0.0)}, {"bins": 7, "out": Meta((7,))}],
          wrong={"the last bin is open": but(histc, max=lambda arguments: arguments["max"] + 0.5),
                 "of itself": but(histc, min=0.0, max=0.0)}),
    route("aclnnEmbeddingBag", "loop", bags, bound=sums("weight"), torch=("torch.embedding_bag", torch_bags),
          values={"offsets": rising}, groups=[["weight", "perSampleWeights", "output"]],
          also=[{"perSampleWeights": None, "mode": 1, "paddingIdx": 1}, ROWS, ROWS | LAST, {**LAST, "paddingIdx": 0}],
          wrong={"weights ignored": but(bags, perSampleWeights=None), "padding counts": but(bags, paddingIdx=-1),
                 "mean of all": but(bags, mode=1)}),
    route("aclnnEmbeddingRenorm", "loop", renormed, bound=of_row, torch=("torch.embedding_renorm_", torch_renormed),
          start={"maxNorm": 1.5, "normType": 2.0}, also=[{"normType": 1.0}, {"normType": 3.0}],
          wrong={"norm of 1": but(renormed, normType=1.0), "no limit": but(renormed, maxNorm=1e9)}),
    route("aclnnScatterMul", "loop", combined(np.multiply), bound=of_products,
          torch=("torch.scatter_reduce", torch_combined("prod")),
          wrong={"put": combined(lambda one, other: other), "added": combined(np.add)}),
    route("aclnnScatterDiv", "loop", combined(np.divide), bound=of_products, groups=[("varRef", "updates")],
          values={"updates": lambda x: np.sign(x) + x / 4 + 3},
          wrong={"put": combined(lambda one, other: other), "multiplied": combined(np.multiply)}),
    route("aclnnScatterMax", "loop", combined(np.maximum), bound="exact",
          torch=("torch.scatter_reduce", torch_combined("amax")),
          wrong={"put": combined(lambda one, other: other), "the smaller": combined(np.minimum)}),
    route("aclnnScatterMin", "loop", combined(np.minimum), bound="exact",
          torch=("torch.scatter_reduce", torch_combined("amin")),
          wrong={"put": combined(lambda one, other: other), "the larger": combined(np.maximum)}),
)  # fmt: skip
