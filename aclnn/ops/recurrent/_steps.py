"""The steps of recurrent functions: through the layers and back, joining directions, lists of gates and states."""

from collections.abc import Callable, Sequence

import numpy as np

from aclnn.op import Array, Operand, Planning, Shape, T, apart_from, in_memory, in_parts, matmul, store, widen
from aclnn.ops.recurrent._family import NetSizes


# parts of a formula


def times(x: Array, weights: Array) -> Array:
    """x w^T."""
    return matmul(x, np.transpose(weights))


def back(grad: Array, weights: Array) -> Array:
    """The derivative of x w^T for x, times `grad`."""
    return matmul(grad, weights)


def parts(x: Array, count: int) -> list[Array]:
    """The blocks of the gates, along the last dimension."""
    return np.split(x, count, axis=-1)


def living(samples: int, lengths: Array, step: int) -> Array:
    """The samples that are live at a step, as a column."""
    return np.less(np.arange(samples)[:, None], lengths[step])


def swapped(x: Array) -> Array:
    """A tensor with its first two dimensions, steps and samples, exchanged."""
    return np.swapaxes(x, 0, 1)


@in_memory
def side_by_side(*directions: Array, out: Array) -> None:
    np.concatenate(directions, axis=-1, out=out)


def last_states(*states: Array, directions: int) -> Array:
    """The state of each cell after its last step. This is step 0 for a cell that runs in reverse."""
    return np.stack([state[0 if i % directions else -1] for i, state in enumerate(states)])


def in_time(p: Planning, x: Operand, sizes: NetSizes) -> Operand:
    """A tensor of all steps with the steps first."""
    shape = (sizes.steps, sizes.samples, x.shape[-1])
    if not sizes.batch_first:
        return p.builder.reshape(x, shape)
    return p.step(swapped, [x], shape, x.dtype, moves=True)


def as_given(p: Planning, x: Operand, sizes: NetSizes) -> Operand:
    """A tensor of all steps in the layout of the caller: the inverse of `in_time`."""
    return p.step(swapped, [x], sizes.sequence(x.shape[-1]), x.dtype, moves=True) if sizes.batch_first else x


def joined(p: Planning, directions: Sequence[Operand]) -> Operand:
    """The output of both directions of a layer."""
    if len(directions) == 1:
        return directions[0]
    *first, width = directions[0].shape
    return p.step(side_by_side, directions, (*first, 2 * width), directions[0].dtype, moves=True)


def states(p: Planning, cells: Sequence[Operand], sizes: NetSizes) -> Operand:
    return p.step(last_states, cells, sizes.state, cells[0].dtype, moves=True, directions=sizes.directions)


def order(steps: int, *, reverse: bool) -> range:
    """The steps in the order in which they run."""
    return range(steps)[::-1] if reverse else range(steps)


def rounded(x: Array, *, half: bool) -> Array:
    return x.astype(np.float16).astype(np.float32) if half else x


def in_float(*arrays: Array, out: Sequence[Array]) -> list[Array]:
    """Inputs in float32, in memory apart from the outputs, which a kernel writes step by step."""
    return [widen(apart_from(out, array)) for array in arrays]


def keep(results: Sequence[Array], out: Sequence[Array], step: int) -> None:
    """Round the results of a step into their outputs."""
    for result, memory in zip(results, out, strict=True):
        store(result, memory[step])


def before_step(states: Array, first: Array, step: int, *, reverse: bool) -> Array:
    previous = step + 1 if reverse else step - 1
    return states[previous] if 0 <= previous < len(states) else first


@in_memory
def before_each(states: Array, first: Array, *, out: Array, cell: int, reverse: bool) -> None:
    """The states before each step. `first`: the first states of all cells."""
    for step in range(len(states)):
        out[step] = before_step(states, first[cell], step, reverse=reverse)


@in_parts()
def added(*grads: Array) -> Array:
    return sum(grads[1:], grads[0])


def stacked(*states: Array) -> Array:
    return np.stack(states)


# plans


def earlier(p: Planning, n: NetSizes, states: Operand, first: Operand, cell: int) -> Operand:
    """The states of a cell before each step, in FLOAT."""
    shape = (n.steps, n.samples, n.hidden)
    return p.step(before_each, [states, first], shape, T.ACL_FLOAT, cell=cell, reverse=bool(cell % n.directions))


def through_layers(
    p: Planning, n: NetSizes, x: Operand, run_cell: Callable[[int, Operand], Sequence[Operand]]
) -> tuple[Operand, list[Sequence[Operand]]]:
    """Plans all layers. Returns the output of the last one, and the gates and states of all cells. `run_cell` plans a
    cell; its last result is the output of the cell."""
    results: list[Sequence[Operand]] = []
    for layer in range(n.layers):
        outputs = [run_cell(layer * n.directions + direction, x) for direction in range(n.directions)]
        results += [output[:-1] for output in outputs]
        x = joined(p, [output[-1] for output in outputs])
    return x, results


def store_lists(p: Planning, names: Sequence[str], results_of_layers: Sequence[Sequence[Operand]]) -> None:
    """Store the gates and states of all cells in the lists, if `train` is true."""
    for name, results in zip(names, zip(*results_of_layers, strict=True), strict=True):
        for tensor, result in zip(p[name] if p["train"] else (), results, strict=False):
            p.put(tensor, result, name)


def back_through_layers(
    p: Planning, n: NetSizes, hidden: Sequence[Operand], grad: list[Operand],
    run_cell: Callable[[int, Operand, list[Operand]], Sequence[Operand]],
) -> list[Sequence[Operand]]:  # fmt: skip
    """Plans the derivatives for input and params. Returns the derivatives for the first states of all cells. `hidden`:
    the list of hidden states. `run_cell` plans a cell, with the results that `derivatives` lists."""
    inputs = [in_time(p, p.read("input"), n)]
    inputs += [joined(p, hidden[layer * n.directions :][: n.directions]) for layer in range(n.layers - 1)]
    first: dict[int, Sequence[Operand]] = {}
    for layer in reversed(range(n.layers)):
        inputs_of_layers: list[Operand] = []
        for cell in range(layer * n.directions, (layer + 1) * n.directions):
            x, *results = run_cell(cell, inputs[layer], grad)
            states = len(results) - n.params_of_one
            inputs_of_layers.append(x)
            first[cell] = results[:states]
            for out, result in zip(n.of_cell(p["dparamsOut"], cell), results[states:], strict=True):
                p.put(out, result, "dparamsOut")
        grad = [p.step(added, inputs_of_layers, inputs_of_layers[0].shape, T.ACL_FLOAT)]
    p.store("dxOut", p.builder.reshape(as_given(p, grad[0], n), p.shape("dxOut")))
    return [first[i] for i in range(n.cells)]


def derivatives(n: NetSizes, x: Operand, *, states: int, cell: int) -> list[tuple[Shape, int]]:
    """Shapes and types of the derivatives for the inputs of a cell, its first states and its parameters."""
    shapes = (x.shape, *[(n.samples, n.hidden)] * states, *n.of_cell(n.params, cell))
    return [(shape, T.ACL_FLOAT) for shape in shapes]
