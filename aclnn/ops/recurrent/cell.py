"""One step of an LSTM after its matrix products, forward and backward."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, FLOAT_OR_HALF, Arguments, Array, Bad, Planning, Relation, aclFormat, apart_from, demand,
    empty, format_name, in_memory, in_parts, listed, only_if, planned, ranks, required, row_slices, same_dtype, store,
    widen, with_elements,
)  # fmt: skip
from aclnn.ops.activation._family import sigmoid
from aclnn.ops.recurrent._family import of_each, shapes

BIASES: Final = ("inputBiasOptional", "hiddenBiasOptional")
OUTS: Final = ("hyOut", "cyOut", "storageOut")
INPUTS: Final = ("gradCOptional", "cx", "cy", "storage")
SLOPES: Final = ("gradGatesOut", "gradCxOut")


def expected(a: Arguments) -> Mapping[str, Any]:
    samples, hidden = a.shape("cx")
    gates = dict.fromkeys(("inputGates", "hiddenGates", "storageOut"), (samples, 4 * hidden))
    states = dict.fromkeys(("hyOut", "cyOut"), (samples, hidden))
    return {**gates, **dict.fromkeys(BIASES, (4 * hidden,)), **states}


def with_(name: str, partner: str) -> Relation:
    """Checks that both biases are given, or none."""

    def bad(a: Arguments) -> Bad:
        return None if a.given(partner) else ("a tensor", f"null, as {partner} is null")

    return demand(f"{{0}} comes with {partner}", name, bad=bad, status=ACLNN_ERR_PARAM_NULLPTR)


@planned(
    "aclnnThnnFusedLstmCell", with_(*BIASES), with_(*BIASES[::-1]), empty("inputGates"),
    ranks("inputGates", "hiddenGates", "cx", *OUTS, least=2, most=2), ranks(*BIASES, least=1, most=1),
    *shapes(expected, "inputGates", "hiddenGates", *BIASES, *OUTS), listed("inputGates", among=FLOAT_OR_HALF),
    *(same_dtype(name, as_="inputGates") for name in ("hiddenGates", "cx", *BIASES, *OUTS)),
)  # fmt: skip
def cell(p: Planning) -> None:
    """i, f, g, o = the blocks of inputGates + hiddenGates + both biases; then sigmoid of i, f and o, tanh of g;
    cyOut = f * cx + i * g; hyOut = o * tanh(cyOut); storageOut = i, f, g, o"""
    names = ["inputGates", "hiddenGates", "cx", *(BIASES if p.given(BIASES[0]) else ())]
    results = [(p.shape(name), p.dtype("cx")) for name in OUTS]
    for name, result in zip(OUTS, p.steps(step, [p.read(name) for name in names], results), strict=True):
        p.store(name, result)


@in_parts(first=1, whole=[3, 4])
def step(gates_input: Array, hidden: Array, c: Array, *biases: Array) -> tuple[Array, ...]:
    """h, c and the gates after one step."""
    i, f, g, o = np.split(sum(biases, gates_input + hidden), 4, axis=-1)
    i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
    new = f * c + i * g
    return o * np.tanh(new), new, np.concatenate([i, f, g, o], axis=-1)


def expected_back(a: Arguments) -> Mapping[str, Any]:
    samples, hidden = a.shape("gradHyOptional")
    gates = dict.fromkeys(("storage", "gradGatesOut"), (samples, 4 * hidden))
    states = dict.fromkeys(("gradCOptional", "cx", "cy", "gradCxOut"), (samples, hidden))
    return {**gates, **states, "gradBiasOut": (4 * hidden,)}


def not_nd(a: Arguments, name: str) -> Bad:
    label = a[name].format
    return None if label == aclFormat.ACL_FORMAT_ND else (format_name(label), "ND")


@planned(
    "aclnnThnnFusedLstmCellBackward", required("gradHyOptional", "gradCOptional"),
    listed("gradHyOptional", among=FLOAT_OR_HALF),
    *(same_dtype(name, as_="gradHyOptional") for name in (*INPUTS, *SLOPES, "gradBiasOut")),
    ranks("gradHyOptional", least=2, most=2),
    with_elements("gradHyOptional"), *shapes(expected_back, *INPUTS, *SLOPES),
    only_if("hasBias is true", lambda a: a["hasBias"], *shapes(expected_back, "gradBiasOut")),
    *of_each("{0} has the format ND", not_nd, "gradHyOptional", *INPUTS, *SLOPES, "gradBiasOut"),
)  # fmt: skip
def cell_backward(p: Planning) -> None:
    """gradGatesOut = the derivatives for the gates before their activations, gradCxOut = the derivatives for cx, both
    from the derivatives for hy and cy. storage has i, f, g, o. gradBiasOut = the sum of gradGatesOut over the samples;
    it is written only if hasBias is true."""
    inputs = [p.read(name) for name in ("gradHyOptional", *INPUTS)]
    outs = [*SLOPES, "gradBiasOut"][: 3 if p["hasBias"] else 2]
    results = [(p.shape(name), p.dtype("cx")) for name in outs]
    for name, result in zip(outs, p.steps(all_slopes, inputs, results), strict=True):
        p.store(name, result)


@in_memory
def all_slopes(*arrays: Array, out: Sequence[Array]) -> None:
    """The slopes, computed for some samples at a time. The third output has the sums of the slopes of the gates."""
    arrays = tuple([apart_from(out, array) for array in arrays])
    sums = np.zeros(out[0].shape[1])
    for part in row_slices(*out[0].shape):
        gates, dc = slopes(*(widen(array[part]) for array in arrays))
        store(gates, out[0][part])
        store(dc, out[1][part])
        sums += gates.sum(axis=0, dtype=np.float64)
    if len(out) > 2:
        store(sums.astype(np.float32), out[2])


def slopes(dh: Array, dc: Array, cx: Array, cy: Array, storage: Array) -> tuple[Array, Array]:
    """The slopes for the gates before their activations, and for cx."""
    i, f, g, o = np.split(storage, 4, axis=-1)
    tanh = np.tanh(cy)
    dc = dc + dh * o * (1 - tanh * tanh)
    gates = np.concatenate(
        [dc * g * i * (1 - i), dc * cx * f * (1 - f), dc * i * (1 - g * g), dh * tanh * o * (1 - o)], axis=-1
    )
    return gates, dc * f
