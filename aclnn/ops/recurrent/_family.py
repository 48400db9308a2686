"""Shared by the recurrent functions: the sizes of a network, and the checks of the shapes that follow from them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, Arguments, Bad, Relation, Shape, TensorListParam, demand, dtype_name, members,
)  # fmt: skip


Expected = Callable[[Arguments], Mapping[str, Any]]
"""function from a call to the allowed values, by name of the parameter"""


@dataclass(frozen=True)
class NetSizes:
    """The sizes of a network, and the shapes that follow."""

    steps: int
    samples: int
    inputs: int
    hidden: int
    layers: int
    directions: int
    bias: bool
    batch_first: bool
    gates: int

    @property
    def cells(self) -> int:
        """The number of cells. A cell is one direction of one layer."""
        return self.layers * self.directions

    @property
    def params_of_one(self) -> int:
        """The number of parameters of a cell."""
        return 4 if self.bias else 2

    @property
    def state(self) -> Shape:
        return self.cells, self.samples, self.hidden

    @property
    def gates_of_cells(self) -> list[Shape]:
        """The shapes of a list of gates or states."""
        return [(self.steps, self.samples, self.hidden)] * self.cells

    @property
    def params(self) -> list[Shape]:
        rows, shapes = self.gates * self.hidden, list[Shape]()
        for cell in range(self.cells):
            inputs = self.inputs if cell < self.directions else self.directions * self.hidden
            shapes += [(rows, inputs), (rows, self.hidden), *([(rows,)] * 2 if self.bias else [])]
        return shapes

    def of_cell(self, params: Sequence[Any], cell: int) -> Sequence[Any]:
        return params[cell * self.params_of_one :][: self.params_of_one]

    def reverse(self, cell: int) -> bool:
        """True if the steps of a cell run backwards."""
        return cell % self.directions == 1

    def sequence(self, width: int) -> Shape:
        """The shape of a tensor of all steps, in the layout of the caller."""
        first = (self.samples, self.steps) if self.batch_first else (self.steps, self.samples)
        return *first, width


def cells(a: Arguments, flag: str = "bidirectional") -> int:
    """The number of cells, from the attributes."""
    return a["numLayers"] * (2 if a[flag] else 1)


def sizes(a: Arguments, *, of: str, steps: Shape, gates: int, hidden: int, flag: str = "bidirectional") -> NetSizes:
    """The sizes of a call. `of`: the tensor of inputs. `steps`: the numbers of steps and of samples, if they are not
    the first two sizes of that tensor."""
    first_two = a.shape(of)[:2]
    count, samples = steps or (first_two[::-1] if a["batchFirst"] else first_two)
    directions = 2 if a[flag] else 1
    batch_first = a["batchFirst"] and not steps
    return NetSizes(
        count, samples, a.shape(of)[-1], hidden, a["numLayers"], directions, a["hasBias"], batch_first, gates
    )


# checks


def of_each(
    sentence: str, judge: Callable[[Arguments, str], Bad], *names: str, status: int = ACLNN_ERR_PARAM_INVALID
) -> list[Relation]:
    """One demand on several parameters. Null parameters, and lists of outputs without `train`, are not checked."""

    def check(name: str) -> Relation:
        return demand(sentence, name, bad=lambda a: judge(a, name) if used(a, name) else None, status=status)

    return [check(name) for name in names]


def used(a: Arguments, name: str) -> bool:
    """True if a parameter is checked: any but a list of outputs whose flag is false."""
    param = a.param(name)
    return not (isinstance(param, TensorListParam) and param.needed_with) or bool(a.call.__dict__[param.needed_with])


def member(a: Arguments, name: str, number: int) -> str:
    """The name of a tensor in a list, as the prefix of a text; empty for a tensor that is no member of a list."""
    return f"{name}[{number}] " if isinstance(a[name], tuple) else ""


def types(*names: str) -> list[Relation]:
    """Checks that parameters have the data type of input."""

    def judge(a: Arguments, name: str) -> Bad:
        wrong = [i for i, each in enumerate(a.dtypes(name)) if each != a.dtype("input")]
        if not wrong:
            return None
        dtype = dtype_name(a.dtypes(name)[wrong[0]])
        return f"{member(a, name, wrong[0])}{dtype}", f"{a.type_name('input')}, as input"

    return of_each("{0} has the data type of input", judge, *names)


def lengths(expected: Expected, *names: str, status: int = ACLNN_ERR_PARAM_INVALID) -> list[Relation]:
    """Checks that each list has an expected number of tensors."""

    def judge(a: Arguments, name: str) -> Bad:
        count, allowed = len(a[name]), expected(a)[name]
        return None if count in allowed else (f"{count} tensors", " or ".join(map(str, allowed)))

    return of_each("{0} has as many tensors as the network needs", judge, *names, status=status)


def dimensions(expected: Expected, *names: str) -> list[Relation]:
    """Checks that each tensor has an expected number of dimensions."""

    def judge(a: Arguments, name: str) -> Bad:
        allowed = expected(a)[name]
        wrong = [(i, tensor.shape) for i, tensor in enumerate(members(a[name])) if len(tensor.shape) not in allowed]
        if not wrong:
            return None
        (number, shape), *_ = wrong
        return f"{member(a, name, number)}{list(shape)}", f"{' or '.join(map(str, allowed))} dimensions"

    return of_each("{0} has the right number of dimensions", judge, *names)


def shapes(expected: Expected, *names: str) -> list[Relation]:
    """Checks that each tensor, also in a list, has its expected shape."""

    def judge(a: Arguments, name: str) -> Bad:
        right: Any = expected(a)[name]
        shapes = [tensor.shape for tensor in members(a[name])]
        pairs = zip(shapes, right if isinstance(a[name], tuple) else [right], strict=False)  # a list hx may be empty
        wrong = ((f"{member(a, name, i)}{list(first)}", list(second)) for i, (first, second) in enumerate(pairs)
                 if first != second)  # fmt: skip
        return next(wrong, None)

    return of_each("{0} has the shape that follows from the network", judge, *names)


def shape_of(a: Arguments, name: str, expected_shape: Shape) -> Bad:
    shape = a.shape(name)
    return None if shape == expected_shape else (list(shape), list(expected_shape))
