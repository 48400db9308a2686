"""GRU: backward."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, Arguments, Array, Bad, Operand, Planning, T, aclFormat, format_name, in_memory, listed, members,
    nulls, planned, positive, store, widen,
)  # fmt: skip
from aclnn.ops.recurrent._family import (
    NetSizes,
    cells,
    dimensions,
    lengths,
    of_each,
    shapes,
    sizes,
    types,
)
from aclnn.ops.recurrent._steps import (
    back,
    back_through_layers,
    derivatives,
    earlier,
    in_float,
    in_time,
    order,
    stacked,
)
from aclnn.ops.recurrent.gru import FLAG, NO_LENGTHS

STEPS: Final = ("r", "z", "n", "hn", "h")
TENSORS: Final = ("hx", "dy", "dh", "dxOut", "dhPrevOut", "params", *STEPS, "dparamsOut")


def network(a: Arguments) -> NetSizes:
    return sizes(a, of="input", steps=(), gates=3, hidden=a.shape("hx")[-1], flag=FLAG)


def counts(a: Arguments) -> Mapping[str, Any]:
    number = cells(a, FLAG)
    params = [number * (4 if a["hasBias"] else 2)]
    return {"params": params, "dparamsOut": params, **{name: [number] for name in STEPS}}


def ranks(a: Arguments) -> Mapping[str, Any]:
    return {"input": [3], "hx": [3]}


def expected(a: Arguments) -> Mapping[str, Any]:
    n = network(a)
    states = dict.fromkeys(("hx", "dh", "dhPrevOut"), n.state)
    lists = {name: [(n.steps, n.samples, n.hidden)] * len(a[name]) for name in STEPS}
    return {"dy": n.sequence(n.directions * n.hidden), "dxOut": n.sequence(n.inputs), **states, **lists}


def labelled(a: Arguments, name: str) -> Bad:
    allowed = (aclFormat.ACL_FORMAT_ND, aclFormat.ACL_FORMAT_NCL)
    wrong = [format_name(member.format) for member in members(a[name]) if member.format not in allowed]
    return (wrong[0], "ND or NCL") if wrong else None


def has_elements(a: Arguments, name: str) -> Bad:
    return None if a[name].numel else (list(a.shape(name)), "one element or more")


@planned(
    "aclnnGRUBackward", nulls("input", "hx", "params"), listed("input", among=FLOAT_OR_HALF), *types(*TENSORS),
    *of_each("{0} has the format ND or NCL", labelled, "input", *TENSORS),
    NO_LENGTHS, positive("numLayers"), *dimensions(ranks, "input", "hx"),
    *of_each("{0} has elements", has_elements, "input", "hx"), *shapes(expected, "hx", "dy", "dh"),
    *lengths(counts, *STEPS), *shapes(expected, *STEPS), *lengths(counts, "params"),
    *shapes(expected, "dxOut", "dhPrevOut"), *lengths(counts, "dparamsOut"),
)  # fmt: skip
def gru_backward(p: Planning) -> None:
    """dxOut, dhPrevOut and dparamsOut = the derivatives for input, the first states and params, from the derivatives
    for output and hy. r, z, n, hn and h are the lists of aclnnGRU, of all steps."""
    n = network(p)
    params, hx, dh = p.read_all("params"), p.read("hx"), p.read("dh")
    lists, h = [p.read_all(name) for name in STEPS if name != "h"], p.read_all("h")
    if [param.shape for param in params] != n.params:
        raise p.builder.failed(f"params have the shapes {[list(param.shape) for param in params]}, not {n.params}.")

    def plan_cell(cell: int, x: Operand, grad: list[Operand]) -> list[Operand]:
        weights = n.of_cell(params, cell)[:2]
        states_before = earlier(p, n, h[cell], hx, cell)
        gates = ((n.steps, n.samples, 3 * n.hidden), T.ACL_FLOAT)
        return p.steps(
            one_direction,
            [p.builder.cast(x, T.ACL_FLOAT), *weights, states_before, dh, *grad, *(list_[cell] for list_ in lists)],
            [*derivatives(n, x, states=1, cell=cell), gates, gates],
            cell=cell, direction=cell % n.directions, bias=n.bias,
        )[:-2]  # fmt: skip

    first = back_through_layers(p, n, h, [in_time(p, p.read("dy"), n)], plan_cell)
    p.store("dhPrevOut", p.step(stacked, [state for (state,) in first], n.state, T.ACL_FLOAT))


@in_memory
def one_direction(
    x: Array, w_ih: Array, w_hh: Array, hidden_before: Array, last: Array, dy: Array, r: Array, z: Array, n: Array,
    hn: Array, *, out: Sequence[Array], cell: int, direction: int, bias: bool,
) -> None:  # fmt: skip
    """The derivatives of one direction, from the derivatives for the output of the layer and for the last states of all
    cells. The last two outputs are the derivatives for the terms of the gates from input and from the state.
    `hidden_before`: the states before each step."""
    dx, dh_first, d_w_ih, d_w_hh, *biases, of_x, of_h = out
    steps, samples, hidden = r.shape
    dy = dy[..., direction * hidden :][..., :hidden]
    w_ih, w_hh, last = in_float(w_ih, w_hh, last, out=out)
    dh = last[cell]
    for t in order(steps, reverse=not direction):
        r_t, z_t, n_t, hn_t, dy_t = (widen(each[t]) for each in (r, z, n, hn, dy))
        dh = dh + dy_t
        d_n = dh * (1 - z_t) * (1 - n_t * n_t)
        d_r = d_n * hn_t * r_t * (1 - r_t)
        d_z = dh * (hidden_before[t] - n_t) * z_t * (1 - z_t)
        of_x[t] = np.concatenate([d_r, d_z, d_n], axis=-1)
        of_h[t] = np.concatenate([d_r, d_z, d_n * r_t], axis=-1)
        dh = back(of_h[t], w_hh) + dh * z_t
        store(back(of_x[t], w_ih), dx[t])
    flat_x, flat_h = (each.reshape(steps * samples, -1) for each in (of_x, of_h))
    d_w = [back(np.transpose(flat_x), x.reshape(steps * samples, -1))]
    d_w += [back(np.transpose(flat_h), hidden_before.reshape(-1, hidden))]
    sums = [flat_x.sum(axis=0), flat_h.sum(axis=0)] if bias else []
    for result, memory in zip((dh, *d_w, *sums), (dh_first, d_w_ih, d_w_hh, *biases), strict=True):
        store(result, memory)
