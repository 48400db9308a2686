"""LSTM: forward."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, Arguments, Array, Bad, Operand, Planning, Series, T, apart_from, demand, done, in_memory, listed,
    needed_if, only_if, only_on, planned, positive, public_format, required, widen,
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
    living,
    order,
    parts,
    rounded,
    states,
    store_lists,
    through_layers,
    times,
)

STEP_OUTPUTS: Final = ("iOut", "jOut", "fOut", "oOut", "hOut", "cOut", "tanhCOut")
WHOLE_OUTPUTS: Final = ("output", "hy", "cy")


def packed(a: Arguments) -> bool:
    return a.given("batchSizes")


def fixed(a: Arguments) -> bool:
    return not packed(a)


def network(a: Arguments) -> NetSizes:
    if fixed(a):
        return sizes(a, of="input", steps=(), gates=4, hidden=a["params"][0].shape[0] // 4)
    steps, directions = a["batchSizes"].numel, 2 if a["bidirectional"] else 1
    expected_shape = (steps, a.shape("input")[0] // steps)
    return sizes(a, of="input", steps=expected_shape, gates=4, hidden=a.shape("output")[2] // directions)


def counts(a: Arguments) -> Mapping[str, Any]:
    number = cells(a)
    states = [2] if packed(a) else [0, 2]
    return {"params": [number * (4 if a["hasBias"] else 2)], "hx": states, **{name: [number] for name in STEP_OUTPUTS}}


def ranks(a: Arguments) -> Mapping[str, Any]:
    states = {name: [3] for name in ("hx", *WHOLE_OUTPUTS, *STEP_OUTPUTS)}
    return {"input": [2 if packed(a) else 3], "batchSizes": [1], "params": [2, 1], **states}


def expected(a: Arguments) -> Mapping[str, Any]:
    n = network(a)
    output = n.sequence(n.directions * n.hidden)
    lists = dict.fromkeys(STEP_OUTPUTS, n.gates_of_cells)
    return {"params": n.params, "hx": [n.state] * 2, "hy": n.state, "cy": n.state, "output": output, **lists}


def uneven(a: Arguments) -> Bad:
    steps, rows = a["batchSizes"].numel, a.shape("input")[0]
    return None if steps and rows % steps == 0 else (f"{rows} rows", f"a multiple of the {steps} steps")


def odd(a: Arguments) -> Bad:
    width = a.shape("output")[2]
    return (width, "an even number") if a["bidirectional"] and width % 2 else None


def nothing(a: Arguments) -> bool:
    return not a["input"].numel


PACKED: Final = (
    *dimensions(ranks, "input"), *lengths(counts, "params"), *dimensions(ranks, "params", "batchSizes", *WHOLE_OUTPUTS),
    *lengths(counts, *STEP_OUTPUTS),
    demand("{0} has a row for each step and sample", "input", "batchSizes", bad=uneven),
    demand("{0} has an even number of columns if bidirectional", "output", bad=odd),
    *shapes(expected, "params", "hx", *WHOLE_OUTPUTS, *STEP_OUTPUTS),
    listed("input", among=FLOAT_OR_HALF), *types("params", "hx"), listed("batchSizes"),
    *types(*WHOLE_OUTPUTS, *STEP_OUTPUTS),
)  # fmt: skip
FIXED: Final = (
    listed("input", among=FLOAT_OR_HALF), *types("params", "hx", *WHOLE_OUTPUTS, *STEP_OUTPUTS), positive("numLayers"),
    *lengths(counts, "params", "hx", *STEP_OUTPUTS),
    *dimensions(ranks, "input", "params", "hx", *WHOLE_OUTPUTS, *STEP_OUTPUTS),
    *shapes(expected, "params", "hx", *WHOLE_OUTPUTS, *STEP_OUTPUTS),
    only_on(Series.A950, public_format("input", *WHOLE_OUTPUTS)),
)  # fmt: skip


@planned(
    "aclnnLSTM", required("input", "output"), *(needed_if(name, "train") for name in STEP_OUTPUTS),
    only_if("batchSizes is given", packed, *lengths(counts, "hx"), positive("numLayers")),
    done("input has no elements, with batchSizes", "input", "batchSizes", when=lambda a: packed(a) and nothing(a)),
    only_if("batchSizes is given", packed, *PACKED), only_if("batchSizes is null", fixed, *FIXED),
    done("input has no elements", "input", when=nothing),
)  # fmt: skip
def lstm(p: Planning) -> None:
    """i, f, g, o = x w_ih^T + h w_hh^T + b_ih + b_hh; then sigmoid of i, f and o, tanh of g;
    c = f * c + i * g; h = o * tanh(c), for each step, direction and layer. output has h of the last layer, hy and cy
    the last h and c of each layer and direction. Null hx means zeros. With train, the lists get the gates, h, c and
    tanh(c) of all steps; jOut is g. dropout has no effect.

    With batchSizes, input is [T * B, I] and padded: a sample b is live at step t if b < batchSizes[t]. A sample that is
    not live has the output 0, and keeps h and c.
    """
    n = network(p)
    x, params = in_time(p, p.read("input"), n), p.read_all("params")
    first = p.read_all("hx") if p.given("hx") else []
    live = [p.read("batchSizes")] if packed(p) else []
    result = (n.gates_of_cells[0], x.dtype)

    def plan_cell(cell: int, x: Operand) -> list[Operand]:
        return p.steps(
            one_direction, [x, *n.of_cell(params, cell), *first, *live], [result] * 8, cell=cell, states=bool(first),
            bias=n.bias, reverse=n.reverse(cell), half=x.dtype == T.ACL_FLOAT16,
        )  # fmt: skip

    x, results = through_layers(p, n, x, plan_cell)
    p.store("output", as_given(p, x, n))
    p.store("hy", states(p, [output[4] for output in results], n))
    p.store("cy", states(p, [output[5] for output in results], n))
    store_lists(p, STEP_OUTPUTS, results)


@in_memory
def one_direction(
    x: Array, w_ih: Array, w_hh: Array, *rest: Array, out: Sequence[Array], cell: int, states: bool, bias: bool,
    reverse: bool, half: bool,
) -> None:  # fmt: skip
    """i, g, f, o, h, c, tanh(c) and output, step by step. `rest`: the biases, the first states of all cells, and the
    numbers of live samples, if they are given. `half`: h and c are rounded to float16 before the next step."""
    x = apart_from(out, x)
    w_ih, w_hh, *more = in_float(w_ih, w_hh, *rest, out=out)
    bias_sum = rounded(more.pop(0) + more.pop(0), half=half) if bias else np.float32(0)
    steps, samples = x.shape[:2]
    h, c = (more.pop(0)[cell] if states else np.zeros((samples, w_hh.shape[1]), np.float32) for _ in "hc")
    for t in order(steps, reverse=reverse):
        gates = np.add(times(widen(x[t]), w_ih), bias_sum)
        i, f, g, o = parts(np.add(gates, times(h, w_hh)), 4)
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        new = f * c + i * g
        tanh = np.tanh(new)
        output = o * tanh
        if more:
            live = living(samples, more[0], t)
            new, output, h = np.where(live, new, c), np.where(live, output, 0), np.where(live, output, h)
        else:
            h = output
        h, c = rounded(h, half=half), rounded(new, half=half)
        keep((i, g, f, o, h, c, tanh, output), out, t)
