"""Contracts of deformable convolutions, and of a function that prepares weights of convolutions."""

from aclnn.op import Arguments, Bad, Relation, Shape, at_least, demand, length, one_of, positive, same_format, shape
from aclnn.ops.matmul._family import plain_format

ATTRIBUTES = {"kernelSize": 2, "stride": 4, "padding": 4, "dilation": 4}
"""length of each array; the last two numbers of stride and dilation are for height and width"""


def spread(a: Arguments, image: str) -> tuple[int, int]:
    """Height and width of the result of the convolution."""
    (top, bottom, left, right), kernel = a["padding"].values, a["kernelSize"].values
    size = a.shape(image)[2:]
    sizes = [
        (size + padded - step * (span - 1) - 1) // stride + 1
        for size, padded, step, span, stride in zip(
            size, (top + bottom, left + right), a["dilation"].values[2:], kernel, a["stride"].values[2:], strict=True
        )
    ]
    return sizes[0], sizes[1]


def offset_shape(a: Arguments, image: str) -> Shape:
    """Two coordinates and a weight for each place of the kernel, in each deformable group."""
    height, width = a["kernelSize"].values
    return a.shape(image)[0], 3 * a["deformableGroups"] * height * width, *spread(a, image)


def sampled_shape(a: Arguments, image: str) -> Shape:
    """The image with a kernel of samples for each element of the result."""
    (height, width), (rows, columns) = a["kernelSize"].values, spread(a, image)
    return *a.shape(image)[:2], rows * height, columns * width


def weight_shape(a: Arguments, image: str) -> Shape:
    return a.shape("weight")[0], a.shape(image)[1] // a["groups"], *a["kernelSize"].values


def result_shape(a: Arguments, image: str) -> Shape:
    return a.shape(image)[0], a.shape("weight")[0], *spread(a, image)


def groups(image: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        count, channels, filters = a["groups"], a.shape(image)[1], a.shape("weight")[0]
        good = channels % count == 0 and filters % count == 0
        return None if good else (count, f"a number that divides {channels} and {filters} channels")

    return demand("{0} divides the channels", "groups", image, "weight", bad=bad)


def deformable(image: str) -> tuple[Relation, ...]:
    """Checks of attributes and weight that the convolution and its gradient share."""
    return (
        *(length(name, count) for name, count in ATTRIBUTES.items()),
        *(at_least(name, 0 if name == "padding" else 1) for name in ("kernelSize", "padding", "dilation")),
        demand("{0} begins with two ones", "stride", bad=lead_of_ones), at_least("stride", 1),
        one_of("modulated", True), positive("groups"), positive("deformableGroups"), groups(image),
        shape("weight", "{0} has a kernel for each channel", lambda a: weight_shape(a, image)),
    )  # fmt: skip


def lead_of_ones(a: Arguments) -> Bad:
    stride = a["stride"].values
    return None if stride[:2] == (1, 1) else (list(stride), "1, 1 and the steps")


FORWARD = ("weight", "offset", "out", "deformOutOptional")
BACKWARD = ("gradOutput", "offsetOut", "weight", "offset", "gradInput", "gradWeight", "gradOffset")

CONTRACTS = {
    "aclnnDeformableConv2d": (
        *(same_format(name, "x", storage=False) for name in FORWARD), plain_format("biasOptional"), *deformable("x"),
        shape("offset", "{0} has three numbers for each sample", lambda a: offset_shape(a, "x")),
        shape("biasOptional", "{0} has a number for each channel", lambda a: a.shape("weight")[:1]),
        shape("out", "{0} has the shape of the convolution", lambda a: result_shape(a, "x")),
        shape("deformOutOptional", "{0} has the shape of the samples", lambda a: sampled_shape(a, "x")),
    ),
    "aclnnDeformableConv2dBackward": (
        *(same_format(name, "input", storage=False) for name in BACKWARD), *deformable("input"),
        shape("gradOutput", "{0} has the shape of the convolution", lambda a: result_shape(a, "input")),
        shape("offsetOut", "{0} has the shape of the samples", lambda a: sampled_shape(a, "input")),
        shape("offset", "{0} has three numbers for each sample", lambda a: offset_shape(a, "input")),
        shape("gradInput", "{0} has the shape of input", lambda a: a.shape("input")),
        shape("gradWeight", "{0} has the shape of weight", lambda a: a.shape("weight")),
        shape("gradOffset", "{0} has the shape of offset", lambda a: a.shape("offset")),
        shape("gradBias", "{0} has a number for each channel", lambda a: a.shape("weight")[:1]),
    ),
    "aclnnTransConvolutionWeight": (one_of("transposed", False), positive("groups")),
}  # fmt: skip
