"""The case of an operator: one good call, and for each check the calls that only this check refuses.

The case of an operator stands beside its test, in `case_<operator>.py`. Its checks stand in the order in which the
operator's contract ("Phase 1: ordered checks") lists them. `tests/derived/documents/test_contract.py` compares the
declared order with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ctypes import byref, c_uint64
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.soc import Series
from aclnn.engine.declaration import Op
from tests.conftest import check_documented
from tests.helpers.builders import UNTOUCHED, Planned, acl_type, meta, plan
from tests.helpers.lone_group import lone_group

A2, A3, TRAINING, INFERENCE, A200I = "Ascend910B1", "Ascend910_9391", "Ascend910A", "Ascend310P3", "Ascend310B1"
A950 = "Ascend950PR_9599"
"""one chip of each product series"""
Changes = Mapping[str, Any]


@dataclass(frozen=True)
class Meta:
    """A tensor without memory, to be made on the machine of a test."""

    shape: tuple[int, ...]
    dtype: int = ACL_FLOAT
    format: int = ACL_FORMAT_ND
    strides: tuple[int, ...] | None = None
    offset: int = 0
    storage: tuple[int, ...] | None = None

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Kept, as tables of judged calls look up the same tensors again and again."""
        return hash((self.shape, int(self.dtype), self.format, self.strides, self.offset, self.storage))

    def make(self) -> aclTensor:
        return meta(self.shape, self.dtype, strides=self.strides, offset=self.offset, format=self.format,
                    storage=self.storage)  # fmt: skip


def f32(*shape: int, format: int = ACL_FORMAT_ND) -> Meta:
    return Meta(shape, ACL_FLOAT, format)


def f16(*shape: int) -> Meta:
    return Meta(shape, ACL_FLOAT16)


def i64(*shape: int, format: int = ACL_FORMAT_ND) -> Meta:
    return Meta(shape, ACL_INT64, format)


def made(value: Any) -> Any:
    """An argument of a first phase: arrays and `Meta` become tensors without memory."""
    if isinstance(value, np.ndarray):
        return meta(value.shape, acl_type(value.dtype))
    return value.make() if isinstance(value, Meta) else value


@dataclass(frozen=True)
class Breaker:
    """Changes to the good call that one check refuses, and what its text must tell."""

    parameter: str
    found: str
    allowed: str
    changes: dict[str, Any]
    status: int = ACLNN_ERR_PARAM_INVALID
    soc: str = A2
    behind: tuple[str, ...] = ()
    """checks that refuse every such call before this one can; without them it speaks"""


def refused(parameter: str, found: str, allowed: str, /, **changes: Any) -> Breaker:
    """161002."""
    return Breaker(parameter, found, allowed, changes)


def untiled(parameter: str, found: str, allowed: str, /, soc: str = A2, **changes: Any) -> Breaker:
    """561002."""
    return Breaker(parameter, found, allowed, changes, ACLNN_ERR_INNER_TILING_ERROR, soc)


def unplanned(parameter: str, found: str, allowed: str, /, soc: str = A2, **changes: Any) -> Breaker:
    """561103."""
    return Breaker(parameter, found, allowed, changes, ACLNN_ERR_INNER_NULLPTR, soc)


def skipped(**changes: Any) -> Breaker:
    """Success: the tensors are empty, and the checks below are not reached."""
    return Breaker("", "", "", changes, ACL_SUCCESS)


@dataclass(frozen=True, eq=False)
class Case:
    """An operator under test."""

    name: str
    prototypes: tuple[str, str, str]
    """the header, and the declarations of both phases as the document prints them"""
    good: dict[str, Any]
    """arguments by parameter name; an array stands for a tensor that holds it"""
    results: dict[str, Any]
    """what the good call writes"""
    products: frozenset[Series]
    elsewhere: int
    """what the first phase answers on the other products"""
    breakers: dict[str, tuple[Breaker, ...]] = field(repr=False)
    """by the sentence of the check, in the order of the contract"""

    def __str__(self) -> str:
        return self.name

    @property
    def first(self) -> Any:
        return getattr(aclnn, f"{self.name}GetWorkspaceSize")

    @property
    def second(self) -> Any:
        return getattr(aclnn, self.name)

    @property
    def op(self) -> type[Op]:
        return self.second.op

    @property
    def tensors(self) -> list[str]:
        """Names of the parameters that have a tensor in the good call."""
        return [name for name, value in self.good.items() if isinstance(value, np.ndarray)]

    def metas(self) -> dict[str, Any]:
        """The good call without memory, under the names of the prototype."""
        values = (
            Meta(each.shape, acl_type(each.dtype)) if isinstance(each, np.ndarray) else each
            for each in self.good.values()
        )
        return dict(zip((param.printed for param in self.op.params), values, strict=True))

    def arguments(self, changes: Changes | None = None) -> list[Any]:
        """The good call, changed, as arguments in the order of the prototype."""
        return [made(value) for value in {**self.good, **(changes or {})}.values()]

    def plan(self, changes: Changes | None = None) -> Planned:
        """The first phase of the good call, changed."""
        return plan(self.first, *self.arguments(changes))


def call_with_null(case: Case, *nulls: str, changes: Changes | None = None) -> tuple[int, str]:
    """The first phase with out-pointers null; status and text."""
    size, executor = c_uint64(UNTOUCHED), aclOpExecutor()
    outs = [None if "workspaceSize" in nulls else byref(size), None if "executor" in nulls else byref(executor)]
    status = case.first(*case.arguments(changes), *outs)
    assert size.value == UNTOUCHED
    assert not executor
    return status, aclGetRecentErrMsg() or ""


@contextmanager
def board(soc: str = A2, **options: Any) -> Iterator[Machine]:
    """A machine with device 0 set, and a group of one rank; its answers are held against the documentation at the
    end."""
    with Machine(soc, **options) as machine:
        aclrtSetDevice(0)
        with lone_group():
            yield machine
    check_documented(machine)


def ramp(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)
