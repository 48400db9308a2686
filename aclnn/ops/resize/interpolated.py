"""Interpolation with two neighbours in each dimension (linear), with four (cubic), or with an antialiasing filter; and
the gradients.

Position i of the result is position (i + 0.5) * ratio - 0.5 of the input. With alignCorners it is position i * ratio,
so that the first and the last elements of both coincide. The ratio is 1 / scale if scale is above 0, otherwise the
quotient of the sizes.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Bad, Operator, Planning, Relation, Series, aclDataType, aclFormat, demand,
    empty, except_on, null_status, nulls, only_if, only_on, planned, ranks, same_format,
)  # fmt: skip
from aclnn.ops.resize._family import (
    Ratios,
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
from aclnn.ops.resize.nearest import LENGTHS, ND, SIZES, alike, of_input
from aclnn.ops.resize.taps import Taps, antialiased, cubic, linear, ratio, resampled, smooth, triangle

Method = Callable[..., Taps]
PLANE: Final = ("scalesH", "scalesW")
VOLUME: Final = ("scalesD", *PLANE)
NHWC: Final = (aclFormat.ACL_FORMAT_NHWC,)
TRIANGLES: Method = partial(antialiased, half=1.0, filter=triangle)
SMOOTH: Method = partial(antialiased, half=2.0, filter=smooth)


def real_scales(a: Arguments, scales: Sequence[str], in_sizes: Sequence[int], out_sizes: Sequence[int]) -> list[float]:
    rows = zip(in_sizes, out_sizes, given_scales(a, scales, together=len(scales) == 3), strict=True)
    return [ratio(size, max(to, 1), scale, align=a["alignCorners"]) for size, to, scale in rows]


def taps_of(
    p: Planning, method: Method, scales: Sequence[str], in_sizes: Sequence[int], out_sizes: Sequence[int]
) -> list[Taps]:
    rows = zip(in_sizes, out_sizes, given_scales(p, scales, together=len(scales) == 3), strict=True)
    return [method(*row, align=p["alignCorners"]) for row in rows]


def forward(name: str, method: Method, scales: Sequence[str], *parts: Relation, x: str = "self") -> Operator:
    def plan(p: Planning) -> None:
        image, out_sizes = p.read(x), p["outputSize"].values
        p.must_fit("out", resized(p, x, out_sizes))
        taps = taps_of(p, method, scales, sizes(p, x), out_sizes)
        p.store("out", p.step(resampled, [image], resized(p, x, out_sizes), image.dtype, axes=axes(p, x), taps=taps))

    plan.__doc__ = f"out = {x} with images of outputSize, interpolated"
    return planned(name, *parts)(plan)


def backward(
    name: str, method: Method, scales: Sequence[str], gradient: str, out: str, *parts: Relation, scaled: bool = True
) -> Operator:
    def plan(p: Planning) -> None:
        grad, in_sizes = p.read(gradient), of_input(p, gradient)
        out_sizes = sizes(p, gradient)
        p.must_fit(out, p["inputSize"].values)
        if scaled or p.soc.series is Series.A950:
            taps = taps_of(p, method, scales, in_sizes, out_sizes)
        else:
            rows = zip(in_sizes, out_sizes, strict=True)
            taps = [method(*row, 0.0, align=p["alignCorners"]) for row in rows]
        taps = [tap.transposed(size) for tap, size in zip(taps, in_sizes, strict=True)]
        p.store(out, p.step(resampled, [grad], p["inputSize"].values, grad.dtype, axes=axes(p, gradient), taps=taps))

    plan.__doc__ = f"{out} = the gradient of the interpolation: each element adds up its shares of {gradient}"
    return planned(name, *parts)(plan)


def ratios(x: str, scales: Sequence[str]) -> Ratios:
    return lambda a: real_scales(a, scales, sizes(a, x), a["outputSize"].values)


def ratios_back(gradient: str, scales: Sequence[str]) -> Ratios:
    return lambda a: real_scales(a, scales, of_input(a, gradient), a["outputSize"].values)


def off_scale(names: Sequence[str]) -> Relation:
    """Checks that outputSize is the size times each used scale, before Ascend 950."""

    def bad(a: Arguments) -> Bad:
        out_sizes = list(a["outputSize"].values)
        rows = zip(sizes(a, "self"), out_sizes, [a[name] for name in names], strict=True)
        expected_sizes = [times(size, s) if s > 0 else to for size, to, s in rows]
        return None if out_sizes == expected_sizes else (out_sizes, f"{expected_sizes}, self times the scales")

    demanded = demand("{0} is self times the scales that are above 0", "outputSize", "self", *names, bad=bad)
    return except_on(Series.A950, demanded)


# linear


def double_in_nchw(a: Arguments) -> Bad:
    channels_first = a["self"].storage_format == aclFormat.ACL_FORMAT_NCHW
    return (a.type_name("self"), "another data type in NCHW") if channels_first and a.dtype("self") == DOUBLE else None


DOUBLE: Final = aclDataType.ACL_DOUBLE
upsample_linear_1d = forward(
    "aclnnUpsampleLinear1d", linear, ["scale"], nulls("self", "out", "outputSize"), ranks("self", "out"),
    count("outputSize", 1), filled("self", "outputSize"), whole("out"), off_scale(["scale"]), *alike(), empty("self"),
)  # fmt: skip
upsample_linear_1d_backward = backward(
    "aclnnUpsampleLinear1dBackward", linear, ["scales"], "gradOut", "out", ranks("gradOut", "out"), *LENGTHS[1],
    *alike("out", "gradOut"), SIZES, of_the_output("gradOut"), same_lead("out", "gradOut"), short("gradOut", "out"),
    empty("gradOut"), except_on(Series.A950, limited(ratios_back("gradOut", ["scales"]), "gradOut", most=500)),
)  # fmt: skip
upsample_bilinear_2d = forward(
    "aclnnUpsampleBilinear2d", linear, PLANE, nulls("self", "out"), null_status(ACLNN_ERR_INNER_NULLPTR, "self", "out"),
    null_status(161002, "outputSize"), *alike(), same_format("out", "self"), formats(2, "self", but=ND),
    ranks("self", "out"), demand("{0} in NCHW is not DOUBLE", "self", bad=double_in_nchw), same_lead("out", "self"),
    not_negative(*PLANE), count("outputSize", 2), output_sizes("out"), empty("self", "out"),
)  # fmt: skip


def resizes(a: Arguments) -> bool:
    """True if the sizes of the images differ."""
    return sizes(a, "gradOut") != sizes(a, "out")


TYPES_IF = only_if("the sizes differ", resizes, *alike("out", "gradOut"))
upsample_bilinear_2d_backward = backward(
    "aclnnUpsampleBilinear2dBackward", linear, PLANE, "gradOut", "out", ranks("gradOut", "out"), *LENGTHS[2], SIZES,
    of_the_output("gradOut"), of_the_input("out"), TYPES_IF,
    only_on(Series.A950, same_format("out", "gradOut"), formats(2, "gradOut", but=ND)), empty("gradOut"), scaled=False,
)  # fmt: skip
upsample_bilinear_2d_backward_v2 = backward(
    "aclnnUpsampleBilinear2dBackwardV2", linear, PLANE, "gradOut", "out",
    nulls("gradOut", "inputSize", "outputSize", "out"), ranks("gradOut", "out"), *LENGTHS[2][::-1],
    formats(2, "out", but=ND), SIZES, of_the_output("gradOut"), same_lead("out", "gradOut"), TYPES_IF,
    short("gradOut", "out"), empty("gradOut", "out"),
)  # fmt: skip
upsample_trilinear_3d = forward(
    "aclnnUpsampleTrilinear3d", linear, VOLUME, *alike(), ranks("self", "out"), count("outputSize", 3),
    formats(3, "self"), filled("self", "outputSize"), whole("out"), short("self", "out"), empty("self"),
)  # fmt: skip
upsample_trilinear_3d_backward = backward(
    "aclnnUpsampleTrilinear3dBackward", linear, VOLUME, "gradOut", "gradInput", *alike("gradInput", "gradOut"),
    ranks("gradOut", "gradInput"), *LENGTHS[3], formats(3, "gradOut"), SIZES, of_the_output("gradOut"),
    of_the_input("gradInput"), short("gradOut", "gradInput"), empty("gradOut", "gradInput"),
)  # fmt: skip

# cubic

upsample_bicubic_2d = forward(
    "aclnnUpsampleBicubic2d", cubic, PLANE, nulls("outputSize", "self", "out"), *alike(), same_format("out", "self"),
    formats(2, "self"), ranks("self", "out"), count("outputSize", 2), filled("self", "outputSize"), whole("out"),
    short("self", "out"), off_scale(PLANE), empty("self"),
)  # fmt: skip
upsample_bicubic_2d_backward = backward(
    "aclnnUpsampleBicubic2dBackward", cubic, PLANE, "gradOut", "gradInput", SIZES, ranks("gradOut", "gradInput"),
    *LENGTHS[2], of_the_output("gradOut"), of_the_input("gradInput"), *alike("gradInput", "gradOut"),
    short("gradOut", "gradInput"), empty("gradOut"),
)  # fmt: skip

# antialiased

upsample_bilinear_2d_aa = forward(
    "aclnnUpsampleBilinear2dAA", TRIANGLES, PLANE, *alike("out", "input"), same_format("out", "input"),
    ranks("input", "out"), count("outputSize", 2), formats(2, "input", but=NHWC), same_lead("out", "input"),
    not_negative(*PLANE), filled("input", "outputSize"), short("input", "out"),
    limited(ratios("input", PLANE), "input", most=50, everywhere=False), empty("input", "out"), x="input",
)  # fmt: skip
upsample_bicubic_2d_aa = forward(
    "aclnnUpsampleBicubic2dAA", SMOOTH, PLANE, empty("x", "out"), *alike("out", "x"), ranks("x", "out"),
    count("outputSize", 2), filled("x", "outputSize"), same_lead("out", "x"), output_sizes("out"),
    formats(2, "x", "out", but=NHWC), short("x", "out"),
    limited(ratios("x", PLANE), "x", most=50, everywhere=False), x="x",
)  # fmt: skip


def filtered_back(name: str, method: Method, *words: Relation) -> Operator:
    return backward(
        name, method, PLANE, "gradOutput", "out", nulls("gradOutput", "inputSize", "out", "outputSize"),
        *alike("out", "gradOutput"), same_format("out", "gradOutput"), ranks("gradOutput", "out"),
        *LENGTHS[2][::-1], *words,
        limited(ratios_back("gradOutput", PLANE), "gradOutput", least=0.02, everywhere=False),
        empty("gradOutput", "out"), of_the_output("gradOutput"), of_the_input("out"),
    )  # fmt: skip


upsample_bilinear_2d_aa_backward = filtered_back(
    "aclnnUpsampleBilinear2dAABackward", TRIANGLES, formats(2, "gradOutput", but=NHWC), same_lead("out", "gradOutput"),
    not_negative(*PLANE), SIZES, short("gradOutput", "out"),
)  # fmt: skip
upsample_bicubic_2d_aa_grad = filtered_back(
    "aclnnUpsampleBicubic2dAAGrad", SMOOTH, not_negative(*PLANE), SIZES, formats(2, "gradOutput", but=NHWC),
)  # fmt: skip
