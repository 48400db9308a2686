"""Products of matrices and convolutions by name."""

from collections.abc import Sequence
from typing import Any, Final

from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.soc import NEWER
from aclnn.by_name.call import Named
from aclnn.by_name.row import Required, row
from aclnn.by_name.uses import copy, unread

T = aclDataType
KEEP, DOWN = 0, 1
"""values of cubeMathType: unchanged inputs, or FLOAT rounded to FLOAT16"""


def cube_math_type(n: Named) -> int:
    """The value of the default precision mode, under which older chips round FLOAT to FLOAT16 for matrices."""
    return KEEP if n.soc.series in NEWER else DOWN


def transposed_if(n: Named, x: Tensor, *, swap: bool) -> Tensor:
    """The matrices, transposed if `swap` is true."""
    last = len(x.shape) - 1
    return n.permuted(x, (*range(last - 1), last, last - 1)) if swap else x


def matmul(n: Named) -> None:
    """aclnnMatmul of x1 and x2, each transposed if its attribute is true; then aclnnAdd of bias"""
    attributes = n.arguments.row.attributes
    flags = ("adj_x1", "adj_x2") if "adj_x1" in attributes else ("transpose_x1", "transpose_x2")
    x1, x2 = (transposed_if(n, n[name], swap=n[flag]) for name, flag in zip(("x1", "x2"), flags, strict=True))
    bias, y = n["bias"], n["y"]
    if bias is None:
        n.aclnn("aclnnMatmul", x1, x2, y, cube_math_type(n))
        return
    wide = n.like(y, T.ACL_FLOAT)
    if x1.dtype != T.ACL_FLOAT:
        x1, x2 = (_cast(n, each, T.ACL_FLOAT) for each in (x1, x2))
    n.aclnn("aclnnMatmul", x1, x2, wide, cube_math_type(n))
    result = n.like(wide)
    n.aclnn("aclnnAdd", wide, bias, 1, result)
    n.aclnn("aclnnCast", result, y.dtype, y)


def _cast(n: Named, x: Tensor, dtype: int) -> Tensor:
    result = n.like(x, dtype)
    n.aclnn("aclnnCast", x, dtype, result)
    return result


def gemm(n: Named) -> None:
    """aclnnGemm: alpha a b + beta c, where a and b may be transposed"""
    flags = [int(n[name]) for name in ("transpose_a", "transpose_b")]
    alpha, beta = float(n.number("alpha")), float(n.number("beta"))
    n.aclnn("aclnnGemm", n["a"], n["b"], n["c"], alpha, beta, *flags, n["y"], cube_math_type(n))


# convolutions


class ConvolutionGeometry:
    """The attributes of a convolution, for its spatial dimensions."""

    def __init__(self, n: Named) -> None:
        layout = n["data_format"]
        self.channels_last = layout.endswith("C")
        dims = [layout.index(name) for name in layout if name not in "NC"]
        self.stride = [n["strides"][dim] for dim in dims]
        self.dilation = [n["dilations"][dim] for dim in dims]
        pads = list(n["pads"])
        if len(pads) != 2 * len(dims):
            raise n.refused(f"pads has {len(pads)} numbers, and data_format {layout} needs {2 * len(dims)}")
        self.padding = pads
        if len(dims) == 3 or pads[::2] == pads[1::2]:
            if pads[::2] != pads[1::2]:
                raise n.refused(f"this emulator pads three dimensions alike on both sides, and pads is {pads}")
            self.padding = pads[::2]
        self.zeros = [0] * len(dims)

    def channels_first(self, n: Named, x: Tensor) -> Tensor:
        """The view of a tensor with the channels first, as aclnn takes it."""
        last = len(x.shape) - 1
        return n.labelled(n.permuted(x, (0, last, *range(1, last))) if self.channels_last else x)


def weights(n: Named, name: str, geometry: ConvolutionGeometry) -> Tensor:
    """The weights with the channels first. With data_format NHWC they may be HWCN, and are permuted."""
    tensor: Tensor = n[name]
    if geometry.channels_last and n.format(name) in (HWCN, DHWCN):
        last = len(tensor.shape) - 1
        return n.labelled(n.permuted(tensor, (last, last - 1, *range(last - 1))))
    if geometry.channels_last and n.format(name) in (NHWC, NDHWC):
        return geometry.channels_first(n, tensor)
    return n.labelled(tensor)


HWCN, NHWC, DHWCN, NDHWC = 16, 1, 31, 27


def convolution(n: Named) -> None:
    """aclnnConvolution"""
    g = ConvolutionGeometry(n)
    _convolve(n, g, n["x"], transposed=False, more=g.zeros)


def transposed_convolution(n: Named) -> None:
    """aclnnConvolution, transposed"""
    g = ConvolutionGeometry(n)
    layout = n["data_format"]
    more = [n["output_padding"][layout.index(name)] for name in layout if name not in "NC"]
    _convolve(n, g, n["x"], transposed=True, more=more)


def _convolve(n: Named, g: ConvolutionGeometry, x: Tensor, *, transposed: bool, more: Sequence[int]) -> None:
    source, target = (g.channels_first(n, each) for each in (x, n["y"]))
    n.aclnn("aclnnConvolution", source, weights(n, "filter", g), n["bias"], g.stride, g.padding, g.dilation, transposed,
            more, n["groups"], target, cube_math_type(n))  # fmt: skip


def backprop_input(n: Named) -> None:
    """aclnnConvolutionBackward: the derivative for the input"""
    g, y = ConvolutionGeometry(n), n["y"]
    grad, target = (g.channels_first(n, each) for each in (n["out_backprop"], y))
    _backward(n, g, grad, unread(n, target), weights(n, "filter", g), 0, target)


def backprop_filter(n: Named) -> None:
    """aclnnConvolutionBackward: the derivative for the weights"""
    g, y = ConvolutionGeometry(n), n["y"]
    grad, x = (g.channels_first(n, each) for each in (n["out_backprop"], n["x"]))
    result = n.like(y, x.dtype)
    _backward(n, g, grad, x, unread(n, result), 1, n.labelled(result))
    if result.dtype == y.dtype:
        copy(n, result, y)
    else:
        n.aclnn("aclnnCast", result, y.dtype, y)


def _backward(
    n: Named, g: ConvolutionGeometry, grad: Tensor, x: Tensor, weight: Tensor, which: int, out: Tensor
) -> None:  # fmt: skip
    outputs: list[Any] = [None, None, None]
    outputs[which] = out
    mask = [output is not None for output in outputs]
    padding = g.padding
    if len(padding) == 2 * len(g.stride):
        raise n.refused(f"this emulator computes gradients with the same padding on both sides, and pads is {padding}")
    n.aclnn("aclnnConvolutionBackward", grad, x, weight, [weight.shape[0]], g.stride, padding, g.dilation, False,
            g.zeros, n["groups"], mask, cube_math_type(n), *outputs)  # fmt: skip


TRANSPOSED: Final = {"transpose_x1": False, "transpose_x2": False}
FLAT: Final[dict[str, Any]] = {
    "strides": Required(()), "pads": Required(()), "dilations": (1, 1, 1, 1), "groups": 1, "data_format": "NHWC",
}  # fmt: skip
DEEP: Final = {**FLAT, "dilations": (1, 1, 1, 1, 1), "data_format": "NDHWC"}
ROWS: Final = (
    row("MatMul", "x1, x2, bias? -> y", matmul, **TRANSPOSED),
    row("MatMulV2", "x1, x2, bias?, offset_w? -> y", matmul, **TRANSPOSED, offset_x=0),
    row("BatchMatMul", "x1, x2, bias?, offset_w? -> y", matmul, adj_x1=False, adj_x2=False),
    row("BatchMatMulV2", "x1, x2, bias?, offset_w? -> y", matmul, adj_x1=False, adj_x2=False, offset_x=0),
    row("GEMM", "a, b, c, alpha, beta -> y", gemm, transpose_a=False, transpose_b=False),
    row("Conv2D", "x, filter, bias?, offset_w? -> y", convolution, **FLAT, offset_x=0),
    row("Conv3D", "x, filter, bias?, offset_w? -> y", convolution, **DEEP, offset_x=0),
    row("Conv2DTranspose", "input_size, x, filter, bias?, offset_w? -> y", transposed_convolution, **FLAT,
        output_padding=(0, 0, 0, 0), offset_x=0),
    row("Conv2DBackpropInput", "input_size, filter, out_backprop -> y", backprop_input, **FLAT),
    row("Conv2DBackpropFilter", "x, filter_size, out_backprop -> y", backprop_filter, **FLAT),
)  # fmt: skip
