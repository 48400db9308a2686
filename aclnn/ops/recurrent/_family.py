"""What the recurrent functions share: sizes, the shapes that follow from them, joining directions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array, dtype_name
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID
from aclnn.engine.arguments import Arguments, Shape, members
from aclnn.engine.parameters import TensorListParam
from aclnn.engine.plan_builder import Operand
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Relation
from aclnn.engine.words.values import demand

T = aclDataType
FLOATS: Final = (T.ACL_FLOAT, T.ACL_FLOAT16)
Bad = tuple[object, object] | None
Wanted = Callable[[Arguments], Mapping[str, Any]]
"""by parameter, what is allowed"""


@dataclass(frozen=True)
class Sizes:
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
        """Directions of all layers."""
        return self.layers * self.directions

    @property
    def params_of_one(self) -> int:
        """So many parameters has a direction of a layer."""
        return 4 if self.bias else 2

    @property
    def state(self) -> Shape:
        return self.cells, self.samples, self.hidden

    @property
    def gates_of_cells(self) -> list[Shape]:
        """A list of gates or states."""
        return [(self.steps, self.samples, self.hidden)] * self.cells

    @property
    def params(self) -> list[Shape]:
        rows, found = self.gates * self.hidden, list[Shape]()
        for cell in range(self.cells):
            given = self.inputs if cell < self.directions else self.directions * self.hidden
            found += [(rows, given), (rows, self.hidden), *([(rows,)] * 2 if self.bias else [])]
        return found

    def sequence(self, width: int) -> Shape:
        """A tensor of all steps, as the caller has it."""
        first = (self.samples, self.steps) if self.batch_first else (self.steps, self.samples)
        return *first, width


def cells(a: Arguments, flag: str = "bidirectional") -> int:
    """Directions of all layers, from the attributes."""
    return a["numLayers"] * (2 if a[flag] else 1)


def sizes(a: Arguments, *, of: str, steps: Shape, gates: int, hidden: int, flag: str = "bidirectional") -> Sizes:
    """The sizes of a call. `of`: the tensor of inputs. `steps`: the numbers of steps and of samples, where they are not
    the first two of its dimensions."""
    first_two = a.shape(of)[:2]
    count, samples = steps or (first_two[::-1] if a["batchFirst"] else first_two)
    directions = 2 if a[flag] else 1
    batch_first = a["batchFirst"] and not steps
    return Sizes(count, samples, a.shape(of)[-1], hidden, a["numLayers"], directions, a["hasBias"], batch_first, gates)


# checks


def of_each(
    sentence: str, judge: Callable[[Arguments, str], Bad], *names: str, status: int = ACLNN_ERR_PARAM_INVALID
) -> list[Relation]:
    """One demand on several parameters. Null ones, and lists of outputs without `train`, are not looked at."""

    def check(name: str) -> Relation:
        return demand(sentence, name, bad=lambda a: judge(a, name) if used(a, name) else None, status=status)

    return [check(name) for name in names]


def used(a: Arguments, name: str) -> bool:
    """Is a parameter looked at?"""
    param = a.param(name)
    return not (isinstance(param, TensorListParam) and param.needed_with) or bool(a.call.__dict__[param.needed_with])


def types(*names: str) -> list[Relation]:
    """They have the data type of input."""

    def judge(a: Arguments, name: str) -> Bad:
        wrong = [dtype_name(each) for each in a.dtypes(name) if each != a.dtype("input")]
        return (wrong[0], f"{a.type_name('input')}, as input") if wrong else None

    return of_each("{0} has the data type of input", judge, *names)


def lengths(wanted: Wanted, *names: str, status: int = ACLNN_ERR_PARAM_INVALID) -> list[Relation]:
    """Each list has one of these numbers of tensors."""

    def judge(a: Arguments, name: str) -> Bad:
        found, allowed = len(a[name]), wanted(a)[name]
        return None if found in allowed else (f"{found} tensors", " or ".join(map(str, allowed)))

    return of_each("{0} has as many tensors as the network needs", judge, *names, status=status)


def dimensions(wanted: Wanted, *names: str) -> list[Relation]:
    """Each tensor has one of these numbers of dimensions."""

    def judge(a: Arguments, name: str) -> Bad:
        allowed = wanted(a)[name]
        wrong = [list(each.shape) for each in members(a[name]) if len(each.shape) not in allowed]
        return (wrong[0], f"{' or '.join(map(str, allowed))} dimensions") if wrong else None

    return of_each("{0} has the right number of dimensions", judge, *names)


def shapes(wanted: Wanted, *names: str) -> list[Relation]:
    """Each tensor has its shape, each list of tensors its shapes."""

    def judge(a: Arguments, name: str) -> Bad:
        right = wanted(a)[name]
        pairs = zip(
            [each.shape for each in members(a[name])], right if isinstance(right, list) else [right], strict=False
        )
        return next(((list(one), list(other)) for one, other in pairs if one != other), None)

    return of_each("{0} has the shape that follows from the network", judge, *names)


def layers_needed() -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a["numLayers"] > 0 else (a["numLayers"], "at least 1")

    return demand("{0} is at least 1", "numLayers", bad=bad)


# steps


def sigmoid(x: Array) -> Array:
    return np.float32(1) / (np.float32(1) + np.exp(-x))


def swapped(x: Array) -> Array:
    """Steps and samples in the other order."""
    return np.swapaxes(x, 0, 1)


def side_by_side(*directions: Array) -> Array:
    return np.concatenate(directions, axis=-1)


def last_states(*states: Array, directions: int) -> Array:
    """The state of each cell after its last step, which is at the begin where steps run in reverse."""
    return np.stack([each[0 if at % directions else -1] for at, each in enumerate(states)])


def in_time(p: Planning, x: Operand, sizes: Sizes) -> Operand:
    """A tensor of all steps with the steps first."""
    shape = (sizes.steps, sizes.samples, x.shape[-1])
    if not sizes.batch_first:
        return p.builder.reshape(x, shape)
    return p.step(swapped, [x], shape, x.dtype, moves=True)


def as_given(p: Planning, x: Operand, sizes: Sizes) -> Operand:
    """The way back: a tensor of all steps in the order of the caller."""
    return p.step(swapped, [x], sizes.sequence(x.shape[-1]), x.dtype, moves=True) if sizes.batch_first else x


def joined(p: Planning, directions: Sequence[Operand]) -> Operand:
    """The output of both directions of a layer."""
    if len(directions) == 1:
        return directions[0]
    *first, width = directions[0].shape
    return p.step(side_by_side, directions, (*first, 2 * width), directions[0].dtype, moves=True)


def states(p: Planning, cells: Sequence[Operand], sizes: Sizes) -> Operand:
    return p.step(last_states, cells, sizes.state, cells[0].dtype, moves=True, directions=sizes.directions)


def order(steps: int, *, reverse: bool) -> range:
    """The steps as they run."""
    return range(steps)[::-1] if reverse else range(steps)
