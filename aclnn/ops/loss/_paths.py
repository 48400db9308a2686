"""The kernels of CtcLoss: sums over all paths, which are the alignments of the labels of a sample with its time steps.

A target of L labels has 2 * L + 1 states: the labels, with a blank before, between and after them. A path starts in one
of the first two states. At each time step it stays, moves by one state, or moves by two states to a different label.
"""

import numpy as np

from aclnn.op import Array


def in_rows(targets: Array, *, lengths: tuple[int, ...], blank: int) -> Array:
    """The labels of each sample as a row that is filled with blanks; arbitrary labels if a length is negative."""
    inside = np.arange(max((0, *lengths))) < np.array(lengths)[:, None]
    if targets.ndim == 2:
        return np.where(inside, targets[:, : inside.shape[1]], blank)
    rows = np.full(inside.shape, blank)
    rows[inside] = np.resize(targets, inside.sum())
    return rows


def paths(labels: Array, blank: int, classes: int) -> tuple[Array, Array]:
    """The class of each state, and a mask of the states that a path may reach from two states before."""
    labels_with_blanks = np.full((len(labels), 2 * labels.shape[1] + 1), blank)
    labels_with_blanks[:, 1::2] = np.where((labels >= 0) & (labels < classes), labels, blank)
    jumps = np.zeros(labels_with_blanks.shape, bool)
    jumps[:, 2:] = (labels_with_blanks[:, 2:] != blank) & (labels_with_blanks[:, 2:] != labels_with_blanks[:, :-2])
    return labels_with_blanks, jumps


def stepped(state: Array, jumps: Array) -> Array:
    """One step of all paths, in logarithms: from a state to itself, to the next one, and over a blank."""
    moved = np.full((2, *state.shape), -np.inf, state.dtype)
    moved[0, :, 1:] = state[:, :-1]
    moved[1, :, 2:] = np.where(jumps[:, 2:], state[:, :-2], -np.inf)
    return np.logaddexp(np.logaddexp(state, moved[0]), moved[1])


def _arrays(lengths: tuple[int, ...], times: tuple[int, ...], count: int) -> tuple[Array, Array, Array]:
    """The last state of each sample, its time steps, and the numbers of all states."""
    return 2 * np.array(lengths), np.array(times), np.arange(count)


def likelihood(
    logs: Array, labels: Array, *, times: tuple[int, ...], lengths: tuple[int, ...], blank: int, zero: bool, room: int
) -> tuple[Array, Array]:  # fmt: skip
    classes, jumps = paths(labels, blank, logs.shape[2])
    samples = np.arange(len(labels))
    last, ends, places = _arrays(lengths, times, classes.shape[1])
    live = places <= last[:, None]
    alpha = np.full((len(labels), len(logs), room), -np.inf, logs.dtype)
    state = np.where(live & (places < 2), 0, -np.inf).astype(logs.dtype)
    for time in range(max(times)):
        state = state if time == 0 else stepped(state, jumps)
        state = np.where(live, state + np.take_along_axis(logs[time], classes, 1), -np.inf)
        alive = ends > time
        alpha[alive, time, : state.shape[1]] = state[alive]
    # a sample without time steps has no state; the row that is read for it is not used
    end = np.where(ends[:, None] > 0, alpha[samples, ends - 1], -np.inf)
    before_last = np.where(last > 0, end[samples, np.maximum(last - 1, 0)], -np.inf)
    loss = -np.logaddexp(end[samples, last], before_last)
    return (np.where(np.isinf(loss), 0, loss) if zero else loss), alpha


def gradient(
    logs: Array, labels: Array, grad: Array, loss: Array, alpha: Array, *, times: tuple[int, ...],
    lengths: tuple[int, ...], blank: int, zero: bool,
) -> Array:  # fmt: skip
    classes, jumps = paths(labels, blank, logs.shape[2])
    samples, count = np.arange(len(labels)), classes.shape[1]
    last, ends, places = _arrays(lengths, times, count)
    live = places <= last[:, None]
    final = np.where(live & (places >= last[:, None] - 1), 0, -np.inf).astype(logs.dtype)
    onward = np.zeros_like(jumps)
    onward[:, :-2] = jumps[:, 2:]
    out, state = np.exp(logs), np.full(classes.shape, -np.inf, logs.dtype)
    for time in reversed(range(max(times))):
        state = np.where((ends == time + 1)[:, None], final, stepped(state[:, ::-1], onward[:, ::-1])[:, ::-1])
        # `state` has the paths from this step to the end, without this step, which alpha includes
        both = np.where(live, alpha[:, time, :count] + state, -np.inf)
        share = np.where(both > -np.inf, np.exp(both + loss[:, None]), 0).astype(logs.dtype)
        for step in range(count):
            out[time, samples, classes[:, step]] -= share[:, step]
        state = state + np.take_along_axis(logs[time], classes, 1)
    within = ends > np.arange(len(logs))[:, None]
    infinite = np.isinf(loss)
    scale = np.where(infinite, 0 if zero else np.nan, grad).astype(logs.dtype)
    return np.where(within[:, :, None] & ~(infinite & zero)[:, None], out * scale[:, None], 0)
