"""The gradients of aclnnConvolution."""

from collections.abc import Sequence
from typing import Any

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, NEWER, SHORT_FLOAT, Arguments, Bad, Check, Op, Operand, PlanBuilder, Planning, Relation,
    Rule, Series, Shape, Soc, Violation, aclFormat, at_least, demand, empty, format_name, listed, only_if, only_on,
    planned, positive, ranks, same_dtype, same_rank, same_shape, shape, with_elements,
)  # fmt: skip
from aclnn.ops.convolution._family import T, any_label, channels_out, cube_math_type, geometry, lengths, multiplied
from aclnn.ops.convolution.sums import by_channel, correlated, gathered, scattered
from aclnn.ops.norm._family import flagged, has_flags, wants

NULL = ACLNN_ERR_PARAM_NULLPTR
MASK = "outputMask"
INPUTS = ("gradOutput", "input", "weight")
GRADS = ("gradInput", "gradWeight", "gradBias")
INPUT_OF_GRADIENT = {"gradInput": "input", "gradWeight": "weight", "gradBias": "gradOutput"}


def output_padding(a: Arguments) -> Shape:
    """One number of outputPadding for each dimension."""
    values = a["outputPadding"].values
    return values if len(values) == a.rank("weight") - 2 else values[1::2]


def forward_shape(a: Arguments) -> Shape:
    """The shape of the output of the convolution."""
    numbers, sizes = geometry(a), a.shape("input")[2:]
    spatial = numbers.spread(sizes, output_padding(a)) if a["transposed"] else numbers.counts(sizes)
    return (a.shape("input")[0], channels_out(a), *spatial)


def plain_bias(a: Arguments) -> Bad:
    label = a["gradBias"].format
    fits = a["transposed"] or a.soc.series not in NEWER or label == aclFormat.ACL_FORMAT_ND
    return None if fits else (format_name(label), "ND")


def bad_padding(a: Arguments) -> Bad:
    values = a["outputPadding"].values
    if not a["transposed"]:
        return (list(values), "0 if the convolution is not transposed") if any(values) else None
    steps = a["stride"].values
    far = len(values) == 3 == len(steps) and any(op >= s for op, s in zip(values, steps, strict=True))
    wrong = far or min(values, default=0) < 0
    return (list(values), "0 or more; in three dimensions below stride") if wrong else None


def nothing(a: Arguments) -> bool:
    """True if input or weight is empty on a newer product, which then leaves out most checks."""
    return a.soc.series in NEWER and not (a["input"].numel and a["weight"].numel)


def something(a: Arguments) -> bool:
    return not nothing(a)


def other_channels(a: Arguments) -> Bad:
    """Checks the channels of input and gradOutput against weight."""
    large, small = ("gradOutput", "input") if a["transposed"] else ("input", "gradOutput")
    front, per_group, *_ = a.shape("weight")
    channels, expected_channels = (a.shape(small)[1], a.shape(large)[1]), (front, per_group * a["groups"])
    fits = channels == expected_channels and front % a["groups"] == 0
    return (
        None if fits else (f"weight {list(a.shape('weight'))} and {a['groups']} groups", f"channels {list(channels)}")
    )


def no_bias_sizes(call: Op, soc: Soc) -> Violation | None:
    """Checks biasSizes, which must be given only if gradBias is computed and input or weight is empty."""
    a = Arguments(call, soc)
    if not (nothing(a) and wants(a, MASK, 2)):
        return None
    bias_sizes, expected_bias_sizes = a["biasSizes"], (channels_out(a),)
    if bias_sizes is not None and bias_sizes.values == expected_bias_sizes:
        return None
    words = "biasSizes must have the number of output channels if input or weight is empty."
    return Violation(
        words, "biasSizes", "null" if bias_sizes is None else list(bias_sizes.values), list(expected_bias_sizes)
    )


def bias_sizes(op: type[Op]) -> Sequence[Check]:
    params = [op.named(name) for name in ("biasSizes", "weight", MASK)]
    return [Rule("biasSizes has the number of output channels if input or weight is empty", no_bias_sizes, *params)]


def other_empty(a: Arguments) -> Bad:
    refused = nothing(a) and wants(a, MASK, 0) and 0 not in a.shape("input")[:2]
    return (list(a.shape("input")), "a batch or channels of 0") if refused else None


def empty_gradients(call: Op, builder: PlanBuilder) -> None:
    """The plan for an empty input or weight: zeros, and the sums of gradOutput for gradBias."""
    p = Planning(call, builder)
    for index, name in enumerate(GRADS[:2]):
        if wants(p, MASK, index):
            p.fill(name, 0)
    if wants(p, MASK, 2):
        bias_gradient(p)


def bias_gradient(p: Planning) -> None:
    grad = p.read("gradOutput", T.ACL_FLOAT)
    p.store("gradBias", p.step(by_channel, [grad], grad.shape[1:2], T.ACL_FLOAT))


IF = "there is no empty tensor"


@planned(
    "aclnnConvolutionBackward", has_flags(MASK, 3, status=NULL, provenance="public"),
    flagged(MASK, *GRADS, status=NULL), listed(*INPUTS, *GRADS, among=SHORT_FLOAT),
    only_on(Series.A950, *(same_dtype(name, as_=like) for name, like in INPUT_OF_GRADIENT.items())),
    any_label(*INPUTS, "gradInput", "gradWeight"),
    demand("{0} is labelled ND if the convolution is not transposed", "gradBias", "transposed", bad=plain_bias),
    at_least("stride", 1), at_least("padding", 0), at_least("dilation", 1),
    demand("{0} is 0 or more, below stride, or 0 if the convolution is not transposed", "outputPadding", "stride",
           bad=bad_padding),
    positive("groups"),
    cube_math_type(*INPUTS),
    only_if(IF, something, ranks(*INPUTS, least=3, most=5), same_rank("gradOutput", "input"),
            same_rank("weight", "input"), with_elements("gradOutput"),
            with_elements("weight"), same_shape("gradInput", as_="input"),
            same_shape("gradWeight", as_="weight"),
            shape("gradBias", "{0} has a number for each output channel", lambda a: (channels_out(a),)),
            lengths("stride", [1]), lengths("dilation", [1]), lengths("padding", [1, 2]),
            lengths("outputPadding", [1, 2]),
            demand("{0} has the channels of input and gradOutput", "weight", *INPUTS[:2], "groups", bad=other_channels),
            shape("gradOutput", "{0} has the shape of the convolution", forward_shape),
            with_elements("input")),
    Relation(bias_sizes),
    demand("{0} without elements has no batch or no channels", "input", MASK, bad=other_empty),
    empty("input", "weight", plan=empty_gradients, left="zeros, and the sums of gradOutput for gradBias"),
)  # fmt: skip
def convolution_backward(p: Planning) -> None:
    """gradInput, gradWeight and gradBias = the gradients of aclnnConvolution with respect to input, weight and bias.
    outputMask selects the gradients that are computed."""
    grad, x, weight = multiplied(p, *INPUTS)
    numbers, groups, transposed = geometry(p), p["groups"], p["transposed"]
    large, small = (grad, x) if transposed else (x, grad)
    windows = numbers.windows(large.shape[2:], small.shape[2:])
    if wants(p, MASK, 0):
        p.store("gradInput", input_gradient(p, grad, weight, windows))
    if wants(p, MASK, 1):
        p.store("gradWeight", p.step(correlated, [large, small], weight.shape, T.ACL_FLOAT, windows=windows,
                                     groups=groups))  # fmt: skip
    if wants(p, MASK, 2):
        bias_gradient(p)


def input_gradient(p: Planning, grad: Operand, weight: Operand, windows: Any) -> Operand:
    inputs, sizes = [grad, weight], p.shape("input")
    if p["transposed"]:
        return p.step(gathered, inputs, sizes, T.ACL_FLOAT, windows=windows, groups=p["groups"])
    return p.step(scattered, inputs, sizes, T.ACL_FLOAT, windows=windows, groups=p["groups"])
