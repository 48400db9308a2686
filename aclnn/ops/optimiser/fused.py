"""Optimisers of lists of tensors: FusedAdamw and FusedSgd."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from aclnn.op import (
    UP_TO_32_BITS, Arguments, Array, Bad, Planning, Relation, Series, before_nulls, demand, listed, not_negative,
    one_element, planned, ranks, same_count, same_dtype, same_shapes, uniform, with_tensors,
)  # fmt: skip
from aclnn.ops.optimiser.adam import after_step, number

SMALL: Final = 1e-6
"""a momentum or dampening below this is treated as 0"""


# AdamW


STATE: Final = ("grads", "expAvgsRef", "expAvgSqsRef")
ALL: Final = (*STATE, "maxExpAvgSqsRef")


def amsgrad_without_list(a: Arguments) -> Bad:
    return ("true", "false, as maxExpAvgSqs is null") if a["amsgrad"] and not a.given("maxExpAvgSqsRef") else None


def several(a: Arguments) -> Bad:
    wrong = [list(step.shape) for step in a["stateSteps"] if step.numel != 1]
    return (wrong[0], "one element") if wrong else None


@planned(
    "aclnnFusedAdamw",
    before_nulls((), *map(not_negative, ("lr", "beta1", "beta2", "weightDecay")),
                 demand("{0} comes with maxExpAvgSqs", "amsgrad", bad=amsgrad_without_list)),
    with_tensors("paramsRef"), *(same_count(name, "paramsRef") for name in (*ALL, "stateSteps")),
    listed("stateSteps"), uniform("stateSteps"), listed("paramsRef", among=UP_TO_32_BITS), uniform("paramsRef"),
    *(same_dtype(name, as_="paramsRef") for name in ALL), *(same_shapes(name, "paramsRef") for name in STATE),
    demand("the tensors of {0} have one element", "stateSteps", bad=several),
    one_element("gradScaleOptional"), one_element("foundInfOptional"),
)  # fmt: skip
def fused_adamw(p: Planning) -> None:
    """aclnnApplyAdamWV2 for each tensor of the lists. Gradients are divided by gradScale first. If foundInf is 1,
    nothing changes."""
    names = ["paramsRef", "expAvgsRef", "expAvgSqsRef", "maxExpAvgSqsRef"][: 4 if p["amsgrad"] else 3]
    lists = [p.read_all(name) for name in [*names[:3], "grads", "stateSteps", *names[3:]]]
    present = [name for name in ("gradScaleOptional", "foundInfOptional") if p.given(name)]
    settings = {name: p[name] for name in ("lr", "beta1", "beta2", "weightDecay", "eps", "maximize")}
    settings |= {"weighted": p.soc.series is Series.A950, "flags": tuple(present)}
    for index, rows in enumerate(zip(*lists, strict=True)):
        targets = [p[name][index] for name in names]
        if targets[0].numel:
            shape = targets[0].shape
            most = [p.builder.reshape(row, shape) for row in rows[5:]]  # the shape of this tensor is not checked
            inputs = [*(p.read(name) for name in present), *rows[:5], *most]
            results = p.steps(unless_found, inputs, [(shape, each.dtype) for each in targets], **settings)
            for name, target, result in zip(names, targets, results, strict=True):
                p.put(target, p.builder.reshape(result, target.shape), name)


def unless_found(*arrays: Array, flags: tuple[str, ...], **settings: Any) -> tuple[Array, ...]:
    """One step of AdamW, unless foundInf is 1. `flags`: the names of the scalars before the tensors in `arrays`."""
    numbers = dict(zip(flags, map(number, arrays), strict=False))
    var, m, v, grad, step, *most = arrays[len(flags) :]
    if numbers.get("foundInfOptional") == 1:
        return var, m, v, *most
    return after_step(var, m, v, grad / np.float32(numbers.get("gradScaleOptional", 1)), step, *most, **settings)


# stochastic gradient descent


def plain(a: Arguments) -> bool:
    """True if there is no momentum."""
    return abs(a["momentum"]) < SMALL


def nesterov_without_momentum(a: Arguments) -> Bad:
    wrong = a["nesterov"] and (a["momentum"] <= 0 or abs(a["dampening"]) >= SMALL)
    return ("true", "false, or momentum above 0 and dampening 0") if wrong else None


def buffers(a: Arguments) -> tuple[Any, ...]:
    return a["momentumBufferListOptionalRef"] or ()


def momentum_unfit_for_buffers(a: Arguments) -> Bad:
    has_buffers = bool(buffers(a))
    return None if has_buffers != plain(a) else (a["momentum"], "0" if not has_buffers else f"at least {SMALL}")


def with_buffers(judge: Callable[[Arguments], bool], sentence: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return ("tensors", "those of paramsRef") if buffers(a) and not judge(a) else None

    return demand(sentence, "momentumBufferListOptionalRef", "paramsRef", bad=bad)


@planned(
    "aclnnFusedSgd",
    before_nulls((), *map(not_negative, ("weightDecay", "momentum", "lr")),
                 demand("{0} comes with momentum, and without dampening", "nesterov", bad=nesterov_without_momentum),
                 demand("{0} is 0 without momentumBufferList, and more with it", "momentum",
                        bad=momentum_unfit_for_buffers)),
    with_tensors("paramsRef"), same_count("gradsRef", "paramsRef"),
    with_buffers(lambda a: len(buffers(a)) == len(a["paramsRef"]), "{0} has as many tensors as {1}"),
    listed("paramsRef"), uniform("paramsRef"), same_dtype("gradsRef", as_="paramsRef"),
    with_buffers(
        lambda a: {buffer.dtype for buffer in buffers(a)} == {a["paramsRef"][0].dtype}, "{0} has the type of {1}"
    ),
    ranks("paramsRef", least=0, most=8), same_shapes("gradsRef", "paramsRef"),
    with_buffers(lambda a: [buffer.shape for buffer in buffers(a)] == [buffer.shape for buffer in a["paramsRef"]],
                 "the tensors of {0} have the shapes of those of {1}"),
    one_element("gradScaleOptional"),
)  # fmt: skip
def fused_sgd(p: Planning) -> None:
    """grads = grads / gradScale; g = grads, or -grads if maximize, plus weightDecay * params;
    buffer = g at the first step, later momentum * buffer + (1 - dampening) * g;
    params = params - lr * d, where d is g without momentum, g + momentum * buffer with nesterov, else buffer."""
    names = ["paramsRef", "gradsRef", *(["momentumBufferListOptionalRef"] if buffers(p) else [])]
    scale = [p.read("gradScaleOptional")] if p.given("gradScaleOptional") else []
    settings = {name: p[name] for name in ("weightDecay", "momentum", "lr", "dampening", "nesterov", "maximize")}
    settings |= {"first": p["isFirstStep"], "scaled": bool(scale)}
    for index, rows in enumerate(zip(*(p.read_all(name) for name in names), strict=True)):
        targets = [p[name][index] for name in names]
        results = p.steps(descended, [*scale, *rows], [(each.shape, each.dtype) for each in targets], **settings)
        for name, target, result in zip(names, targets, results, strict=True):
            p.put(target, result, name)


def descended(
    *arrays: Array, weightDecay: float, momentum: float, lr: float, dampening: float, nesterov: bool, maximize: bool,
    first: bool, scaled: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """The parameter, its gradient, and the buffer if there is one."""
    x, grad, *buffer = arrays[scaled:]
    grad = grad / np.float32(number(arrays[0])) if scaled else grad
    g = (-grad if maximize else grad) + x * weightDecay
    if not buffer:
        return x - g * lr, grad
    momentum_term = g if first else buffer[0] * momentum + g * (1 - dampening)
    return x - (g + momentum_term * momentum if nesterov else momentum_term) * lr, grad, momentum_term
