"""CtcLoss and its gradient: connectionist temporal classification, for labels that are not aligned with time steps."""

from collections.abc import Callable
from typing import Any, Final

from aclnn.op import (
    HALVES, NEWER, Arguments, Bad, DataTypes, Operand, Planning, Relation, Series, Shape, T, check_range, demand, done,
    listed, planned, ranks, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.loss._paths import gradient, in_rows, likelihood

LOSS_TYPES: Final = DataTypes((T.ACL_FLOAT, T.ACL_DOUBLE), dict.fromkeys(NEWER, HALVES))
FORWARD, BACKWARD = "targetlengths", "targetLengths"
"""the parameter with the lengths of the targets, in the forward and in the backward function"""
LIMITS: Final = (200000, 8180, 1000)
"""limits for 16-bit floats on A2 and A3: classes, samples, labels"""


def samples(a: Arguments) -> int:
    return a.shape("logProbs")[1] if a.rank("logProbs") == 3 else 1


def no_time(a: Arguments) -> Bad:
    shape = a.shape("logProbs")
    return (list(shape), "steps of time") if shape[:1] == (0,) else None


def no_class(a: Arguments) -> Bad:
    blank, classes = a["blank"], a.shape("logProbs")[-1]
    return None if 0 <= blank < classes else (blank, f"0 to {classes - 1}")


def wrong_lengths(name: str, most: Callable[[Arguments], int] | None = None) -> Relation:
    """Checks that an array has a length for each sample, and that no length is above `most`."""

    def bad(a: Arguments) -> Bad:
        lengths, expected_count = list(a[name].values), samples(a)
        if len(lengths) != expected_count:
            return f"{len(lengths)} numbers", f"{expected_count}, one for each sample"
        return None if most is None or max(lengths, default=0) <= most(a) else (lengths, f"at most {most(a)}")

    within = " that logProbs has the time for" if most else ""
    return demand(f"{{0}} has a length{within} for each sample of {{1}}", name, "logProbs", bad=bad)


def longest(a: Arguments, lengths: str) -> int:
    return max((0, *a[lengths].values))


def wrong_targets(lengths: str) -> Relation:
    """Checks that targets has the labels of all samples in one dimension, or a row of labels for each sample."""

    def bad(a: Arguments) -> Bad:
        shape, values = a.shape("targets"), a[lengths].values
        if len(shape) == 1:
            return None if shape[0] == sum(values) else (list(shape), [sum(values)])
        fine = len(shape) == 2 and shape[0] == samples(a) and shape[1] >= longest(a, lengths)
        return None if fine else (list(shape), f"[{samples(a)}, {longest(a, lengths)} or more], or one dimension")

    return demand("{0} has the labels of each sample", "targets", lengths, "logProbs", bad=bad)


def states(a: Arguments, lengths: str) -> int:
    return 2 * longest(a, lengths) + 1


def alpha_shape(a: Arguments) -> Shape:
    """The shape of logAlphaOut. Except on Ascend 950, the number of states is rounded up to a multiple of 8."""
    count = states(a, FORWARD)
    return samples(a), a.shape("logProbs")[0], count if a.soc.series is Series.A950 else -(-count // 8) * 8


def loss_shape(a: Arguments) -> Shape:
    return a.shape("logProbs")[1:2] if a.rank("logProbs") == 3 else ()


def wrong_states(a: Arguments) -> Bad:
    shape, expected_shape = a.shape("logAlpha"), (samples(a), a.shape("logProbs")[0], states(a, BACKWARD))
    fine = len(shape) == 3 and shape[:2] == expected_shape[:2] and shape[2] >= expected_shape[2]
    return None if fine else (list(shape), f"{list(expected_shape)}, or more states")


def too_many(a: Arguments) -> Bad:
    limited = a.soc.series in (Series.A2, Series.A3) and a.dtype("logProbs") in HALVES
    shape = (a.shape("logProbs")[-1], samples(a), longest(a, FORWARD))
    fine = not limited or all(count <= most for count, most in zip(shape, LIMITS, strict=True))
    return None if fine else (f"classes, samples, labels: {shape}", f"at most {LIMITS}, or FLOAT")


def contract(lengths: str, least: int, *shapes: Relation) -> tuple[Relation, ...]:
    """The checks of both functions, up to the data types."""
    return (
        demand("{0} has steps of time", "logProbs", bad=no_time), ranks("logProbs", least=least, most=3),
        demand("{0} is a class of {1}", "blank", "logProbs", bad=no_class),
        wrong_lengths("inputLengths", lambda a: a.shape("logProbs")[0]), wrong_lengths(lengths),
        wrong_targets(lengths), *shapes, listed("logProbs", among=LOSS_TYPES, provenance="public"), listed("targets"),
    )  # fmt: skip


NO_SAMPLES: Final = done("logProbs has no samples", "logProbs", when=lambda a: samples(a) == 0)


@planned(
    "aclnnCtcLoss",
    *contract(
        FORWARD, 2, shape("negLogLikelihoodOut", "{0} has a loss for each sample", loss_shape),
        shape("logAlphaOut", "{0} has the states of each sample at each time", alpha_shape),
    ),
    demand("{0} of 16 bits has no more classes, samples and labels than A2 and A3 support", "logProbs", FORWARD,
           bad=too_many),
    same_dtype("negLogLikelihoodOut", "logProbs"), same_dtype("logAlphaOut", "logProbs"), NO_SAMPLES,
)  # fmt: skip
def ctc_loss(p: Planning) -> None:
    """negLogLikelihoodOut = -log(the probability of the labels in targets), summed over all alignments of the labels
    with the steps of logProbs, with repetitions and blanks; 0 instead of an infinite loss if zeroInfinity is true.
    logAlphaOut = for each step and state, log(the probability of all alignments up to that step that end in that
    state); -inf if there is none."""
    inputs, settings = operands(p, FORWARD)
    count = inputs[0].shape[1]
    dtype, room = p.dtype("logProbs"), alpha_shape(p)
    loss, alpha = p.steps(
        likelihood, inputs, [((count,), dtype), (room, dtype)], zero=p["zeroInfinity"], room=room[2], **settings
    )
    p.store("negLogLikelihoodOut", p.builder.reshape(loss, p.shape("negLogLikelihoodOut")))
    p.store("logAlphaOut", alpha)


@planned(
    "aclnnCtcLossBackward",
    *contract(
        BACKWARD, 3, ranks("gradOut", "negLogLikelihood", least=1, most=1),
        *(shape(name, "{0} has an element for each sample", loss_shape) for name in ("gradOut", "negLogLikelihood")),
        demand("{0} has the states of each sample at each time", "logAlpha", "logProbs", BACKWARD, bad=wrong_states),
        shape("out", "{0} has the shape of logProbs", lambda a: a.shape("logProbs")),
    ),
    *(same_dtype(name, "logProbs") for name in ("gradOut", "negLogLikelihood", "logAlpha", "out")), NO_SAMPLES,
)  # fmt: skip
def ctc_loss_backward(p: Planning) -> None:
    """out = gradOut * (exp(logProbs) - the probability that a step has the class, given the labels). out is 0 behind
    the length of a sample. For an infinite loss out is NaN, or 0 if zeroInfinity is true."""
    inputs, settings = operands(p, BACKWARD)
    inputs += [p.read(name) for name in ("gradOut", "negLogLikelihood", "logAlpha")]
    result = p.step(gradient, inputs, p.shape("out"), p.dtype("logProbs"), zero=p["zeroInfinity"], **settings)
    p.store("out", result)


def operands(p: Planning, lengths: str) -> tuple[list[Operand], dict[str, Any]]:
    """The operands: logProbs in three dimensions, and a row of labels for each sample. The attributes: their lengths,
    and the blank."""
    logs, sizes = p.read("logProbs"), tuple(p[lengths].values)
    if len(logs.shape) == 2:
        logs = p.builder.reshape(logs, (logs.shape[0], 1, logs.shape[1]))
    labels = p.step(
        in_rows, [p.read("targets", T.ACL_INT64)], (len(sizes), longest(p, lengths)), T.ACL_INT64, lengths=sizes,
        blank=p["blank"],
    )  # fmt: skip
    p.builder.launch(check_range, [labels], [], name="targets", count=logs.shape[2])
    return [logs, labels], {
        "times": tuple(max(steps, 0) for steps in p["inputLengths"].values),
        "lengths": tuple(max(size, 0) for size in sizes), "blank": p["blank"],
    }  # fmt: skip
