"""LSTM: backward."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array, format_name
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_NULLPTR
from aclnn.engine.arguments import Arguments, members
from aclnn.engine.operator import planned
from aclnn.engine.plan_builder import Operand
from aclnn.engine.planning import Planning
from aclnn.engine.words.types import listed
from aclnn.engine.words.values import done
from aclnn.ops.recurrent._family import (
    FLOATS,
    Bad,
    Sizes,
    as_given,
    cells,
    dimensions,
    in_time,
    joined,
    layers_needed,
    lengths,
    of_each,
    order,
    shapes,
    sizes,
    types,
)

T = aclDataType
LISTS: Final = ("i", "g", "f", "o", "h", "c", "tanhc")
SEQUENCES: Final = ("input", "dy", "dxOut")
STATES: Final = ("hx", "dh", "dc", "dhPrevOut", "dcPrevOut")


def packed(a: Arguments) -> bool:
    return a.given("batchSizesOptional")


def network(a: Arguments) -> Sizes:
    """The sizes. The lists say how many samples and hidden numbers there are."""
    samples, hidden = a["i"][0].shape[1:]
    steps = (a["batchSizesOptional"].numel, samples) if packed(a) else ()
    return replace(sizes(a, of="input", steps=steps, gates=4, hidden=hidden), samples=samples)


def counts(a: Arguments) -> Mapping[str, Any]:
    number = cells(a)
    params = [number * (4 if a["hasBias"] else 2)]
    return {"hx": [2], "params": params, "dparamsOut": params, **{name: [number] for name in LISTS}}


def ranks(a: Arguments) -> Mapping[str, Any]:
    return {"i": [3], "input": [2 if packed(a) else 3], "batchSizesOptional": [1]}


def wanted(a: Arguments) -> Mapping[str, Any]:
    """The shapes of tensors and lists."""
    n = network(a)

    def sequence(width: int) -> tuple[int, ...]:
        return (n.steps * n.samples, width) if packed(a) else n.sequence(width)

    given = {"input": n.inputs, "dxOut": n.inputs, "dy": n.directions * n.hidden}
    return {
        **{name: sequence(width) for name, width in given.items()}, **dict.fromkeys(STATES, n.state),
        "hx": [n.state] * 2, "params": n.params, "dparamsOut": n.params, **dict.fromkeys(LISTS, n.gates_of_cells),
    }  # fmt: skip


def labelled(a: Arguments, name: str) -> Bad:
    """Tensors of three dimensions have the format NCL, all others ND."""
    for each in members(a[name]):
        right = aclFormat.ACL_FORMAT_NCL if len(each.shape) == 3 else aclFormat.ACL_FORMAT_ND
        if each.storage_format != right:
            return format_name(each.storage_format), format_name(right)
    return None


def nothing(a: Arguments) -> bool:
    names = ("input", "dy", "dh", "dc", "hx", "params", *LISTS)
    return any(not each.numel for name in names for each in members(a[name]))


@planned(
    "aclnnLstmBackward", *lengths(counts, "hx", "params", *LISTS, "dparamsOut", status=ACLNN_ERR_PARAM_NULLPTR),
    listed("input", among=FLOATS), *types("dy", "dh", "dc", "dxOut", "dhPrevOut", "dcPrevOut"),
    listed("batchSizesOptional"), *types("hx", "params", *LISTS, "dparamsOut"),
    layers_needed(), *dimensions(ranks, "i", "input", "batchSizesOptional"),
    *shapes(wanted, "input", "hx", "dxOut", "dhPrevOut", "dcPrevOut", "dy", "dh", "dc", "params", "dparamsOut", *LISTS),
    *of_each("{0} has the format NCL if it has three dimensions, else ND", labelled,
             *SEQUENCES, *STATES, *LISTS, "params", "dparamsOut", "batchSizesOptional"),
    done("a tensor that is read has no elements", "input", "dy", "dh", "dc", "hx", "params", *LISTS, when=nothing),
)  # fmt: skip
def lstm_backward(p: Planning) -> None:
    """dxOut, dhPrevOut, dcPrevOut and dparamsOut = the derivatives for input, the two first states and params, from
    those for output, hy and cy, which are 0 if null. i, g, f, o, h, c and tanhc are the lists of aclnnLSTM; i to c are
    of all steps. train, dropout and outputMask have no effect: every derivative is written."""
    n = network(p)
    params, hx = p.read_all("params"), p.read_all("hx")
    lists = [p.read_all(name) for name in LISTS]
    live = [p.read("batchSizesOptional")] if packed(p) else []
    given = {name: [p.read(name)] if p.given(name) else [] for name in ("dy", "dh", "dc")}
    inputs = [in_time(p, p.read("input"), n)]
    for layer in range(n.layers - 1):
        inputs.append(joined(p, lists[4][layer * n.directions :][: n.directions]))
    slope = [in_time(p, each, n) for each in given["dy"]]
    first: dict[int, list[Operand]] = {}
    for layer in reversed(range(n.layers)):
        made: list[Operand] = []
        for direction in range(n.directions):
            at = layer * n.directions + direction
            own = params[at * n.params_of_one :][:2]
            x, *results = p.steps(
                one_direction,
                [inputs[layer], *own, *hx, *(each[at] for each in lists), *slope, *given["dh"], *given["dc"], *live],
                results_of(n, inputs[layer], own), cell=at, direction=direction, bias=n.bias,
                given=tuple(bool(each) for each in (slope, given["dh"], given["dc"])),
            )  # fmt: skip
            made.append(x)
            first[at] = results[:2]
            for out, result in zip(p["dparamsOut"][at * n.params_of_one :], results[2:], strict=False):
                p.put(out, result, "dparamsOut")
        slope = [p.step(added, made, made[0].shape, T.ACL_FLOAT)]
    dx = as_given(p, slope[0], n)
    p.store("dxOut", p.builder.reshape(dx, p.shape("dxOut")))
    for place, name in enumerate(("dhPrevOut", "dcPrevOut")):
        p.store(name, p.step(stacked, [first[at][place] for at in range(n.cells)], n.state, T.ACL_FLOAT))


def results_of(n: Sizes, x: Operand, params: list[Operand]) -> list[tuple[tuple[int, ...], int]]:
    """Shapes and types: the derivatives for the inputs, the first h and c, and the parameters. All are float32."""
    state = (n.samples, n.hidden)
    rows = [(4 * n.hidden,)] * (n.params_of_one - 2)
    return [(shape, T.ACL_FLOAT) for shape in (x.shape, state, state, *(each.shape for each in params), *rows)]


def added(*slopes: Array) -> Array:
    return sum(slopes[1:], slopes[0])


def stacked(*states: Array) -> Array:
    return np.stack(states)


def one_direction(
    x: Array, w_ih: Array, w_hh: Array, h0: Array, c0: Array, i: Array, g: Array, f: Array, o: Array, h: Array,
    c: Array, tanh: Array, *rest: Array, cell: int, direction: int, bias: bool, given: tuple[bool, bool, bool],
) -> tuple[Array, ...]:  # fmt: skip
    """The derivatives of one direction. `rest`: those for the output of the layer and for the last states of all cells,
    as far as `given`, and the numbers of live samples."""
    more = list(rest)
    steps, samples, hidden = i.shape
    dy = more.pop(0)[..., direction * hidden :][..., :hidden] if given[0] else np.zeros_like(i)
    dh, dc = (more.pop(0)[cell] if each else np.zeros((samples, hidden), np.float32) for each in given[1:])
    before = before_each(h, h0[cell], reverse=bool(direction)), before_each(c, c0[cell], reverse=bool(direction))
    gates = np.empty((steps, samples, 4 * hidden), np.float32)
    for t in order(steps, reverse=not direction):
        old_h, old_c = dh, dc
        dh = dh + dy[t]
        dc = dc + dh * o[t] * (1 - tanh[t] * tanh[t])
        gates[t] = np.concatenate([
            dc * g[t] * i[t] * (1 - i[t]), dc * before[1][t] * f[t] * (1 - f[t]), dc * i[t] * (1 - g[t] * g[t]),
            dh * tanh[t] * o[t] * (1 - o[t]),
        ], axis=-1)  # fmt: skip
        dc = dc * f[t]
        if more:
            live = (np.arange(samples) < more[0][t])[:, None]
            gates[t] = np.where(live, gates[t], 0)
            dc = np.where(live, dc, old_c)
        dh = gates[t] @ w_hh
        if more:
            dh = np.where(live, dh, old_h)
    flat = gates.reshape(steps * samples, -1)
    biases = [flat.sum(axis=0)] * 2 if bias else []
    return (
        gates @ w_ih, dh, dc, flat.T @ x.reshape(steps * samples, -1), flat.T @ before[0].reshape(-1, hidden), *biases
    )  # fmt: skip


def before_each(states: Array, first: Array, *, reverse: bool) -> Array:
    """The state before each step."""
    if reverse:
        return np.concatenate([states[1:], first[None]])
    return np.concatenate([first[None], states[:-1]])
