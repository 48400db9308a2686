"""The arguments of a call on a machine, and both phases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.machine.current import current
from acl_runtime.objects.handle_table import Tensor
from aclnn.engine.parameters import BoolArrayIn, Elements, FloatArrayIn, Param, ScalarListIn
from aclnn.engine.plan import PlannedExecutor, Role
from tests.aclnn.ops.case import Meta, board
from tests.aclnn.ops.good_calls import DENSE
from tests.derived.judging import Subject
from tests.derived.values import Call, Number, Values, tensors
from tests.helpers.builders import OnDevice, Planned, malloc, on_device, plan
from tests.helpers.operator_launches import synchronise
from tests.helpers.packed import NUMBERS, is_packed, packed
from tests.helpers.weights import in_blocks

ROOM = 4096
"""workspace that every call with work asks for with `min_workspace=ROOM`"""
FILL = 3
"""what an output holds before"""
INDICES = re.compile("ind(ex|ices)|target|offset|position", re.IGNORECASE)
"""names of integer tensors whose values have to lie in a range"""
Results = dict[str, list[bytes]]
"""the bytes of each output"""


Placed = dict[str, list[OnDevice]]
"""the tensors of each parameter"""
Arrays = dict[str, list[np.ndarray]]
"""the values of each parameter that is read"""


@dataclass
class Ready:
    """A call whose first phase succeeded, with its memory."""

    subject: Subject
    tensors: Placed
    workspace: int | None
    size: int
    executor: aclOpExecutor

    def launch(self, stream: aclrtStream | None = None, *, size: int | None = None) -> int:
        return self.subject.second(self.workspace, self.size if size is None else size, self.executor, stream)

    def finish(self, stream: aclrtStream | None = None) -> Results:
        """Launch, wait, and read the bytes of the outputs."""
        assert self.launch(stream) == ACL_SUCCESS, aclGetRecentErrMsg()
        synchronise(stream)
        return self.results()

    def outputs(self) -> dict[str, list[np.ndarray]]:
        """Launch, wait, and read the outputs as arrays."""
        self.finish()
        return self.present()

    def results(self) -> Results:
        """The present bytes of the outputs."""
        return {name: [each.tobytes() for each in arrays] for name, arrays in self.present().items()}

    def present(self) -> dict[str, list[np.ndarray]]:
        """The present values of the outputs, in the order of the prototype."""
        names = [self.subject.op.params[place].printed for place in self.subject.op.output_places]
        return {name: list(map(read, self.tensors[name])) for name in names if name in self.tensors}

    @property
    def planned(self) -> PlannedExecutor:
        """The result of the first phase."""
        found = current().handles.find(self.executor.value or 0, PlannedExecutor)
        assert found is not None
        return found

    @property
    def used(self) -> list[tuple[Role, OnDevice]]:
        """The tensors that the steps use and that have elements."""
        found = [(role, self.at(role.place, role.member or 0)) for role, _ in self.planned.used]
        return [(role, tensor) for role, tensor in found if 0 not in tensor.shape]

    def at(self, place: int, member: int = 0) -> OnDevice:
        """A tensor, by the place of its parameter."""
        return self.tensors[self.subject.op.params[place].printed][member]


def read(tensor: OnDevice) -> np.ndarray:
    """The values of an output, in the shape that it has now."""
    machine = current()
    found = machine.handles.find(tensor.handle.value or 0, Tensor)
    assert found is not None
    machine.read_shape(found)
    tensor.shape, tensor.strides = found.shape, found.strides
    return tensor.read()


def planned(subject: Subject, call: Mapping[str, Any]) -> Planned:
    """The first phase, with tensors that have no memory."""
    return plan(subject.first, *(handle(param, call[param.printed]) for param in subject.op.params))


def ready(subject: Subject, call: Call, *, strided: str | None = None, arrays: Arrays | None = None) -> Ready:
    """The first phase, with memory, as `placed` makes it."""
    return prepared(subject, call, placed(subject, call, strided=strided, arrays=arrays))


def placed(subject: Subject, call: Call, *, strided: str | None = None, arrays: Arrays | None = None) -> Placed:
    """The tensors with memory. Those of `strided` have gaps between their elements; "*" means all. Inputs have the
    values of `arrays`, or else random ones."""
    made: Placed = {}
    for param in subject.op.params:
        loose = strided in ("*", param.printed) and (subject.name, param.printed) not in DENSE
        members = tensors(call).get(param.printed, [])
        if members:
            given = arrays.get(param.printed) if arrays is not None and param.reads else None
            of = given or drawn(subject, param, members)
            made[param.printed] = [place(one, each, loose=loose) for one, each in zip(of, members, strict=True)]
    return made


def prepared(subject: Subject, call: Call, given: Placed) -> Ready:
    """The first phase with these tensors, which must succeed, and the workspace."""
    answer = plan(subject.first, *arguments(subject, call, given))
    assert answer.status == ACL_SUCCESS, answer.text
    size = answer.workspace_size
    return Ready(subject, given, malloc(size) if size else None, size, answer.executor)


def arguments(subject: Subject, call: Call, given: Placed) -> list[Any]:
    """The arguments of the first phase."""
    found: list[Any] = []
    for param in subject.op.params:
        value, handles = call[param.printed], [each.handle for each in given.get(param.printed, ())]
        if not handles:
            found.append(handle(param, value))
        else:
            found.append(aclCreateTensorList(handles, len(handles)) if isinstance(value, tuple) else handles[0])
    return found


def inputs(subject: Subject) -> Arrays:
    """The values of the inputs of the good call."""
    params = [each for each in subject.op.params if isinstance(each, Elements) and each.reads]
    return {each.printed: drawn(subject, each, tensors(subject.good).get(each.printed, [])) for each in params}


def drawn(subject: Subject, param: Any, members: Sequence[Meta]) -> list[np.ndarray]:
    """The values of each tensor of a parameter."""
    return [values(f"{subject.name} {param.printed} {at}", param, each) for at, each in enumerate(members)]


def place(array: np.ndarray, value: Meta, *, loose: bool) -> OnDevice:
    """A tensor with its values, dense or with gaps; in blocks if its storage is in FRACTAL_NZ."""
    if is_packed(array):
        return packed(array)
    if is_laid_out(value):
        return in_blocks(array)
    if not loose or not array.size:
        return on_device(array, format=value.format)
    steps, step = [0] * len(value.shape), 3
    for at in reversed(range(len(steps))):
        steps[at] = step
        step = step * value.shape[at] + 1  # no element lies where another one does
    return on_device(array, strides=steps, offset=5, tail=4, format=value.format)


def is_laid_out(value: Meta) -> bool:
    """Is it a tensor of matrices in FRACTAL_NZ?"""
    return value.format == ACL_FORMAT_FRACTAL_NZ and value.storage is not None and len(value.shape) > 1


def values(seed: str, param: Any, meta: Meta) -> np.ndarray:
    """Random values that any formula takes: floats between 0.5 and 1.5, integers of 0 and 1, indices of 0."""
    dtype = NUMBERS.get(meta.dtype, numpy_dtype(meta.dtype))
    assert dtype is not None
    random = np.random.default_rng(crc32(seed.encode()))
    if not param.reads:
        return np.full(meta.shape, FILL).astype(dtype)
    if dtype.kind in "iub":
        return random.integers(0, 1 if INDICES.search(param.printed) else 2, meta.shape).astype(dtype)
    return random.uniform(0.5, 1.5, meta.shape).astype(np.float32).astype(dtype)


def handle(param: Param[Any], value: Any) -> Any:
    """An argument of a first phase; a tensor has no memory."""
    if isinstance(value, Meta):
        return value.make()
    if isinstance(value, Number):
        return aclCreateScalar(value.array(), value.dtype)
    if isinstance(value, Values):
        create = aclCreateIntArray
        if isinstance(param, FloatArrayIn | BoolArrayIn):
            create = aclCreateFloatArray if isinstance(param, FloatArrayIn) else aclCreateBoolArray
        return create(list(value.values), len(value.values))
    if isinstance(value, tuple):
        members = [handle(param, each) for each in value]
        create = aclCreateScalarList if isinstance(param, ScalarListIn) else aclCreateTensorList
        return create(members, len(members))
    return value


def launchable(call: Mapping[str, Any], *, narrow: bool = False) -> bool:
    """Does numpy have all data types of its tensors, and can those in FRACTAL_NZ be laid out? And has it no mask among
    its positions? With one the size of the result depends on the values. `narrow`: numbers of 4 bits may be there."""
    given = [(name, each.dtype) for name, listed in tensors(call).items() for each in listed]
    masks = any(dtype == ACL_BOOL and INDICES.search(name) for name, dtype in given)
    weights = [each for listed in tensors(call).values() for each in listed if is_laid_out(each)]
    if not {each.dtype for each in weights} <= {ACL_FLOAT16, ACL_BF16, ACL_INT8, ACL_FLOAT8_E4M3FN}:
        return False
    if any(len(each.shape) == len(each.storage or ()) for each in weights):  # the view has the blocks, too
        return False
    return not masks and all(numpy_dtype(dtype) is not None or (narrow and dtype in NUMBERS) for _, dtype in given)


@contextmanager
def silent(subject: Subject, **options: Any) -> Iterator[Machine]:
    """A machine of the product of the good call, in which nothing may be found."""
    with board(subject.soc.name, **options) as machine:
        yield machine
        found = [str(each) for each in machine.findings if each.level in ("error", "warning")]
    assert found == []


@cache
def expected(subject: Subject) -> Results:
    """The outputs of the good call."""
    return results(subject, subject.good)


def results(subject: Subject, call: Call, *, strided: str | None = None, **options: Any) -> Results:
    """The outputs of a call on a machine of its own."""
    with silent(subject, **options):
        return ready(subject, call, strided=strided).finish()
