"""LSTM by name: DynamicRNN and DynamicRNNV2, and their gradients.

The weights have their inputs as rows, and the blocks of the gates as columns, in the order of the attribute gate_order:
i, f, o, and j or c for the candidate. seq_length is a mask, with 1 for the samples that are live at a step.
"""

from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from aclnn.by_name.call import Named
from aclnn.by_name.row import row
from aclnn.by_name.uses import copy

T = aclDataType
ORDER: Final = "ifjo"
"""the gates in the order of aclnn"""
STEP_OUTPUTS: Final = ("i", "j", "f", "o", "output_h", "output_c", "tanhc")
"""the outputs in the order of aclnnLSTM"""


def gates(n: Named) -> list[int]:
    """The index of the block of each gate, for the gates in the order of aclnn."""
    letters = n["gate_order"].replace("c", "j").replace("g", "j")
    if sorted(letters) != sorted(ORDER):
        raise n.refused(f"gate_order is {n['gate_order']!r}, and has to name i, f, j and o")
    return [letters.index(gate) for gate in ORDER]


def check_attributes(n: Named) -> None:
    """Checks that the emulator computes the form of the call."""
    for name, value in (("cell_type", "LSTM"), ("use_peephole", False), ("num_proj", 0), ("activation", "tanh")):
        if n[name] != value:
            raise n.refused(f"this emulator computes it with {name} {value!r}, not {n[name]!r}")


def weights(n: Named, w: Tensor, first: int, rows: int) -> Tensor:
    """Some rows of the weights in the layout of aclnn: [4 H, rows], with the gates in the order of aclnn."""
    columns = w.shape[1]
    hidden = columns // 4
    blocks = [n.viewed(w, (hidden, rows), (1, columns), first * columns + i * hidden) for i in gates(n)]
    result = n.temporary((columns, rows), w.dtype)
    n.aclnn("aclnnCat", blocks, 0, result)
    return result


def biases(n: Named, b: Tensor | None, columns: int, dtype: int) -> list[Tensor]:
    """Two biases, of which the second is 0; none without a bias."""
    if b is None:
        return []
    hidden = columns // 4
    result, zero = n.temporary((columns,), b.dtype), n.temporary((columns,), dtype)
    n.aclnn("aclnnCat", [n.viewed(b, (hidden,), (1,), i * hidden) for i in gates(n)], 0, result)
    n.aclnn("aclnnInplaceZero", zero)
    return [_cast(n, result, dtype), zero]


def dynamic_rnn(n: Named) -> None:
    """aclnnLSTM, with w split into two parts and transposed, and the gates in the order of aclnn"""
    inputs = n["x"].shape[2]
    w = n["w"]
    _forward(n, weights(n, w, 0, inputs), weights(n, w, inputs, w.shape[0] - inputs))


def dynamic_rnn_v2(n: Named) -> None:
    """aclnnLSTM, with the weights transposed, and the gates in the order of aclnn"""
    w_ih, w_hh = n["weight_input"], n["weight_hidden"]
    _forward(n, weights(n, w_ih, 0, w_ih.shape[0]), weights(n, w_hh, 0, w_hh.shape[0]))


def _forward(n: Named, w_ih: Tensor, w_hh: Tensor) -> None:
    check_attributes(n)
    x, columns = n["x"], w_ih.shape[0]
    params = [w_ih, w_hh, *biases(n, n["b"], columns, x.dtype)]
    steps, samples, hidden = x.shape[0], x.shape[1], columns // 4
    states = first_states(n, (1, samples, hidden), x.dtype)
    live = live_samples(n)
    reverse = n["direction"] == "REDIRECTIONAL"
    if n["direction"] not in ("UNIDIRECTIONAL", "REDIRECTIONAL"):
        raise n.refused("this emulator computes one direction in a call")
    if reverse:
        x, live = flipped(n, x), None if live is None else flipped(n, live)
    lists = {name: n.like(n[name]) if reverse else n[name] for name in STEP_OUTPUTS}
    y, last = n.like(n["y"]) if reverse else n["y"], [n.temporary((1, samples, hidden), x.dtype) for _ in "hc"]
    inputs = x if live is None else n.viewed(x, (steps * samples, x.shape[2]))
    n.aclnn("aclnnLSTM", inputs, params, states, live, len(params) == 4, 1, 0.0, True, False, False, y, *last,
            *([lists[name]] for name in STEP_OUTPUTS))  # fmt: skip
    if reverse:
        for name, result in (("y", y), *lists.items()):
            n.aclnn("aclnnFlip", result, [0], n[name])


def dynamic_rnn_grad(n: Named) -> None:
    """aclnnLstmBackward, with the weights and their gradients transposed"""
    inputs, w, dw = n["x"].shape[-1], n["w"], n["dw"]
    hidden = w.shape[0] - inputs
    params = weights(n, w, 0, inputs), weights(n, w, inputs, hidden)
    gradients = _backward(n, *params)
    _store_gradient(n, gradients[0], dw, 0)
    _store_gradient(n, gradients[1], dw, inputs)


def dynamic_rnn_v2_grad(n: Named) -> None:
    """aclnnLstmBackward, with the weights and their gradients transposed"""
    names = "w_x", "w_h"
    gradients = _backward(n, *(weights(n, n[name], 0, n[name].shape[0]) for name in names))
    for gradient, name in zip(gradients, names, strict=False):
        _store_gradient(n, gradient, n[f"d{name}"], 0)


SAVED: Final = ("i", "j", "f", "o", "h", "c", "tanhct")


def _backward(n: Named, w_ih: Tensor, w_hh: Tensor) -> list[Tensor]:
    """Plans db, dx, dh_prev and dc_prev. Returns the gradients of the weights in the layout of aclnn."""
    x, columns, hidden = n["x"], w_ih.shape[0], w_hh.shape[1]
    steps, samples = n["i"].shape[:2]
    reverse, live = n["direction"] == "REDIRECTIONAL", live_samples(n)
    dtype, sequence, state = x.dtype, (steps, samples, hidden), (1, samples, hidden)

    def in_order(tensor: Tensor) -> Tensor:
        return flipped(n, tensor) if reverse else tensor

    inputs = (steps * samples, x.shape[-1]) if live is not None else (steps, samples, x.shape[-1])
    source = n.viewed(in_order(n.viewed(x, (steps, samples, x.shape[-1]))), inputs)
    lists = [[n.labelled(in_order(n.viewed(n[name], sequence)))] for name in SAVED]
    states = [n.labelled(n.viewed(n[name], state)) for name in ("init_h", "init_c")]
    dy = n.labelled(in_order(n.viewed(n["dy"], sequence)))
    ends = [n.labelled(n.viewed(n[name], state)) for name in ("dh", "dc")]
    params = [w_ih, w_hh, *(n.temporary((columns,), dtype) for _ in "ih")]
    for bias in params[2:]:
        n.aclnn("aclnnInplaceZero", bias)
    gradients = [n.like(param) for param in params]
    dx = n.temporary(inputs, dtype)
    initial = [n.labelled(n.viewed(n[name], state)) for name in ("dh_prev", "dc_prev")]
    live = None if live is None else in_order(live)
    n.aclnn("aclnnLstmBackward", n.labelled(source), states, params, dy, *ends, *lists, live, True, 1, 0.0, True, False,
            False, [True] * 4, n.labelled(dx), *initial, gradients)  # fmt: skip
    copy(n, in_order(n.viewed(dx, (steps, samples, x.shape[-1]))), n["dx"])
    for gate, place in enumerate(gates(n)):
        block = n.viewed(gradients[2], (hidden,), (1,), gate * hidden)
        n.aclnn("aclnnInplaceCopy", n.viewed(n["db"], (hidden,), (1,), place * hidden), block)
    return gradients[:2]


def _store_gradient(n: Named, gradient: Tensor, out: Tensor, first: int) -> None:
    """Plan the copy of a gradient, in the layout of aclnn, into some rows of an output."""
    columns, rows = gradient.shape
    hidden = columns // 4
    for gate, place in enumerate(gates(n)):
        block = n.viewed(gradient, (hidden, rows), (rows, 1), gate * hidden * rows)
        n.aclnn(
            "aclnnInplaceCopy", n.viewed(out, (hidden, rows), (1, columns), first * columns + place * hidden), block
        )


def flipped(n: Named, x: Tensor) -> Tensor:
    """The steps in reverse order."""
    result = n.like(x)
    n.aclnn("aclnnFlip", x, [0], result)
    return result


def first_states(n: Named, shape: tuple[int, ...], dtype: int) -> list[Tensor]:
    """init_h and init_c; zeros for missing ones."""
    states: list[Tensor] = []
    for name in ("init_h", "init_c"):
        state = n.temporary(shape, dtype)
        if n[name] is None:
            n.aclnn("aclnnInplaceZero", state)
        else:
            copy(n, _cast(n, n[name], dtype), state)
        states.append(state)
    return states


def live_samples(n: Named) -> Tensor | None:
    """The number of live samples at each step, from the mask. None without a mask: op-plugin passes a scalar then."""
    mask = n["seq_length"]
    if mask is None or not mask.shape:
        return None
    if len(mask.shape) != 3:
        raise n.refused("this emulator takes seq_length as a mask [T, B, H]")
    counts = n.temporary((mask.shape[0],), T.ACL_INT64)
    n.step(counted, [mask], counts)
    return counts


def counted(mask: Array) -> Array:
    """The number of samples of each step whose mask is 1."""
    return np.count_nonzero(mask[:, :, 0], axis=1)


def _cast(n: Named, x: Tensor, dtype: int) -> Tensor:
    if x.dtype == dtype:
        return x
    result = n.like(x, dtype)
    n.aclnn("aclnnCast", x, dtype, result)
    return result


ATTRIBUTES: Final[dict[str, Any]] = {
    "cell_type": "LSTM", "direction": "UNIDIRECTIONAL", "cell_depth": 1, "use_peephole": False, "keep_prob": 1.0,
    "cell_clip": -1.0, "num_proj": 0, "time_major": True, "activation": "tanh", "forget_bias": 0.0,
    "gate_order": "ijfo", "is_training": True,
}  # fmt: skip
OF_GRADIENTS: Final[dict[str, Any]] = {"direction": "UNIDIRECTIONAL", "gate_order": "ijfo"}
"""only attributes that have an effect, as op-plugin passes some of the rest with other types"""
INPUTS: Final = "init_h, init_c, h, c, dy, dh, dc, i, j, f, o, tanhct"
RESULTS: Final = "y, output_h, output_c, i, j, f, o, tanhc"
ROWS: Final = (
    row("DynamicRNN", f"x, w, b, seq_length?, init_h?, init_c?, wci?, wcf?, wco?, mask? -> {RESULTS}", dynamic_rnn,
        **ATTRIBUTES),
    row("DynamicRNNV2", "x, weight_input, weight_hidden, b?, seq_length?, init_h?, init_c?, wci?, wcf?, wco?, mask? -> "
        f"{RESULTS}", dynamic_rnn_v2, **ATTRIBUTES),
    row("DynamicRNNGrad", f"x, w, b, y, {INPUTS}, seq_length?, mask?, wci?, wcf?, wco? -> dw, db, dx, dh_prev, dc_prev",
        dynamic_rnn_grad, **OF_GRADIENTS),
    row("DynamicRNNV2Grad", f"x, w_x, w_h, y, {INPUTS}, seq_length?, wci?, wcf?, wco?, mask? -> dw_x, dw_h, db, dx, "
        "dh_prev, dc_prev", dynamic_rnn_v2_grad, **OF_GRADIENTS),
)  # fmt: skip
