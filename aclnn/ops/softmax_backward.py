"""aclnnSoftmaxBackward: the gradient of softmax along one dimension."""

from acl_runtime.headers.dtypes import Array
from acl_runtime.objects.soc import Series
from aclnn.engine.constraints import AxisOf, Empty, Listed, Rank, SameDtype, SameShape
from aclnn.engine.declaration import Op, Products
from aclnn.engine.numbers.rounding import total
from aclnn.engine.parameters import FLOATS, Int64, TensorIn, TensorOut
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.two_phase import two_phase


class SoftmaxBackward(Op):
    """out = (gradOutput - sum(gradOutput * output, dim)) * output

    The formula is applied as it stands: `output` need not be a softmax. 0-d tensors count as one-dimensional.
    """

    header = "aclnnop/aclnn_softmax_backward.h"
    series = (Series.INFERENCE, Series.TRAINING, Series.A2, Series.A3, Series.A950)
    elsewhere = Products.NOTICED_AT_LAUNCH

    gradOutput = TensorIn(FLOATS, doc="gradient from the layer above")
    output = TensorIn(FLOATS, shape="as gradOutput", doc="what the forward softmax returned")
    dim = Int64(doc="dimension the forward pass normalised over; negative counts from the end")
    out = TensorOut(
        FLOATS, shape="as gradOutput", doc="gradient of the forward input; other data types by automatic cast"
    )

    checks = (
        Empty(gradOutput, output, but=Series.A950),  # comes before the data types too (docs/fidelity.md)
        Listed(gradOutput),
        Listed(output),
        SameDtype(output, gradOutput),
        AxisOf(dim, gradOutput),
        Rank(gradOutput),
        SameShape(output, gradOutput),
        SameShape(out, gradOutput),
    )


def plan(call: SoftmaxBackward, builder: PlanBuilder) -> None:
    grad = builder.contiguous(call.gradOutput)
    softmax = builder.contiguous(call.output)
    dx = builder.alloc(grad.shape, grad.dtype)
    builder.launch(softmax_grad, inputs=(softmax, grad), outputs=(dx,), axis=call.dim)
    # "其他数据类型通过自动cast能力支持": the result has gradOutput's data type and is then cast to out's
    builder.view_copy(builder.cast(dx, call.out.dtype), call.out)


def softmax_grad(y: Array, g: Array, *, axis: int) -> Array:
    """(g - sum(y * g)) * y; the sum has float64 partials."""
    if not y.ndim:
        return y * (g - g * y)
    return (g - total(y * g, axis, keepdims=True)) * y


aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward = two_phase(SoftmaxBackward, plan)
