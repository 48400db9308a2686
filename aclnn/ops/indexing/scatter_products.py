"""Slices of a tensor, combined with others at positions: ScatterMul, ScatterMax, ScatterMin, which only Ascend 950 has.
The order of the checks is ours."""

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID
from aclnn.engine.arguments import Arguments
from aclnn.engine.constraints import TILING
from aclnn.engine.operator import Operator
from aclnn.engine.planning import Planning
from aclnn.engine.steps.parts import by
from aclnn.engine.words.shapes import ranks, shape
from aclnn.engine.words.types import listed, same_dtype
from aclnn.engine.words.values import empty
from aclnn.ops.indexing._family import Shape, of_slices, watch


def slices(a: Arguments) -> Shape:
    return a.shape("indices") + a.shape("varRef")[1:]


def combining(stem: str, ufunc: np.ufunc, doc: str, status: int) -> Operator:
    """`status`: that of updates of another shape."""

    @by(of_slices)
    def combined(x: Array, indices: Array, updates: Array) -> Array:
        rows = indices.reshape(-1)
        good = (rows >= 0) & (rows < len(x))
        out = np.array(x)
        ufunc.at(out, rows[good], updates.reshape(len(rows), *x.shape[1:])[good])
        return out

    def plan(p: Planning) -> None:
        x, indices, updates = (p.read(name) for name in ("varRef", "indices", "updates"))
        watch(p, indices, "indices", x.shape[0])
        p.store("varRef", p.step(combined, [x, indices, updates], x.shape, x.dtype))

    relations = (
        listed("varRef", "indices", "updates"), same_dtype("updates", "varRef"),
        ranks("varRef", "indices", "updates", least=1, most=8),
        shape("updates", "{0} has a slice of varRef for each of indices", slices, status=status),
        empty("varRef", "indices", "updates"),
    )  # fmt: skip
    return Operator((f"aclnn{stem}",), relations, plan, doc, __name__)


times = combining("ScatterMul", np.multiply, "varRef at indices is multiplied by updates", TILING)
largest = combining("ScatterMax", np.maximum, "varRef at indices = the larger of it and updates", TILING)
smallest = combining(
    "ScatterMin", np.minimum, "varRef at indices = the smaller of it and updates", ACLNN_ERR_PARAM_INVALID
)  # fmt: skip
