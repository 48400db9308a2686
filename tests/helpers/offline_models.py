"""Offline models in tests: files that stand for them, loads, data sets of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_uint32, c_void_p
from pathlib import Path
from typing import Any

import numpy as np

from acl_runtime import *
from acl_runtime.machine.current import current
from acl_runtime.models import Model, Tensor
from tests.helpers.builders import malloc
from tests.helpers.outcomes import ok

Array = np.ndarray[Any, np.dtype[Any]]


def double(inputs: dict[str, Array]) -> Array:
    """The function of the models here: twice the first input, as FLOAT."""
    return next(iter(inputs.values())).astype(np.float32) * 2


def small(**options: Any) -> Model:
    """A model of four numbers."""
    return Model(
        [Tensor("data", np.float32, (2, 2))], [Tensor("twice", np.float32, (2, 2))], **{"run": double, **options}
    )


def file_of(folder: Path, name: str = "model.om") -> str:
    """A file that stands for a model."""
    path = folder / name
    path.write_bytes(b"om " + name.encode())
    return str(path)


def load(folder: Path, model: Model, name: str = "model.om") -> int:
    """State a model, and load it."""
    current().models[name] = model
    return loaded(file_of(folder, name))


def loaded(path: str) -> int:
    """The id of the model in a file, which is loaded."""
    id = c_uint32()
    ok(aclInit(None)) if not current().initialisation.count else None
    ok(aclmdlLoadFromFile(path, byref(id)))
    return id.value


@contextmanager
def description(id: int) -> Iterator[aclmdlDesc]:
    """The description of a loaded model."""
    desc = aclmdlCreateDesc()
    ok(aclmdlGetDesc(desc, id))
    yield desc
    ok(aclmdlDestroyDesc(desc))


class Sets:
    """A data set with its data buffers and their memory."""

    def __init__(self, *contents: Array | int) -> None:
        """`contents`: an array to copy, or the bytes of memory that nothing is written to."""
        self.handle = aclmdlCreateDataset()
        self.buffers: list[aclDataBuffer] = []
        self.addresses: list[int] = []
        for content in contents:
            size = content if isinstance(content, int) else content.nbytes
            address = malloc(size) if size else 0
            if not isinstance(content, int):
                ok(aclrtMemcpy(address, size, content, size, ACL_MEMCPY_HOST_TO_DEVICE))
            self.add(address, size)

    def add(self, address: int, size: int) -> aclDataBuffer:
        """Append a data buffer."""
        buffer = aclCreateDataBuffer(c_void_p(address), size)
        ok(aclmdlAddDatasetBuffer(self.handle, buffer))
        self.buffers.append(buffer)
        self.addresses.append(address)
        return buffer

    def read(self, index: int, shape: Sequence[int], dtype: Any = np.float32) -> Array:
        """The content of a buffer, copied by the program."""
        array = np.empty(tuple(shape), dtype)
        address = aclGetDataBufferAddr(self.buffers[index])
        ok(aclrtMemcpy(array, array.nbytes, address, array.nbytes, ACL_MEMCPY_DEVICE_TO_HOST))
        return array

    def destroy(self) -> None:
        """Destroy all of it."""
        for buffer in self.buffers:
            address = aclGetDataBufferAddr(buffer)
            ok(aclDestroyDataBuffer(buffer))
            if address:
                ok(aclrtFree(c_void_p(address)))
        ok(aclmdlDestroyDataset(self.handle))


@contextmanager
def data_sets(inputs: Sequence[Array | int], outputs: Sequence[Array | int]) -> Iterator[tuple[Sets, Sets]]:
    """The data sets of an execution."""
    sets = Sets(*inputs), Sets(*outputs)
    yield sets
    for each in sets:
        each.destroy()
