"""CtcLoss and its gradient: sequences of labels without places in time (connectionist temporal classification).

A target of L labels has 2 * L + 1 states: the labels, with a blank before, between and after them.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import NEWER, Series
from aclnn.engine.arguments import Arguments, Shape
from aclnn.engine.operator import planned
from aclnn.engine.parameters import DataTypes
from aclnn.engine.plan_builder import Operand
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Relation
from aclnn.engine.steps.indices import check_range
from aclnn.engine.words.shapes import ranks, shape
from aclnn.engine.words.types import listed, same_dtype
from aclnn.engine.words.values import demand, done

T = aclDataType
Bad = tuple[object, object] | None
HALVES: Final = (T.ACL_FLOAT16, T.ACL_BF16)
TYPES: Final = DataTypes((T.ACL_FLOAT, T.ACL_DOUBLE), dict.fromkeys(NEWER, HALVES))
FORWARD, BACKWARD = "targetlengths", "targetLengths"
"""the names that the two functions have for the lengths of the targets"""
LIMITS: Final = (200000, 8180, 1000)
"""on A2 and A3, of halves: classes, samples, labels"""


def samples(a: Arguments) -> int:
    return a.shape("logProbs")[1] if a.rank("logProbs") == 3 else 1


def no_time(a: Arguments) -> Bad:
    found = a.shape("logProbs")
    return (list(found), "steps of time") if found[:1] == (0,) else None


def no_class(a: Arguments) -> Bad:
    found, classes = a["blank"], a.shape("logProbs")[-1]
    return None if 0 <= found < classes else (found, f"0 to {classes - 1}")


def wrong_lengths(name: str, most: Callable[[Arguments], int] | None = None) -> Relation:
    """A length for each sample, which is at most that number."""

    def bad(a: Arguments) -> Bad:
        found, wanted = list(a[name].values), samples(a)
        if len(found) != wanted:
            return f"{len(found)} numbers", f"{wanted}, one for each sample"
        return None if most is None or max(found, default=0) <= most(a) else (found, f"at most {most(a)}")

    within = " that logProbs has the time for" if most else ""
    return demand(f"{{0}} has a length{within} for each sample of {{1}}", name, "logProbs", bad=bad)


def longest(a: Arguments, lengths: str) -> int:
    return max((0, *a[lengths].values))


def wrong_targets(lengths: str) -> Relation:
    """The labels of all samples one behind the other, or a row for each sample."""

    def bad(a: Arguments) -> Bad:
        found, values = a.shape("targets"), a[lengths].values
        if len(found) == 1:
            return None if found[0] == sum(values) else (list(found), [sum(values)])
        fine = len(found) == 2 and found[0] == samples(a) and found[1] >= longest(a, lengths)
        return None if fine else (list(found), f"[{samples(a)}, {longest(a, lengths)} or more], or one dimension")

    return demand("{0} has the labels of each sample", "targets", lengths, "logProbs", bad=bad)


def states(a: Arguments, lengths: str) -> int:
    return 2 * longest(a, lengths) + 1


def alpha_shape(a: Arguments) -> Shape:
    """Off Ascend 950 there is room for a multiple of 8 states."""
    found = states(a, FORWARD)
    return samples(a), a.shape("logProbs")[0], found if a.soc.series is Series.A950 else -(-found // 8) * 8


def loss_shape(a: Arguments) -> Shape:
    return a.shape("logProbs")[1:2] if a.rank("logProbs") == 3 else ()


def few_states(a: Arguments) -> Bad:
    found, wanted = a.shape("logAlpha"), (samples(a), a.shape("logProbs")[0], states(a, BACKWARD))
    fine = len(found) == 3 and found[:2] == wanted[:2] and found[2] >= wanted[2]
    return None if fine else (list(found), f"{list(wanted)}, or more states")


def too_many(a: Arguments) -> Bad:
    limited = a.soc.series in (Series.A2, Series.A3) and a.dtype("logProbs") in HALVES
    found = (a.shape("logProbs")[-1], samples(a), longest(a, FORWARD))
    fine = not limited or all(each <= most for each, most in zip(found, LIMITS, strict=True))
    return None if fine else (f"classes, samples, labels: {found}", f"at most {LIMITS}, or FLOAT")


def contract(lengths: str, least: int, *shapes: Relation) -> tuple[Relation, ...]:
    """The checks of both functions, up to the data types."""
    return (
        demand("{0} has steps of time", "logProbs", bad=no_time), ranks("logProbs", least=least, most=3),
        demand("{0} is a class of {1}", "blank", "logProbs", bad=no_class),
        wrong_lengths("inputLengths", lambda a: a.shape("logProbs")[0]), wrong_lengths(lengths),
        wrong_targets(lengths), *shapes, listed("logProbs", among=TYPES, provenance="public"), listed("targets"),
    )  # fmt: skip


NO_SAMPLES: Final = done("logProbs has no samples", "logProbs", when=lambda a: samples(a) == 0)


@planned(
    "aclnnCtcLoss",
    *contract(
        FORWARD, 2, shape("negLogLikelihoodOut", "{0} has a loss for each sample", loss_shape),
        shape("logAlphaOut", "{0} has the states of each sample at each time", alpha_shape),
    ),
    demand("{0} of 16 bits has no more classes, samples and labels than A2 and A3 take", "logProbs", FORWARD,
           bad=too_many),
    same_dtype("negLogLikelihoodOut", "logProbs"), same_dtype("logAlphaOut", "logProbs"), NO_SAMPLES,
)  # fmt: skip
def ctc_loss(p: Planning) -> None:
    """negLogLikelihoodOut = minus the logarithm of the probability of the labels in targets, summed over all ways in
    which they lie in the steps of logProbs, with repetitions and blanks; 0 instead of an infinite loss if zeroInfinity
    is true. logAlphaOut = the logarithms of the probabilities of all beginnings of these ways, up to each step, that
    end in a state; -inf where there is none."""
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
        demand("{0} has the states of each sample at each time", "logAlpha", "logProbs", BACKWARD, bad=few_states),
        shape("out", "{0} has the shape of logProbs", lambda a: a.shape("logProbs")),
    ),
    *(same_dtype(name, "logProbs") for name in ("gradOut", "negLogLikelihood", "logAlpha", "out")), NO_SAMPLES,
)  # fmt: skip
def ctc_loss_backward(p: Planning) -> None:
    """out = gradOut * (exp(logProbs) - the probability that a step has the class, given the labels). It is 0 behind the
    length of a sample; and for an infinite loss NaN, or 0 if zeroInfinity is true."""
    inputs, settings = operands(p, BACKWARD)
    inputs += [p.read(name) for name in ("gradOut", "negLogLikelihood", "logAlpha")]
    found = p.step(gradient, inputs, p.shape("out"), p.dtype("logProbs"), zero=p["zeroInfinity"], **settings)
    p.store("out", found)


def operands(p: Planning, lengths: str) -> tuple[list[Operand], dict[str, Any]]:
    """The logarithms in three dimensions, the labels in a row for each sample; and the numbers that go with them."""
    logs, given = p.read("logProbs"), tuple(p[lengths].values)
    if len(logs.shape) == 2:
        logs = p.builder.reshape(logs, (logs.shape[0], 1, logs.shape[1]))
    labels = p.step(
        in_rows, [p.read("targets", T.ACL_INT64)], (len(given), longest(p, lengths)), T.ACL_INT64, lengths=given,
        blank=p["blank"],
    )  # fmt: skip
    p.builder.launch(check_range, [labels], [], name="targets", count=logs.shape[2])
    return [logs, labels], {
        "times": tuple(max(each, 0) for each in p["inputLengths"].values),
        "lengths": tuple(max(each, 0) for each in given), "blank": p["blank"],
    }  # fmt: skip


def in_rows(targets: Array, *, lengths: tuple[int, ...], blank: int) -> Array:
    """The labels of each sample, with blanks behind them. (If a length is negative, any labels will do.)"""
    own = np.arange(max((0, *lengths))) < np.array(lengths)[:, None]
    if targets.ndim == 2:
        return np.where(own, targets[:, : own.shape[1]], blank)
    rows = np.full(own.shape, blank)
    rows[own] = np.resize(targets, own.sum())
    return rows


def paths(labels: Array, blank: int, classes: int) -> tuple[Array, Array]:
    """The class of each state; and whether a path may jump to it over the blank before."""
    found = np.full((len(labels), 2 * labels.shape[1] + 1), blank)
    found[:, 1::2] = np.where((labels >= 0) & (labels < classes), labels, blank)
    jumps = np.zeros(found.shape, bool)
    jumps[:, 2:] = (found[:, 2:] != blank) & (found[:, 2:] != found[:, :-2])
    return found, jumps


def stepped(before: Array, jumps: Array) -> Array:
    """Logarithms of sums: from a state to itself, to the next one, and over a blank."""
    moved = np.full((2, *before.shape), -np.inf, before.dtype)
    moved[0, :, 1:] = before[:, :-1]
    moved[1, :, 2:] = np.where(jumps[:, 2:], before[:, :-2], -np.inf)
    return np.logaddexp(np.logaddexp(before, moved[0]), moved[1])


def likelihood(
    logs: Array, labels: Array, *, times: tuple[int, ...], lengths: tuple[int, ...], blank: int, zero: bool, room: int
) -> tuple[Array, Array]:  # fmt: skip
    classes, jumps = paths(labels, blank, logs.shape[2])
    samples, last = np.arange(len(labels)), 2 * np.array(lengths)
    own = np.arange(classes.shape[1]) <= last[:, None]
    alpha = np.full((len(labels), len(logs), room), -np.inf, logs.dtype)
    state = np.where(own & (np.arange(classes.shape[1]) < 2), 0, -np.inf).astype(logs.dtype)
    for time in range(max(times)):
        state = state if time == 0 else stepped(state, jumps)
        state = np.where(own, state + np.take_along_axis(logs[time], classes, 1), -np.inf)
        alive = time < np.array(times)
        alpha[alive, time, : state.shape[1]] = state[alive]
    # a sample without time has no state: its last row is one that is left out
    end = np.where(np.array(times)[:, None] > 0, alpha[samples, np.array(times) - 1], -np.inf)
    before = np.where(last > 0, end[samples, np.maximum(last - 1, 0)], -np.inf)
    loss = -np.logaddexp(end[samples, last], before)
    return (np.where(np.isinf(loss), 0, loss) if zero else loss), alpha


def gradient(
    logs: Array, labels: Array, grad: Array, loss: Array, alpha: Array, *, times: tuple[int, ...],
    lengths: tuple[int, ...], blank: int, zero: bool,
) -> Array:  # fmt: skip
    classes, jumps = paths(labels, blank, logs.shape[2])
    samples, count = np.arange(len(labels)), classes.shape[1]
    last, ends = 2 * np.array(lengths)[:, None], np.array(times)
    own = np.arange(count) <= last
    final = np.where(own & (np.arange(count) >= last - 1), 0, -np.inf).astype(logs.dtype)
    onward = np.zeros_like(jumps)
    onward[:, :-2] = jumps[:, 2:]
    out, state = np.exp(logs), np.full(classes.shape, -np.inf, logs.dtype)
    for time in reversed(range(max(times))):
        state = np.where((time == ends - 1)[:, None], final, stepped(state[:, ::-1], onward[:, ::-1])[:, ::-1])
        # `state` is the way to the end from here, without this step, which alpha has
        both = np.where(own, alpha[:, time, :count] + state, -np.inf)
        share = np.where(both > -np.inf, np.exp(both + loss[:, None]), 0).astype(logs.dtype)
        for at in range(count):
            out[time, samples, classes[:, at]] -= share[:, at]
        state = state + np.take_along_axis(logs[time], classes, 1)
    within = np.arange(len(logs))[:, None] < ends
    lost = np.isinf(loss)
    scale = np.where(lost, 0 if zero else np.nan, grad).astype(logs.dtype)
    return np.where(within[:, :, None] & ~(lost & zero)[:, None], out * scale[:, None], 0)
