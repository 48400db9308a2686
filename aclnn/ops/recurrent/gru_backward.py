"""GRU: backward."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array, format_name
from acl_runtime.headers.enums import aclDataType, aclFormat
from aclnn.engine.arguments import Arguments, members
from aclnn.engine.operand import Operand
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Bad
from aclnn.engine.words.common_types import FLOAT_OR_HALF
from aclnn.engine.words.counts import positive
from aclnn.engine.words.types import listed
from aclnn.engine.words.values import nulls
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
from aclnn.ops.recurrent._steps import back, back_through_layers, before_each, derivatives, in_time, order, stacked
from aclnn.ops.recurrent.gru import FLAG, NO_LENGTHS

T = aclDataType
LISTS: Final = ("r", "z", "n", "hn", "h")
TENSORS: Final = ("hx", "dy", "dh", "dxOut", "dhPrevOut", "params", *LISTS, "dparamsOut")


def network(a: Arguments) -> NetSizes:
    return sizes(a, of="input", steps=(), gates=3, hidden=a.shape("hx")[-1], flag=FLAG)


def counts(a: Arguments) -> Mapping[str, Any]:
    number = cells(a, FLAG)
    params = [number * (4 if a["hasBias"] else 2)]
    return {"params": params, "dparamsOut": params, **{name: [number] for name in LISTS}}


def ranks(a: Arguments) -> Mapping[str, Any]:
    return {"input": [3], "hx": [3]}


def wanted(a: Arguments) -> Mapping[str, Any]:
    n = network(a)
    states = dict.fromkeys(("hx", "dh", "dhPrevOut"), n.state)
    lists = {name: [(n.steps, n.samples, n.hidden)] * len(a[name]) for name in LISTS}
    return {"dy": n.sequence(n.directions * n.hidden), "dxOut": n.sequence(n.inputs), **states, **lists}


def labelled(a: Arguments, name: str) -> Bad:
    allowed = (aclFormat.ACL_FORMAT_ND, aclFormat.ACL_FORMAT_NCL)
    wrong = [format_name(each.format) for each in members(a[name]) if each.format not in allowed]
    return (wrong[0], "ND or NCL") if wrong else None


def has_elements(a: Arguments, name: str) -> Bad:
    return None if a[name].numel else (list(a.shape(name)), "one element or more")


@planned(
    "aclnnGRUBackward", nulls("input", "hx", "params"), listed("input", among=FLOAT_OR_HALF), *types(*TENSORS),
    *of_each("{0} has the format ND or NCL", labelled, "input", *TENSORS),
    NO_LENGTHS, positive("numLayers"), *dimensions(ranks, "input", "hx"),
    *of_each("{0} has elements", has_elements, "input", "hx"), *shapes(wanted, "hx", "dy", "dh"),
    *lengths(counts, *LISTS), *shapes(wanted, *LISTS), *lengths(counts, "params"),
    *shapes(wanted, "dxOut", "dhPrevOut"), *lengths(counts, "dparamsOut"),
)  # fmt: skip
def gru_backward(p: Planning) -> None:
    """dxOut, dhPrevOut and dparamsOut = the derivatives for input, the first states and params, from those for output
    and hy. r, z, n, hn and h are the lists of aclnnGRU, of all steps."""
    n = network(p)
    params, hx, dh = p.read_all("params"), p.read("hx"), p.read("dh")
    lists = [p.read_all(name) for name in LISTS]
    if [each.shape for each in params] != n.params:
        raise p.builder.failed(f"params have the shapes {[list(each.shape) for each in params]}, not {n.params}.")

    def one(at: int, x: Operand, slope: list[Operand]) -> list[Operand]:
        own = n.of_cell(params, at)[:2]
        return p.steps(
            one_direction, [x, *own, hx, dh, *slope, *(each[at] for each in lists)],
            derivatives(n, x, states=1, cell=at), cell=at, direction=at % n.directions, bias=n.bias,
        )  # fmt: skip

    first = back_through_layers(p, n, lists[4], [in_time(p, p.read("dy"), n)], one)
    p.store("dhPrevOut", p.step(stacked, [state for (state,) in first], n.state, T.ACL_FLOAT))


def one_direction(
    x: Array, w_ih: Array, w_hh: Array, hx: Array, last: Array, dy: Array, r: Array, z: Array, n: Array, hn: Array,
    h: Array, *, cell: int, direction: int, bias: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """The derivatives of one direction, from those for the output of the layer and the last states of all cells."""
    steps, samples, hidden = r.shape
    dy = dy[..., direction * hidden :][..., :hidden]
    dh, before = last[cell], before_each(h, hx[cell], reverse=bool(direction))
    of_x, of_h = (np.empty((steps, samples, 3 * hidden), np.float32) for _ in "xh")
    for t in order(steps, reverse=not direction):
        dh = dh + dy[t]
        d_n = dh * (1 - z[t]) * (1 - n[t] * n[t])
        d_r = d_n * hn[t] * r[t] * (1 - r[t])
        d_z = dh * (before[t] - n[t]) * z[t] * (1 - z[t])
        of_x[t] = np.concatenate([d_r, d_z, d_n], axis=-1)
        of_h[t] = np.concatenate([d_r, d_z, d_n * r[t]], axis=-1)
        dh = back(of_h[t], w_hh) + dh * z[t]
    flat_x, flat_h = (each.reshape(steps * samples, -1) for each in (of_x, of_h))
    biases = [flat_x.sum(axis=0), flat_h.sum(axis=0)] if bias else []
    d_w_ih = back(np.transpose(flat_x), x.reshape(steps * samples, -1))
    d_w_hh = back(np.transpose(flat_h), before.reshape(-1, hidden))
    return back(of_x, w_ih), dh, d_w_ih, d_w_hh, *biases
