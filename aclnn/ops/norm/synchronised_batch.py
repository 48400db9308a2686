"""Batch normalisation over several devices: BatchNormElemtBackward."""

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from aclnn.engine.arguments import Arguments
from aclnn.engine.numbers.rounding import total
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from aclnn.engine.words.shapes import ranks, same_shape, shape
from aclnn.engine.words.types import listed
from aclnn.engine.words.values import demand, empty, may_be_in_place, public_format

PER_CHANNEL = ("mean", "invstd", "sumDy", "sumDyXmu", "weight")
"""in the order of the kernel"""


def no_channels(a: Arguments) -> tuple[object, object] | None:
    found = a.shape("input")
    return None if found[1] else (list(found), "at least one channel in dimension 1")


@planned(
    "aclnnBatchNormElemtBackward", listed("gradOut", "input", *PER_CHANNEL, "counter", "gradInput"),
    public_format("gradOut", "input", "gradInput"), ranks("input"),
    demand("{0} has channels", "input", bad=no_channels),
    same_shape("gradOut", "input"), same_shape("gradInput", "input"),
    *(shape(name, "{0} has one element for each channel", lambda a: a.shape("input")[1:2]) for name in PER_CHANNEL),
    ranks("counter", least=0, most=8),
    empty("gradOut", "input", "counter"), may_be_in_place(),
)  # fmt: skip
def batch_norm_elemt_backward(p: Planning) -> None:
    """gradInput = (gradOut - sumDy / n - (input - mean) * invstd^2 * sumDyXmu / n) * invstd * weight, n = the sum of
    counter. Dimension 1 has the channels; a null weight is 1."""
    dtype = aclDataType.ACL_FLOAT
    dy, x, counter = (p.read(name, dtype) for name in ("gradOut", "input", "counter"))
    channels = (1, x.shape[1], *(1,) * (len(x.shape) - 2))
    names = [name for name in PER_CHANNEL if p.given(name)]
    per_channel = [p.builder.reshape(p.read(name, dtype), channels) for name in names]
    p.store("gradInput", p.step(elemt_grad, [dy, x, counter, *per_channel], x.shape, dtype))


def elemt_grad(
    dy: Array, x: Array, counter: Array, mean: Array, invstd: Array, sum_dy: Array, sum_dy_xmu: Array,
    weight: Array | None = None,
) -> Array:  # fmt: skip
    """The first sum is of the gradients, the second of their products with (x - mean); both over all devices."""
    count = total(counter, None)
    grad = (dy - sum_dy / count - (x - mean) * (invstd * invstd * (sum_dy_xmu / count))) * invstd
    return grad if weight is None else grad * weight
