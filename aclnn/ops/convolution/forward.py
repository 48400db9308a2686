"""Convolution, forward and transposed, and the depthwise convolution of two dimensions."""

from aclnn.op import (
    SHORT_FLOAT, Arguments, Bad, Planning, Series, Shape, aclFormat, at_least, demand, empty, format_name, listed,
    needed_if, only_on, planned, positive, ranks, same_dtype, same_rank, shape,
)  # fmt: skip
from aclnn.ops.convolution._family import (
    LABELS, CONVOLVED_TYPES, T, channels_out, computed, cube_math_type, geometry, labelled, lengths, multiplied,
)  # fmt: skip
from aclnn.ops.convolution.sums import gathered, scattered


def result(a: Arguments) -> Shape:
    """The shape of output."""
    numbers, sizes = geometry(a), a.shape("input")[2:]
    spatial = numbers.spread(sizes, a["outputPadding"].values) if a["transposed"] else numbers.counts(sizes)
    return (a.shape("input")[0], channels_out(a), *spatial)


def paddings(a: Arguments) -> Bad:
    """Checks that padding has one number for each dimension. Two are allowed in 2D, and in 1D if not transposed."""
    dims, count = a.rank("input") - 2, len(a["padding"].values)
    twice = dims == 2 or (dims == 1 and not a["transposed"])
    allowed = (dims, 2 * dims) if twice else (dims,)
    return None if count in allowed else (f"{count} numbers", " or ".join(map(str, allowed)))


def wrong_padding_count(a: Arguments) -> Bad:
    """Checks the length of outputPadding, which only a transposed convolution uses."""
    if not a["transposed"]:
        return None
    count, dims = len(a["outputPadding"].values), a.rank("input") - 2
    return None if count == dims else (f"{count} numbers", f"{dims}")


def bias_label(a: Arguments) -> Bad:
    label, allowed = a["bias"].format, (aclFormat.ACL_FORMAT_ND, *LABELS.values())
    return None if label in allowed else (format_name(label), "ND, NCL, NCHW or NCDHW")


def empty_kernel(a: Arguments) -> Bad:
    return (list(a.shape("weight")), "a kernel with elements") if 0 in a.shape("weight")[2:] else None


def short(a: Arguments) -> Bad:
    """Checks that there is at least one window on the padded input."""
    counts = () if a["transposed"] else geometry(a).counts(a.shape("input")[2:])
    return None if min(counts, default=1) >= 1 else (list(a.shape("input")), "at least one window")


def other_channels(a: Arguments) -> Bad:
    weight, groups = a.shape("weight"), a["groups"]
    expected_channels = weight[0] if a["transposed"] else weight[1] * groups
    if a.shape("input")[1] != expected_channels:
        return (
            f"{a.shape('input')[1]} channels",
            f"{expected_channels}, as weight {list(weight)} and groups {groups} need",
        )
    return (f"weight {list(weight)}", f"a multiple of {groups} in front") if weight[0] % groups else None


def long_padding(a: Arguments) -> Bad:
    if not a["transposed"]:
        return None
    values, numbers = a["outputPadding"].values, geometry(a)
    far = [op >= s and op >= d for op, s, d in zip(values, numbers.stride, numbers.dilation, strict=True)]
    return (list(values), "0 or more, and below stride or dilation") if min(values) < 0 or any(far) else None


def far_reach(a: Arguments) -> Bad:
    """Checks (kernel - 1) * dilation - padding, which a transposed convolution limits before Ascend 950."""
    if not a["transposed"] or a.soc.series is Series.A950:
        return None
    rows = geometry(a)
    rest = [(k - 1) * d - p for k, d, sides in zip(rows.kernel, rows.dilation, rows.around, strict=True) for p in sides]
    fits = max(rest) <= 255 and (len(rows.kernel) < 3 or min(rest) >= 0)
    return None if fits else (rest, "at most 255 of (kernel - 1) * dilation - padding; in three dimensions 0 or more")


def full_output(a: Arguments) -> Bad:
    none = not a["input"].numel or not a["weight"].numel
    return (list(a.shape("output")), "an empty tensor") if none and a["output"].numel else None


def beyond_310b(a: Arguments) -> Bad:
    return None if a.rank("input") == 4 and not a["transposed"] else (f"{a.rank('input')} dimensions", "4, forward")


def other_eight_bits(a: Arguments) -> Bad:
    forward = a.dtype("input") == T.ACL_FLOAT8_E4M3FN and not a["transposed"]
    return (a.type_name("input"), "another data type, or a transposed convolution") if forward else None


@planned(
    "aclnnConvolution", needed_if("outputPadding", "transposed"),
    listed("input", "weight", among=CONVOLVED_TYPES), listed("bias", among=SHORT_FLOAT),
    listed("output", among=CONVOLVED_TYPES),
    only_on(Series.A950, demand("with {0} in FLOAT8_E4M3FN, the convolution is transposed", "input", "transposed",
                                bad=other_eight_bits, provenance="public",
                                broken="{0} has the data type FLOAT8_E4M3FN, and the convolution is not transposed")),
    ranks("input", "weight", "output"), same_rank("weight", "input"), same_rank("output", "input"),
    ranks("bias", least=1, most=1), shape("bias", "{0} has a number for each output channel",
                                          lambda a: (channels_out(a),)),
    lengths("stride", [1]), demand("{0} has one or two numbers for each dimension", "padding", "input", bad=paddings),
    lengths("dilation", [1]), demand("{0} has a number for each dimension behind the channels", "outputPadding",
                                     "transposed", bad=wrong_padding_count),
    labelled("input", "weight", "output"), demand("{0} is labelled ND, NCL, NCHW or NCDHW", "bias", bad=bias_label),
    demand("{0} has a kernel with elements", "weight", bad=empty_kernel), at_least("stride", 1),
    at_least("dilation", 1),
    positive("groups"),
    demand("{0} with its padding is at least as long as the kernel", "input", "weight", "padding", bad=short),
    demand("{0} has the channels of weight", "input", "weight", "groups", bad=other_channels),
    demand("{0} is below stride or dilation", "outputPadding", "stride", "dilation", bad=long_padding),
    demand("{0} reaches at most 255 places beyond the padding", "weight", "padding", "dilation", bad=far_reach),
    shape("output", "{0} has the shape of the convolution", result),
    demand("{0} is empty if input or weight is", "output", "input", "weight", bad=full_output),
    cube_math_type(),
    only_on(Series.A200I_500_A2, demand("{0} has four dimensions, and the convolution is not transposed", "input",
                                "transposed", bad=beyond_310b)),
    empty("input", "weight", "output"),
)  # fmt: skip
def convolution(p: Planning) -> None:
    """output[n, co, o] = bias[co] + the sum of input[n, ci, o * stride - padding + k * dilation] * weight[co, ci, k]
    over the channels ci of the group and the places k of the kernel; outside of input there are zeros. A transposed
    convolution is the gradient of a convolution with respect to its input."""
    bias = [p.read("bias", T.ACL_FLOAT)] if p.given("bias") else []
    inputs, shape = [*multiplied(p, "input", "weight"), *bias], result(p)
    numbers, sizes, groups = geometry(p), p.shape("input")[2:], p["groups"]
    if p["transposed"]:
        windows = numbers.windows(shape[2:], sizes)
        out = p.step(scattered, inputs, shape, computed(p), windows=windows, groups=groups)
    else:
        out = p.step(gathered, inputs, shape, computed(p), windows=numbers.windows(sizes, shape[2:]), groups=groups)
    p.store("output", out)


DEPTHWISE = ("self", "weight", "out")


def depth_shape(a: Arguments) -> Shape:
    return (a.shape("self")[0], a.shape("weight")[0], *geometry(a).counts(a.shape("self")[2:]))


def depth_short(a: Arguments) -> Bad:
    fits = min(geometry(a).counts(a.shape("self")[2:])) >= 1
    return None if fits else (list(a.shape("self")), "at least one window")


def depth_channels(a: Arguments) -> Bad:
    """Checks that each group has one channel."""
    (count, per_channel, *_), channels = a.shape("weight"), a.shape("self")[1]
    fits = per_channel == 1 and channels > 0 and count % channels == 0
    return None if fits else (list(a.shape("weight")), f"a multiple of {channels}, and 1 in the second dimension")


def other_kernel(a: Arguments) -> Bad:
    kernel_size, expected_sizes = a["kernelSize"].values, a.shape("weight")[2:]
    return None if kernel_size == expected_sizes else (list(kernel_size), f"{list(expected_sizes)}, as weight")


@planned(
    "aclnnConvDepthwise2d", listed("self", "weight", among=CONVOLVED_TYPES), listed("bias", among=SHORT_FLOAT),
    listed("out", among=CONVOLVED_TYPES), *(same_dtype(name, as_="self") for name in ("weight", "out")),
    ranks(*DEPTHWISE, least=4, most=4), ranks("bias", least=1, most=1),
    shape("bias", "{0} has a number for each output channel", lambda a: a.shape("weight")[:1]),
    lengths("stride", [1]), lengths("padding", [1, 2]), lengths("dilation", [1]), labelled(*DEPTHWISE),
    demand("{0} is labelled ND, NCL, NCHW or NCDHW", "bias", bad=bias_label),
    demand("{0} has a kernel with elements", "weight", bad=empty_kernel), at_least("stride", 1),
    at_least("dilation", 1),
    demand("{0} with its padding is at least as long as the kernel", "self", "weight", "padding", bad=depth_short),
    demand("{0} has one channel for each group", "weight", "self", bad=depth_channels),
    shape("out", "{0} has the shape of the convolution", depth_shape), cube_math_type("self", "weight"),
    demand("{0} is the kernel of weight", "kernelSize", "weight", bad=other_kernel), empty("self", "weight", "out"),
)  # fmt: skip
def conv_depthwise_2d(p: Planning) -> None:
    """out = the convolution of self with one group for each channel"""
    bias = [p.read("bias", T.ACL_FLOAT)] if p.given("bias") else []
    inputs, shape = [*multiplied(p, "self", "weight"), *bias], depth_shape(p)
    windows = geometry(p).windows(p.shape("self")[2:], shape[2:])
    p.store("out", p.step(gathered, inputs, shape, computed(p, "self", "weight"), windows=windows,
                          groups=p.shape("self")[1]))  # fmt: skip
