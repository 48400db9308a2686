"""Routes for CtcLoss and its gradient: torch, and a loop over states in probabilities, without logarithms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.route import Route, as_tensor, but, route, unit

Given = dict[str, Any]


def samples(given: Given) -> Iterator[tuple[int, np.ndarray, list[int], int]]:
    """Of each sample its number, the probabilities in its time, the classes of its states, and the number of steps."""
    logs = given["logProbs"] if given["logProbs"].ndim == 3 else given["logProbs"][:, None]
    lengths = given.get("targetlengths", given.get("targetLengths"))
    assert lengths is not None
    start = 0
    for at, (time, length) in enumerate(zip(given["inputLengths"], lengths, strict=True)):
        labels = given["targets"][start : start + length] if given["targets"].ndim == 1 else given["targets"][at]
        start += length
        classes = [given["blank"]]
        for label in labels[:length]:
            classes += [int(label), given["blank"]]
        yield at, np.exp(logs[:time, at]), classes, time


def sources(classes: list[int], state: int) -> list[int]:
    """The states before this one."""
    jump = state > 1 and classes[state] not in (classes[state - 1], classes[state - 2])
    return [state, *([state - 1] if state else []), *([state - 2] if jump else [])]


def ctc_loss(**given: Any) -> list[np.ndarray]:
    count = len(given["inputLengths"])
    alpha, loss = np.full(given["logAlphaOut"].shape, -np.inf), np.zeros(count)
    for at, chance, classes, time in samples(given):
        ways = np.zeros((time, len(classes)))
        for step in range(time):
            for state, each in enumerate(classes):
                before = float(state < 2) if step == 0 else sum(ways[step - 1, one] for one in sources(classes, state))
                ways[step, state] = before * chance[step, each]
        with np.errstate(divide="ignore"):
            alpha[at, :time, : len(classes)] = np.log(ways)
            loss[at] = -np.log(ways[-1, -2:].sum())
    loss = np.where(np.isinf(loss) & given["zeroInfinity"], 0.0, loss)
    return [loss.reshape(given["negLogLikelihoodOut"].shape), alpha]


def ctc_loss_backward(**given: Any) -> np.ndarray:
    return differences(-1, given)


def of_probabilities(arguments: Given, exact: np.ndarray, dtype: str) -> np.ndarray:
    """The two probabilities are exponentials of sums of logarithms."""
    return 16 * unit(dtype) * np.abs(differences(1, arguments))


def differences(sign: int, given: Given) -> np.ndarray:
    """The probabilities of the classes, plus or minus those of the paths."""
    out = np.zeros(given["logProbs"].shape)
    for at, chance, classes, time in samples(given):
        loss = given["negLogLikelihood"][at]
        if np.isinf(loss):
            out[:time, at] = 0.0 if given["zeroInfinity"] else np.nan
            continue
        left = np.zeros((time, len(classes)))
        left[-1, -2:] = 1
        for step in range(time - 2, -1, -1):
            for state, each in enumerate(classes):
                for one in sources(classes, state):
                    left[step, one] += left[step + 1, state] * chance[step + 1, each]
        share = np.exp(given["logAlpha"][at, :time, : len(classes)] + loss) * left
        for state, each in enumerate(classes):
            chance[:, each] += sign * share[:, state]
        out[:time, at] = chance * given["gradOut"][at]
    return out


def torch_ctc_loss(**given: Any) -> list[Any]:
    """Where a sample has ended, and behind its states, torch says nothing."""
    import torch

    logs = given["logProbs"] if given["logProbs"].ndim == 3 else given["logProbs"][:, None]
    targets = as_tensor(np.asarray(given["targets"]).astype(np.int64))
    if targets.ndim == 2:
        targets = targets[:, : max(given["targetlengths"])]
    loss, made = torch.ops.aten._ctc_loss(
        as_tensor(logs), targets, given["inputLengths"], given["targetlengths"], given["blank"], given["zeroInfinity"],
    )  # fmt: skip
    alpha = np.full(given["logAlphaOut"].shape, -np.inf)
    for at, _, classes, time in samples(given):
        alpha[at, :time, : len(classes)] = made.numpy()[at, :time, : len(classes)]
    if given["zeroInfinity"]:
        loss = loss.where(~loss.isinf(), torch.zeros_like(loss))
    return [loss.reshape(given["negLogLikelihoodOut"].shape).numpy(), alpha]


def torch_backward(**given: Any) -> Any:
    import torch

    targets = given["targets"].astype(np.int64)
    states = 2 * max(given["targetLengths"]) + 1
    return torch.ops.aten._ctc_loss_backward(
        *map(as_tensor, (given["gradOut"], given["logProbs"], targets)), given["inputLengths"], given["targetLengths"],
        as_tensor(given["negLogLikelihood"]), as_tensor(given["logAlpha"][:, :, :states]), given["blank"],
        given["zeroInfinity"],
    ).numpy()  # fmt: skip


def labels(x: np.ndarray) -> np.ndarray:
    """0 and 1; the blank is 2."""
    return np.abs(x) % 2 >= 1


def all_steps(given: Given) -> list[int]:
    return [len(given["logProbs"])] * len(given["inputLengths"])


IN_A_ROW = {"targets": Meta((3,), ACL_INT64)}
SINGLE = {
    "logProbs": Meta((5, 3)), "inputLengths": Values((5,)), "targetlengths": Values((2,)),
    "targets": Meta((1, 2), ACL_INT64), "negLogLikelihoodOut": Meta(()), "logAlphaOut": Meta((1, 5, 8)),
}  # fmt: skip
SHORT = {"inputLengths": Values((1, 4))}

ROUTES: tuple[Route, ...] = (
    route("aclnnCtcLoss", "loop in probabilities", ctc_loss, bound="composite",
          torch=("torch._ctc_loss", torch_ctc_loss), values={"targets": labels},
          also=[IN_A_ROW, SINGLE, SHORT, {**SHORT, "zeroInfinity": True}],
          groups=[["logProbs", "negLogLikelihoodOut", "logAlphaOut"], ["targets"]],
          wrong={"another blank": but(ctc_loss, blank=1),
                 "all steps": but(ctc_loss, inputLengths=all_steps)}),
    route("aclnnCtcLossBackward", "loop in probabilities", ctc_loss_backward, bound=of_probabilities,
          torch=("torch._ctc_loss_backward", torch_backward), values={"targets": labels},
          also=[IN_A_ROW, SHORT],
          groups=[["gradOut", "logProbs", "negLogLikelihood", "logAlpha", "out"], ["targets"]],
          wrong={"another blank": but(ctc_loss_backward, blank=1),
                 "all steps": but(ctc_loss_backward, inputLengths=all_steps),
                 "the gradient of 1": but(ctc_loss_backward, gradOut=lambda given: np.ones_like(given["gradOut"]))}),
)  # fmt: skip
