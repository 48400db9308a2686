"""LSTM: backward."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, FLOAT_OR_HALF, Arguments, Array, Bad, Operand, Planning, T, aclFormat, done, format_name,
    in_memory, listed, members, planned, positive, store, widen,
)  # fmt: skip
from aclnn.ops.recurrent._family import (
    NetSizes,
    cells,
    dimensions,
    lengths,
    member,
    of_each,
    shapes,
    sizes,
    types,
)
from aclnn.ops.recurrent._steps import (
    back,
    back_through_layers,
    before_step,
    derivatives,
    earlier,
    in_float,
    in_time,
    living,
    order,
    stacked,
)

STEPS: Final = ("i", "g", "f", "o", "h", "c", "tanhc")
SEQUENCES: Final = ("input", "dy", "dxOut")
STATES: Final = ("hx", "dh", "dc", "dhPrevOut", "dcPrevOut")


def packed(a: Arguments) -> bool:
    return a.given("batchSizesOptional")


def network(a: Arguments) -> NetSizes:
    """The sizes. The numbers of samples and of hidden units are those of the lists."""
    samples, hidden = a["i"][0].shape[1:]
    steps = (a["batchSizesOptional"].numel, samples) if packed(a) else ()
    return replace(sizes(a, of="input", steps=steps, gates=4, hidden=hidden), samples=samples)


def counts(a: Arguments) -> Mapping[str, Any]:
    number = cells(a)
    params = [number * (4 if a["hasBias"] else 2)]
    return {"hx": [2], "params": params, "dparamsOut": params, **{name: [number] for name in STEPS}}


def ranks(a: Arguments) -> Mapping[str, Any]:
    return {"i": [3], "input": [2 if packed(a) else 3], "batchSizesOptional": [1]}


def expected(a: Arguments) -> Mapping[str, Any]:
    n = network(a)

    def sequence(width: int) -> tuple[int, ...]:
        return (n.steps * n.samples, width) if packed(a) else n.sequence(width)

    widths = {"input": n.inputs, "dxOut": n.inputs, "dy": n.directions * n.hidden}
    of_steps = {"dy": (n.steps, n.samples, widths["dy"])} if packed(a) and a.given("dy") and a.rank("dy") == 3 else {}
    return {
        **{name: sequence(width) for name, width in widths.items()}, **of_steps, **dict.fromkeys(STATES, n.state),
        "hx": [n.state] * 2, "params": n.params, "dparamsOut": n.params, **dict.fromkeys(STEPS, n.gates_of_cells),
    }  # fmt: skip


def labelled(a: Arguments, name: str) -> Bad:
    """Checks that tensors of three dimensions have the format NCL, all others ND."""
    for index, tensor in enumerate(members(a[name])):
        right = aclFormat.ACL_FORMAT_NCL if len(tensor.shape) == 3 else aclFormat.ACL_FORMAT_ND
        if tensor.storage_format != right:
            return f"{member(a, name, index)}{format_name(tensor.storage_format)}", format_name(right)
    return None


def nothing(a: Arguments) -> bool:
    names = ("input", "dy", "dh", "dc", "hx", "params", *STEPS)
    return any(not tensor.numel for name in names for tensor in members(a[name]))


@planned(
    "aclnnLstmBackward", *lengths(counts, "hx", "params", *STEPS, "dparamsOut", status=ACLNN_ERR_PARAM_NULLPTR),
    listed("input", among=FLOAT_OR_HALF), *types("dy", "dh", "dc", "dxOut", "dhPrevOut", "dcPrevOut"),
    listed("batchSizesOptional"), *types("hx", "params", *STEPS, "dparamsOut"),
    positive("numLayers"), *dimensions(ranks, "i", "input", "batchSizesOptional"),
    *shapes(expected, "input", "hx", "dxOut", "dhPrevOut", "dcPrevOut", "dy", "dh", "dc", "params", "dparamsOut",
            *STEPS),
    *of_each("{0} has the format NCL if it has three dimensions, else ND", labelled,
             *SEQUENCES, *STATES, *STEPS, "params", "dparamsOut", "batchSizesOptional"),
    done("a tensor that is read has no elements", "input", "dy", "dh", "dc", "hx", "params", *STEPS, when=nothing),
)  # fmt: skip
def lstm_backward(p: Planning) -> None:
    """dxOut, dhPrevOut, dcPrevOut and dparamsOut = the derivatives for input, the two first states and params, from the
    derivatives for output, hy and cy, which are 0 if null. With batchSizesOptional dy may have the shape of output,
    too. i, g, f, o, h, c and tanhc are the lists of aclnnLSTM, of all steps. train, dropout and outputMask have no
    effect: every derivative is written."""
    n = network(p)
    params, hx = p.read_all("params"), p.read_all("hx")
    lists, h = [p.read_all(name) for name in STEPS if name != "h"], p.read_all("h")
    live = [p.read("batchSizesOptional")] if packed(p) else []
    grads = {name: [p.read(name)] if p.given(name) else [] for name in ("dy", "dh", "dc")}
    grad = [in_time(p, each, n) for each in grads["dy"]]

    def plan_cell(cell: int, x: Operand, grad: list[Operand]) -> list[Operand]:
        weights = n.of_cell(params, cell)[:2]
        states_before = earlier(p, n, h[cell], hx[0], cell)
        gates = ((n.steps, n.samples, 4 * n.hidden), T.ACL_FLOAT)
        return p.steps(
            one_direction,
            [p.builder.cast(x, T.ACL_FLOAT), *weights, states_before, hx[1], *(list_[cell] for list_ in lists), *grad,
             *grads["dh"], *grads["dc"], *live],
            [*derivatives(n, x, states=2, cell=cell), gates], cell=cell, direction=cell % n.directions, bias=n.bias,
            present=tuple(bool(each) for each in (grad, grads["dh"], grads["dc"])),
        )[:-1]  # fmt: skip

    first = back_through_layers(p, n, h, grad, plan_cell)
    for place, name in enumerate(("dhPrevOut", "dcPrevOut")):
        p.store(name, p.step(stacked, [each[place] for each in first], n.state, T.ACL_FLOAT))


@in_memory
def one_direction(
    x: Array, w_ih: Array, w_hh: Array, hidden_before: Array, c0: Array, i: Array, g: Array, f: Array, o: Array,
    c: Array, tanh: Array, *rest: Array, out: Sequence[Array], cell: int, direction: int, bias: bool,
    present: tuple[bool, bool, bool],
) -> None:  # fmt: skip
    """The derivatives of one direction. The last output has the derivatives for the gates. `hidden_before`: the hidden
    states before each step. `rest`: the derivatives for the output of the layer and for the two last states of all
    cells, if given (`present`), and the numbers of live samples."""
    dx, dh_first, dc_first, d_w_ih, d_w_hh, *biases, gates = out
    more = list(rest)
    steps, samples, hidden = i.shape
    none = cast("Array", np.broadcast_to(np.float32(0), (steps, samples, (direction + 1) * hidden)))
    dy = more.pop(0) if present[0] else none
    dy = dy[..., direction * hidden :][..., :hidden]
    w_ih, w_hh, *more = in_float(w_ih, w_hh, *more, out=out)
    dh, dc = (more.pop(0)[cell] if each else np.zeros((samples, hidden), np.float32) for each in present[1:])
    for t in order(steps, reverse=not direction):
        i_t, g_t, f_t, o_t, tanh_t, dy_t = (widen(each[t]) for each in (i, g, f, o, tanh, dy))
        c_before = widen(before_step(c, c0[cell], t, reverse=bool(direction)))
        old_h, old_c = dh, dc
        dh = dh + dy_t
        dc = dc + dh * o_t * (1 - tanh_t * tanh_t)
        gates[t] = np.concatenate([
            dc * g_t * i_t * (1 - i_t), dc * c_before * f_t * (1 - f_t), dc * i_t * (1 - g_t * g_t),
            dh * tanh_t * o_t * (1 - o_t),
        ], axis=-1)  # fmt: skip
        dc = dc * f_t
        grad = back(gates[t], w_hh)
        if more:
            live = living(samples, more[0], t)
            gates[t] = np.where(live, gates[t], 0)
            dh, dc = np.where(live, grad, old_h), np.where(live, dc, old_c)
        else:
            dh = grad
        store(back(gates[t], w_ih), dx[t])
    flat = gates.reshape(steps * samples, -1)
    columns = np.transpose(flat)
    results = [dh, dc, back(columns, x.reshape(steps * samples, -1)), back(columns, hidden_before.reshape(-1, hidden))]
    results += [flat.sum(axis=0)] * 2 if bias else []
    for result, memory in zip(results, (dh_first, dc_first, d_w_ih, d_w_hh, *biases), strict=True):
        store(result, memory)
