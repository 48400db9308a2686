"""BidirectionLSTM and V2, of inference products: one layer in one direction or in both. V2 supports samples that end
early, and packed rows, without padding for samples that have ended."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, TILING, Arguments, Array, Bad, Operand, Planning, Relation, aclDataType, demand, generated,
    listed, planned, ranks,
)  # fmt: skip
from aclnn.ops.recurrent._family import of_each, shape_of
from aclnn.ops.recurrent._steps import joined, last_states
from aclnn.ops.recurrent.lstm import one_direction

WEIGHTS: Final = ("wIh", "wHh")
BIASES: Final = ("bIhOptional", "bHhOptional")
BACK: Final = ("wIhReverseOptional", "wHhReverseOptional")
BACK_BIASES: Final = ("bIhReverseOptional", "bHhReverseOptional")
OUTS: Final = ("yOut", "outputHOut", "outputCOut")
LENGTHS: Final = "batchSizeOptional"
TENSORS: Final = ("x", "initH", "initC", *WEIGHTS, *BIASES, *BACK, *BACK_BIASES, *OUTS)


def used(a: Arguments) -> dict[str, str]:
    """The optional tensors that a call needs, each with the flag that makes it needed."""
    flags: dict[str, str] = dict.fromkeys(BIASES, "isbias")
    if a["bidirection"]:
        flags |= dict.fromkeys(BACK, "bidirection")
        flags |= dict.fromkeys(BACK_BIASES, "isbias")
    return {name: flag for name, flag in flags.items() if a[flag]}


def missing(flag: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        null = [name for name, needed in used(a).items() if needed == flag and not a.given(name)]
        return ("true", f"false, as {null[0]} is null") if null else None

    return demand("the tensors that {0} makes needed are not null", flag, bad=bad, status=ACLNN_ERR_PARAM_NULLPTR)


def attribute(name: str, value: Any) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a[name] == value else (a[name], value)

    return demand(f"{{0}} is {value}", name, bad=bad, status=TILING)


def shortened(a: Arguments) -> bool:
    """True if samples end early. Only V2 has the numbers of live samples by step."""
    return a.op.c_name().endswith("V2") and a.given(LENGTHS)


def packed(a: Arguments) -> bool:
    """True if x has rows of live samples, without padding."""
    return shortened(a) and a["packed"]


def expected(a: Arguments) -> Mapping[str, Any]:
    """The shapes that follow from the network. Those of x and yOut have two dimensions if the call is packed."""
    steps = a[LENGTHS].numel if shortened(a) else a.shape("x")[0]
    inputs = a.shape("x")[-1]
    directions = 2 if a["bidirection"] else 1
    _, samples, hidden = a.shape("initH")
    lead = a.shape("x")[:1] if packed(a) else (steps, samples)
    states = dict.fromkeys(("initH", "initC", "outputHOut", "outputCOut"), (directions, samples, hidden))
    weights = {name: (4 * hidden, inputs if "wIh" in name else hidden) for name in (*WEIGHTS, *BACK)}
    biases = dict.fromkeys((*BIASES, *BACK_BIASES), (4 * hidden,))
    return {"x": (*lead, inputs), "yOut": (*lead, directions * hidden), **states, **weights, **biases}


def of_shape(a: Arguments, name: str) -> Bad:
    """Checks the shape of a tensor that the call needs."""
    if name in (*BIASES, *BACK, *BACK_BIASES) and name not in used(a):
        return None
    return shape_of(a, name, expected(a)[name])


def flat(a: Arguments) -> Bad:
    shape, dims = a.shape("x"), 2 if packed(a) else 3
    return None if len(shape) == dims else (list(shape), f"{dims} dimensions")


SHAPES: Final = of_each("{0} has the shape that follows from the network", of_shape, *TENSORS, status=TILING)


@planned(
    "aclnnBidirectionLSTM", generated(), listed(*TENSORS), attribute("numLayers", 1), attribute("batchFirst", False),
    missing("isbias"), missing("bidirection"), ranks("x", "initH", least=3, most=3, status=TILING),
    *SHAPES,
)  # fmt: skip
def bidirection_lstm(p: Planning) -> None:
    """Like aclnnLSTM of one layer, with its weights as single tensors. yOut has h of all steps, outputHOut and
    outputCOut the last h and c of each direction."""
    n = expected(p)
    p.store("yOut", all_steps(p, p.read("x"), n["x"][0], []))


@planned(
    "aclnnBidirectionLSTMV2", generated(), listed(*TENSORS), listed(LENGTHS, among=(aclDataType.ACL_INT32,)),
    attribute("numLayers", 1), attribute("batchFirst", False), missing("isbias"), missing("bidirection"),
    ranks(LENGTHS, least=1, most=1, status=TILING),
    demand("{0} has three dimensions, or two if the call is packed", "x", bad=flat, status=TILING),
    ranks("initH", least=3, most=3, status=TILING), *SHAPES,
)  # fmt: skip
def bidirection_lstm_v2(p: Planning) -> None:
    """Like aclnnBidirectionLSTM. At step t the first batchSizeOptional[t] samples are live: other samples keep their
    states, and have the output 0. If the call is packed, x and yOut have a row for each live sample of each step."""
    n = expected(p)
    samples = n["initH"][1]
    if not shortened(p):
        p.store("yOut", all_steps(p, p.read("x"), n["x"][0], []))
        return
    lengths, steps = p.read(LENGTHS), p[LENGTHS].numel
    x = p.read("x")
    if packed(p):
        padded = (steps, samples, x.shape[1])
        x = p.step(unpacked, [x, lengths], padded, x.dtype, moves=True, samples=samples)
    y = all_steps(p, x, steps, [lengths])
    if packed(p):
        y = p.step(repacked, [y, lengths], n["yOut"], y.dtype, moves=True, rows=n["yOut"][0])
    p.store("yOut", y)


def live_mask(lengths: Array, samples: int) -> Array:
    """The mask of the samples that are live at each step."""
    return np.arange(samples) < lengths[:, None]


def unpacked(x: Array, lengths: Array, *, samples: int) -> Array:
    """All samples of all steps, from the rows of live samples. Other samples are zeros. Surplus rows are ignored."""
    live = live_mask(lengths, samples)
    padded = np.zeros((*live.shape, x.shape[1]), x.dtype)
    steps, columns = (each[: len(x)] for each in np.nonzero(live))
    padded[steps, columns] = x[: len(steps)]
    return padded


def repacked(y: Array, lengths: Array, *, rows: int) -> Array:
    packed_rows = np.zeros((rows, y.shape[2]), y.dtype)
    live = y[live_mask(lengths, y.shape[1])][:rows]
    packed_rows[: len(live)] = live
    return packed_rows


def all_steps(p: Planning, x: Operand, steps: int, lengths: list[Operand]) -> Operand:
    """Plans the output of all steps, and stores the last states."""
    n = expected(p)
    _, samples, hidden = n["initH"]
    first = [p.read("initH"), p.read("initC")]
    result = ((steps, samples, hidden), x.dtype)
    results: list[Any] = []
    for cell, names in enumerate(((*WEIGHTS, *BIASES), (*BACK, *BACK_BIASES))[: n["initH"][0]]):
        inputs = [p.read(name) for name in names[: 4 if p["isbias"] else 2]]
        results.append(p.steps(
            one_direction, [x, *inputs, *first, *lengths], [result] * 8, cell=cell, states=True, bias=p["isbias"],
            reverse=bool(cell), half=True,
        ))  # fmt: skip
    for place, name in ((4, "outputHOut"), (5, "outputCOut")):
        cells = [output[place] for output in results]
        p.store(name, p.step(last_states, cells, n[name], x.dtype, moves=True, directions=len(results)))
    return joined(p, [output[7] for output in results])
