"""The arguments of a call on a machine, and both phases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.machine.current import current
from acl_runtime.objects.handle_table import Tensor
from aclnn.engine.parameters import BoolArrayIn, FloatArrayIn, Param, ScalarListIn
from tests.aclnn.ops.case import Meta, board
from tests.aclnn.ops.good_calls import DENSE
from tests.derived.judging import Subject
from tests.derived.values import Call, Number, Values, tensors
from tests.helpers.builders import OnDevice, Planned, malloc, on_device, plan
from tests.helpers.weights import in_blocks

FILL = 3
"""what an output holds before"""
INDICES = re.compile("ind(ex|ices)|target|offset|position", re.IGNORECASE)
"""names of integer tensors whose values have to lie in a range"""
Results = dict[str, list[bytes]]
"""the bytes of each output"""


@dataclass
class Ready:
    """A call whose first phase succeeded, with its memory."""

    subject: Subject
    tensors: dict[str, list[OnDevice]]
    workspace: int | None
    size: int
    executor: aclOpExecutor

    def launch(self, size: int | None = None) -> int:
        return self.subject.second(self.workspace, self.size if size is None else size, self.executor, None)

    def finish(self) -> Results:
        """Launch, wait, and read the outputs."""
        return {name: [each.tobytes() for each in arrays] for name, arrays in self.outputs().items()}

    def outputs(self) -> dict[str, list[np.ndarray]]:
        """The same as arrays. The names are in the order of the prototype."""
        assert self.launch() == ACL_SUCCESS, aclGetRecentErrMsg()
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS, aclGetRecentErrMsg()
        names = [self.subject.op.params[place].printed for place in self.subject.op.output_places]
        return {name: list(map(read, self.tensors[name])) for name in names if name in self.tensors}


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


def ready(
    subject: Subject, call: Call, *, strided: str | None = None, arrays: Mapping[str, list[np.ndarray]] | None = None
) -> Ready:
    """The first phase, with memory. The tensors of `strided` have gaps between their elements; "*" means all. Tensors
    have the values of `arrays`, or else random ones."""
    placed: dict[str, list[OnDevice]] = {}
    arguments: list[Any] = []
    for param in subject.op.params:
        value, loose = call[param.printed], strided in ("*", param.printed)
        loose = loose and (subject.name, param.printed) not in DENSE
        if param.printed in tensors(call):
            members = value if isinstance(value, tuple) else (value,)
            drawn = [values(f"{subject.name} {param.printed} {at}", param, each) for at, each in enumerate(members)]
            of = drawn if arrays is None or not param.reads else arrays[param.printed]
            made = [place(one, each, loose=loose) for one, each in zip(of, members, strict=True)]
            placed[param.printed] = made
            handles = [each.handle for each in made]
            arguments.append(aclCreateTensorList(handles, len(made)) if isinstance(value, tuple) else made[0])
        else:
            arguments.append(handle(param, value))
    answer = plan(subject.first, *arguments)
    assert answer.status == ACL_SUCCESS, answer.text
    size = answer.workspace_size
    return Ready(subject, placed, malloc(size) if size else None, size, answer.executor)


def place(array: np.ndarray, value: Meta, *, loose: bool) -> OnDevice:
    """A tensor with its values, dense or with gaps; in blocks if its storage is in FRACTAL_NZ."""
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
    dtype = numpy_dtype(meta.dtype)
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


def launchable(call: Mapping[str, Any]) -> bool:
    """Does numpy have all data types of its tensors, and can those in FRACTAL_NZ be laid out? And has it no mask among
    its positions? With one the size of the result depends on the values."""
    given = [(name, each.dtype) for name, listed in tensors(call).items() for each in listed]
    masks = any(dtype == ACL_BOOL and INDICES.search(name) for name, dtype in given)
    weights = [each.dtype for listed in tensors(call).values() for each in listed if is_laid_out(each)]
    if not set(weights) <= {ACL_FLOAT16, ACL_BF16, ACL_INT8}:
        return False
    return not masks and all(numpy_dtype(dtype) is not None for _, dtype in given)


@contextmanager
def silent(subject: Subject, **options: Any) -> Iterator[Machine]:
    """A machine of the product of the good call, in which nothing may be found."""
    with board(subject.soc.name, **options) as machine:
        yield machine
        found = [str(each) for each in machine.findings if each.level in ("error", "warning")]
    assert found == []


def results(subject: Subject, call: Call, *, strided: str | None = None, **options: Any) -> Results:
    """The outputs of a call on a machine of its own."""
    with silent(subject, **options):
        return ready(subject, call, strided=strided).finish()
