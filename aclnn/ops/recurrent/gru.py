"""GRU: forward."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, Arguments, Array, Bad, Operand, Planning, T, apart_from, before_nulls, demand, empty, in_memory,
    listed, needed_if, planned, positive, widen,
)  # fmt: skip
from aclnn.ops.activation._family import sigmoid
from aclnn.ops.recurrent._family import (
    NetSizes,
    cells,
    dimensions,
    lengths,
    shapes,
    sizes,
    types,
)
from aclnn.ops.recurrent._steps import (
    as_given,
    in_float,
    in_time,
    keep,
    order,
    parts,
    rounded,
    states,
    store_lists,
    through_layers,
    times,
)

FLAG: Final = "bidirection"
STEP_OUTPUTS: Final = ("rOut", "zOut", "nOut", "hnOut", "hOut")
WHOLE_OUTPUTS: Final = ("output", "hy")


def network(a: Arguments) -> NetSizes:
    return sizes(a, of="input", steps=(), gates=3, hidden=a["params"][0].shape[0] // 3, flag=FLAG)


def counts(a: Arguments) -> Mapping[str, Any]:
    number = cells(a, FLAG)
    return {"params": [number * (4 if a["hasBias"] else 2)], **{name: [number] for name in STEP_OUTPUTS}}


def ranks(a: Arguments) -> Mapping[str, Any]:
    return {"params": [2, 1], **{name: [3] for name in ("input", "hx", *WHOLE_OUTPUTS, *STEP_OUTPUTS)}}


def expected(a: Arguments) -> Mapping[str, Any]:
    n = network(a)
    lists = dict.fromkeys(STEP_OUTPUTS, n.gates_of_cells)
    return {"params": n.params, "hx": n.state, "hy": n.state, "output": n.sequence(n.directions * n.hidden), **lists}


def has_lengths(a: Arguments) -> Bad:
    return "a tensor", "null: samples of different lengths are not supported"


NO_LENGTHS: Final = demand("{0} is null", "batchSizes", bad=has_lengths)


@planned(
    "aclnnGRU", before_nulls((), NO_LENGTHS), *(needed_if(name, "train") for name in STEP_OUTPUTS),
    listed("input", among=FLOAT_OR_HALF), *types("params", "hx", *WHOLE_OUTPUTS, *STEP_OUTPUTS), positive("numLayers"),
    *lengths(counts, "params", *STEP_OUTPUTS),
    *dimensions(ranks, "input", "params", "hx", *WHOLE_OUTPUTS, *STEP_OUTPUTS),
    *shapes(expected, "params", "hx", *WHOLE_OUTPUTS, *STEP_OUTPUTS), empty("input"),
)  # fmt: skip
def gru(p: Planning) -> None:
    """r = sigmoid(x w_ir^T + b_ir + h w_hr^T + b_hr), and z in the same way; hn = h w_hn^T + b_hn;
    n = tanh(x w_in^T + b_in + r * hn); h = (1 - z) * n + z * h, for each step, direction and layer. output has h of the
    last layer, hy the last h of each layer and direction. Null hx means zeros. With train, the lists get r, z, n, hn
    and h of all steps. dropout has no effect."""
    n = network(p)
    x, params = in_time(p, p.read("input"), n), p.read_all("params")
    first = [p.read("hx")] if p.given("hx") else []
    result = (n.gates_of_cells[0], x.dtype)

    def plan_cell(cell: int, x: Operand) -> list[Operand]:
        return p.steps(
            one_direction, [x, *n.of_cell(params, cell), *first], [result] * 6, cell=cell, bias=n.bias,
            reverse=n.reverse(cell), half=x.dtype == T.ACL_FLOAT16,
        )  # fmt: skip

    x, results = through_layers(p, n, x, plan_cell)
    p.store("output", as_given(p, x, n))
    p.store("hy", states(p, [output[4] for output in results], n))
    store_lists(p, STEP_OUTPUTS, results)


@in_memory
def one_direction(
    x: Array, w_ih: Array, w_hh: Array, *rest: Array, out: Sequence[Array], cell: int, bias: bool, reverse: bool,
    half: bool,
) -> None:  # fmt: skip
    """r, z, n, hn, h and output, step by step. `rest`: the biases, and the first states of all cells, if they are
    given. `half`: h is rounded to float16 before the next step."""
    x = apart_from(out, x)
    w_ih, w_hh, *more = in_float(w_ih, w_hh, *rest, out=out)
    rows = len(w_hh)
    b_ih, b_hh = (more.pop(0) if bias else np.zeros(rows, np.float32) for _ in "xh")
    steps, samples = x.shape[:2]
    h = more[0][cell] if more else np.zeros((samples, w_hh.shape[1]), np.float32)
    for t in order(steps, reverse=reverse):
        x_r, x_z, x_n = parts(np.add(times(widen(x[t]), w_ih), b_ih), 3)
        h_r, h_z, hn = parts(np.add(times(h, w_hh), b_hh), 3)
        r, z = sigmoid(x_r + h_r), sigmoid(x_z + h_z)
        n = np.tanh(x_n + r * hn)
        h = rounded((1 - z) * n + z * h, half=half)
        keep((r, z, n, hn, h, h), out, t)
