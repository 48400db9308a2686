"""Nearest neighbours, which are copied bit for bit; and the gradients.

An element of the result covers an interval of the input. UpsampleNearest copies the element at the beginning of the
interval, UpsampleNearestExact the element in its middle.
"""

from collections.abc import Sequence
from typing import Final

from aclnn.op import (
    IEEE_FLOATS, Arguments, Bad, Operator, Planning, Relation, aclDataType, aclFormat, demand, empty, listed, nulls,
    planned, ranks, same_dtype, same_format, with_bf16,
)  # fmt: skip
from aclnn.ops.resize._family import (
    axes,
    count,
    filled,
    formats,
    given_scales,
    limited,
    not_negative,
    of_the_input,
    of_the_output,
    output_sizes,
    resized,
    same_lead,
    short,
    sizes,
    times,
    whole,
)
from aclnn.ops.resize.taps import nearest, of_nearest, picked, ratio, resampled

NEAREST_TYPES: Final = with_bf16((*IEEE_FLOATS, aclDataType.ACL_UINT8))
ND: Final = (aclFormat.ACL_FORMAT_ND,)
IMAGES = ("self", "out")
SCALES: Final = {1: ("scales",), 2: ("scalesH", "scalesW"), 3: ("scalesD", "scalesH", "scalesW")}


def factors(
    a: Arguments, dims: int, names: Sequence[str], in_sizes: Sequence[int], out_sizes: Sequence[int]
) -> list[float]:
    """The scales, with 0.0 for each that is not used. In three dimensions, and in UpsampleNearest2dV2, all scales are
    used or none. In two dimensions, images that keep their size are copied."""
    if not names:
        return [0.0] * dims
    scales = given_scales(a, names, together=dims == 3 or a.op.c_name() == "aclnnUpsampleNearest2dV2")
    if dims == 2 and list(in_sizes) == list(out_sizes):
        return [0.0] * dims
    return list(scales)


def forward(name: str, dims: int, *parts: Relation, scales: Sequence[str] = (), middle: float = 0.0) -> Operator:
    def plan(p: Planning) -> None:
        x, out_sizes, in_sizes = p.read("self"), p["outputSize"].values[:dims], sizes(p, "self")
        p.must_fit("out", resized(p, "self", out_sizes))
        rows = zip(in_sizes, out_sizes, factors(p, dims, scales, in_sizes, out_sizes), strict=True)
        picks = [nearest(*row, middle=middle) for row in rows]
        p.store("out", p.step(picked, [x], resized(p, "self", out_sizes), x.dtype, moves=True, axes=axes(p, "self"),
                              picks=picks))  # fmt: skip

    shift = " + 0.5" if middle else ""
    plan.__doc__ = (
        f"out = self with images of outputSize: element i is element floor((i{shift}) * ratio) of self, by dimension. "
        "The ratio is the quotient of the sizes" + (", or 1 / scale if the scale is above 0" if scales else "")
    )
    return planned(name, *parts)(plan)


def of_input(a: Arguments, name: str) -> Sequence[int]:
    """The sizes of the images in inputSize, which has the format of the tensor `name`."""
    values = a["inputSize"].values
    return [values[axis] for axis in axes(a, name)]


def backward(name: str, dims: int, out: str, *parts: Relation, middle: float = 0.0) -> Operator:
    gradient = "gradOut" if out == "gradInput" or not middle else "gradOutput"

    def plan(p: Planning) -> None:
        grad, in_sizes = p.read(gradient), of_input(p, gradient)
        out_sizes = sizes(p, gradient)
        p.must_fit(out, p["inputSize"].values)
        rows = zip(in_sizes, out_sizes, given_scales(p, SCALES[dims], together=dims == 3), strict=True)
        taps = [of_nearest(*row, middle=middle).transposed(row[0]) for row in rows]
        p.store(out, p.step(resampled, [grad], p["inputSize"].values, grad.dtype, axes=axes(p, gradient), taps=taps))

    plan.__doc__ = f"{out} = for each element of the input, the sum of the gradients of its copies"
    return planned(name, *parts)(plan)


def alike(name: str = "out", as_: str = "self") -> tuple[Relation, ...]:
    return listed(as_), listed(name, like=as_), same_dtype(name, as_=as_)


def other_length(a: Arguments) -> Bad:
    size, expected_size = a.shape("out")[-1], a["outputSize"].values[0]
    return None if size == expected_size else (list(a.shape("out")), f"{expected_size} as last size")


def not_scaled(a: Arguments) -> Bad:
    """Checks that the size follows from the scales, if all scales are used."""
    factors_ = given_scales(a, SCALES[3], together=True)
    out_sizes = list(a["outputSize"].values)
    if not all(factors_):
        return None
    rows = zip(a.shape("self")[2:], factors_, strict=False)
    expected_sizes = [times(size, factor) for size, factor in rows]
    return None if out_sizes == expected_sizes else (out_sizes, f"{expected_sizes}, self times the scales")


def ratios(gradient: str, dims: int):
    def values(a: Arguments) -> list[float]:
        out_sizes = [max(each, 1) for each in a["outputSize"].values]
        in_sizes = of_input(a, gradient)
        rows = zip(in_sizes, out_sizes, given_scales(a, SCALES[dims], together=dims == 3), strict=True)
        return [ratio(*row) for row in rows]

    return values


# forward

EQUAL = same_format("out", "self")
ROW = (count("outputSize", 1, more=True), ranks("self", "out"), filled("self", "outputSize"))
upsample_nearest_1d = forward(
    "aclnnUpsampleNearest1d", 1, listed(*IMAGES, among=NEAREST_TYPES), same_dtype("out", as_="self"), *ROW, EQUAL,
    formats(1, "self", but=ND), empty(*IMAGES),
)  # fmt: skip
upsample_nearest_1d_v2 = forward(
    "aclnnUpsampleNearest1dV2", 1, listed(*IMAGES, among=NEAREST_TYPES), same_dtype("out", as_="self"), *ROW[:2],
    filled("self"), demand("{0} has outputSize as last size", "out", "outputSize", bad=other_length),
    filled("outputSize"), EQUAL, formats(1, "self", but=ND), empty(*IMAGES), scales=["scaleL"],
)  # fmt: skip
PLANE = (count("outputSize", 2), ranks("self", "out"), filled("self", "outputSize"))
upsample_nearest_2d = forward(
    "aclnnUpsampleNearest2d", 2, listed(*IMAGES, among=NEAREST_TYPES), same_dtype("out", as_="self"), *PLANE,
    formats(2, "self", but=ND), EQUAL, same_lead("out", "self"), output_sizes("out"), short(*IMAGES), empty(*IMAGES),
)  # fmt: skip
upsample_nearest_2d_v2 = forward(
    "aclnnUpsampleNearest2dV2", 2, nulls("self", "out", "outputSize"), empty(*IMAGES),
    listed(*IMAGES, among=NEAREST_TYPES),
    same_dtype("out", as_="self"), *PLANE, same_lead("out", "self"), formats(2, "out", but=ND), output_sizes("out"),
    scales=SCALES[2],
)  # fmt: skip
upsample_nearest_3d = forward(
    "aclnnUpsampleNearest3d", 3, nulls("self", "out", "outputSize"), *alike(), filled("self", "outputSize"),
    ranks("self", "out"), count("outputSize", 3), whole("out"), empty("self"), scales=SCALES[3],
)  # fmt: skip
upsample_nearest_exact_1d = forward(
    "aclnnUpsampleNearestExact1d", 1, *alike(), filled("self", "outputSize", batch=True), ranks("self", "out"),
    count("outputSize", 1), formats(1, "self", "out"), scales=SCALES[1], middle=0.5,
)  # fmt: skip
upsample_nearest_exact_2d = forward(
    "aclnnUpsampleNearestExact2d", 2, empty(*IMAGES), *alike(), ranks("self", "out"), count("outputSize", 2),
    filled("self", "outputSize"), same_lead("out", "self"), formats(2, "self", "out"), EQUAL, scales=SCALES[2],
    middle=0.5,
)  # fmt: skip
upsample_nearest_exact_3d = forward(
    "aclnnUpsampleNearestExact3d", 3, *alike(), filled("self", "outputSize"),
    demand("{0} is self times the scales, if these are above 0", "outputSize", "self", *SCALES[3], bad=not_scaled),
    ranks("self", "out"), count("outputSize", 3), whole("out"), empty("self"), scales=SCALES[3], middle=0.5,
)  # fmt: skip

# backward

LENGTHS = {dims: (count("outputSize", dims), count("inputSize", dims + 2)) for dims in (1, 2, 3)}
SIZES = filled("outputSize", "inputSize")
upsample_nearest_1d_backward = backward(
    "aclnnUpsampleNearest1dBackward", 1, "out", ranks("gradOut", "out"), *LENGTHS[1], of_the_output("gradOut"),
    *alike("out", "gradOut"), SIZES, same_lead("out", "gradOut"), empty("gradOut"),
)  # fmt: skip
upsample_nearest_2d_backward = backward(
    "aclnnUpsampleNearest2dBackward", 2, "gradInput", *alike("gradInput", "gradOut"), ranks("gradOut", "gradInput"),
    *LENGTHS[2], same_lead("gradInput", "gradOut"), SIZES, of_the_output("gradOut"), empty("gradOut", "gradInput"),
)  # fmt: skip
upsample_nearest_3d_backward = backward(
    "aclnnUpsampleNearest3dBackward", 3, "gradInput", *alike("gradInput", "gradOut"), ranks("gradOut", "gradInput"),
    *LENGTHS[3], SIZES, of_the_input("gradInput"), short("gradOut", "gradInput"), empty("gradOut"),
    of_the_output("gradOut"),
)  # fmt: skip


def exact_backward(dims: int, *first: Relation) -> Operator:
    like = same_format("out", "gradOutput")
    return backward(
        f"aclnnUpsampleNearestExact{dims}dBackward", dims, "out", nulls("gradOutput", "inputSize", "out", "outputSize"),
        *first, *alike("out", "gradOutput"), like, ranks("gradOutput", "out"), *LENGTHS[dims][::-1],
        same_lead("out", "gradOutput"), not_negative(*SCALES[dims]),
        limited(ratios("gradOutput", dims), "gradOutput", least=0.02), SIZES,
        *(() if first else (empty("gradOutput"),)), of_the_output("gradOutput"), middle=0.5,
    )  # fmt: skip


upsample_nearest_exact_1d_backward = exact_backward(1)
upsample_nearest_exact_2d_backward = exact_backward(2, empty("gradOutput", "out"))
upsample_nearest_exact_3d_backward = backward(
    "aclnnUpsampleNearestExact3dBackward", 3, "gradInput", *alike("gradInput", "gradOut"),
    ranks("gradOut", "gradInput"), *LENGTHS[3], SIZES, of_the_output("gradOut"), of_the_input("gradInput"),
    limited(ratios("gradOut", 3), "gradOut", most=50), short("gradOut", "gradInput"), empty("gradOut"), middle=0.5,
)  # fmt: skip
