"""Losses, optimisers, dropout and the overflow status by name."""

from typing import Final

from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from aclnn.by_name.call import Named
from aclnn.by_name.row import Plan, row
from aclnn.by_name.uses import copy, described

T = aclDataType
STATE: Final = ("var", "m", "v")
DECAYED: Final = ("beta1_power", "beta2_power", "lr", "weight_decay", "beta1", "beta2", "epsilon")
NUMBERS: Final = ("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon")


def _results(n: Named) -> list[Tensor]:
    """The outputs, with the values of the inputs that they replace."""
    outs = [n[f"{name}_out"] for name in STATE]
    for name, out in zip(STATE, outs, strict=True):
        copy(n, n[name], out)
    return outs


def apply_adam_w(n: Named) -> None:
    """aclnnApplyAdamW"""
    numbers = [_number(n, name) for name in DECAYED]
    outs = _results(n)
    n.aclnn("aclnnApplyAdamW", *outs, *numbers, n["grad"], n["max_grad_norm"], n["amsgrad"], n["maximize"])


def apply_adam(n: Named) -> None:
    """aclnnApplyAdam"""
    numbers = [_number(n, name) for name in NUMBERS]
    outs = _results(n)
    n.aclnn("aclnnApplyAdam", *outs, *numbers, n["grad"], n["use_locking"], n["use_nesterov"])


def _number(n: Named, name: str) -> Tensor:
    """A number as a tensor of one dimension."""
    return n.viewed(n[name], (1,))


def loss(function: str, *arguments: str) -> Plan:
    """A loss, or its derivative."""

    def plan(n: Named) -> None:
        values = [n[argument] for argument in arguments]
        n.aclnn(function, *(REDUCTIONS.index(value) if isinstance(value, str) else value for value in values))

    return described(plan, function)


def dropout_mask(n: Named) -> None:
    """aclnnDropoutDoMask with 1 - keep_prob"""
    n.aclnn("aclnnDropoutDoMask", n["x"], n["mask"], 1 - float(n.number("keep_prob")), n["y"])


def generate_mask(n: Named) -> None:
    """aclnnDropoutGenMaskV2 with 1 - prob, which keeps an element with the probability prob"""
    offset = n.ints("offset")
    n.aclnn("aclnnDropoutGenMaskV2", n.ints("shape"), 1 - float(n.number("prob")), int(n.number("seed")),
            offset[-1] if offset else 0, n.arguments.tensors["prob"].dtype, n["y"])  # fmt: skip


def no_overflow(n: Named) -> None:
    """zeros: the emulator records no overflow"""
    for name in ("addr", "data"):
        if name in n.arguments.tensors and n[name] is not None:
            n.aclnn("aclnnInplaceZero", n[name])


def nothing(n: Named) -> None:
    """nothing: the emulator records no overflow"""


REDUCTIONS: Final = ("none", "mean", "sum", "batchmean")
"""reductions, in the order of the numbers that aclnn takes"""
MEAN: Final = {"reduction": "mean"}
ROWS: Final = (
    row("BinaryCrossEntropy", "x, y, weight? -> output",
        loss("aclnnBinaryCrossEntropy", "x", "y", "weight", "reduction", "output"), **MEAN),
    row("BinaryCrossEntropyGrad", "x, y, grad_output, weight? -> output",
        loss("aclnnBinaryCrossEntropyBackward", "grad_output", "x", "y", "weight", "reduction", "output"), **MEAN),
    row("KLDiv", "x, target -> y", loss("aclnnKlDiv", "x", "target", "reduction", "log_target", "y"), **MEAN,
        log_target=False),
    row("ApplyAdamW", "var, m, v, beta1_power, beta2_power, lr, weight_decay, beta1, beta2, epsilon, grad, "
        "max_grad_norm? -> var_out, m_out, v_out", apply_adam_w, amsgrad=False, maximize=False),
    row("ApplyAdamD", "var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad -> var_out, m_out, v_out",
        apply_adam, use_locking=False, use_nesterov=False),
    row("DropOutDoMask", "x, mask, keep_prob -> y", dropout_mask),
    row("StatelessDropOutGenMask", "shape, prob, seed, seed1, offset? -> y", generate_mask),
    row("NPUAllocFloatStatus", "-> data", no_overflow),
    row("NPUGetFloatStatus", "addr& -> data", no_overflow),
    row("NPUClearFloatStatus", "addr& -> data", no_overflow),
    row("NPUGetFloatStatusV2", "-> data?", no_overflow),
    row("NPUClearFloatStatusV2", "->", nothing),
)  # fmt: skip
