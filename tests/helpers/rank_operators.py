"""Operators that meet other ranks: the call of each rank, and its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ctypes import create_string_buffer
from typing import Any

import numpy as np

import aclnn
from acl_runtime import *
from aclnn.catalogue.facts import facts
from tests.helpers.builders import OnDevice, malloc, on_device, plan
from tests.helpers.outcomes import ok
from tests.helpers.ranks import Rank, queued

Values = Mapping[str, Any]
"""arguments by the names of the prototype; those that are left out are null, 0, or the name of the group"""
DEFAULTS: dict[str, Any] = {"streamMode": 1, "reduceOp": "sum", "commMode": "aiv"}


def group_name(rank: Rank) -> str:
    """The name of the communicator of a rank."""
    name = create_string_buffer(128)
    queued(HcclGetCommName(rank.comm, name))
    return name.value.decode()


class RankCall:
    """The call of one rank, after its first phase."""

    def __init__(self, rank: Rank, name: str, values: Values) -> None:
        aclrtSetDevice(rank.number)
        self.rank, self.name = rank, name
        self.second = getattr(aclnn, name)
        self.tensors: dict[str, OnDevice] = {}
        arguments = [self._argument(each.name, each.type, values) for each in facts(name).params]
        self.planned = plan(getattr(aclnn, f"{name}GetWorkspaceSize"), *arguments)

    def _argument(self, name: str, c_type: str, values: Values) -> Any:
        value = values.get(name, DEFAULTS.get(name, None if "acl" in c_type else 0))
        if "char" in c_type and name.startswith("group") and name not in values:
            return group_name(self.rank)
        if isinstance(value, tuple):
            return aclCreateIntArray(list(value), len(value))
        if isinstance(value, np.ndarray):
            value = self.tensors[name] = on_device(value)
        elif isinstance(value, OnDevice):
            self.tensors[name] = value
        return value

    def launch(self) -> int:
        """Call the second phase."""
        aclrtSetDevice(self.rank.number)
        assert self.planned.status == ACL_SUCCESS, self.planned.text
        size = self.planned.workspace_size
        return self.second(malloc(size) if size else None, size, self.planned.executor, self.rank.stream)

    def results(self) -> dict[str, np.ndarray]:
        """Wait for the stream, and read all tensors."""
        aclrtSetDevice(self.rank.number)
        assert aclrtSynchronizeStream(self.rank.stream) == ACL_SUCCESS, aclGetRecentErrMsg()
        return {name: tensor.read() for name, tensor in self.tensors.items()}


def on_ranks(ranks: Sequence[Rank], name: str, calls: Sequence[Values]) -> list[dict[str, np.ndarray]]:
    """Both phases of the call of each rank; the values of its tensors afterwards."""
    made = [RankCall(rank, name, values) for rank, values in zip(ranks, calls, strict=True)]
    for each in made:
        ok(each.launch())
    return [each.results() for each in made]
