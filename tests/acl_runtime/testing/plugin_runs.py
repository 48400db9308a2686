"""Shared by the tests of the plugin: the code under test, and the beginning of its test file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from acl_runtime.objects.soc import SOCS

PLUGIN = ("-p", "acl_runtime.pytest_plugin", "-p", "no:cacheprovider")
"""asked for by name, as the entry point is there only once the package is installed"""
HOST = """
    from ctypes import byref, c_void_p

    from acl_runtime import *
    from acl_runtime import UndefinedBehaviour


    def allocated(size=64):
        memory = c_void_p()
        assert aclrtMalloc(byref(memory), size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
        return memory


    def clears_too_much(memory):
        return aclrtMemset(memory, 128, 0, 65)


    def swallows(memory):
        try:
            return clears_too_much(memory)
        except Exception:
            return None


    def converts(memory):
        try:
            clears_too_much(memory)
        except Exception as error:
            raise RuntimeError("clearing failed") from error


    def on_device(call, *args):
        aclrtSetDevice(0)
        try:
            return call(*args)
        finally:
            aclrtResetDevice(0)


    async def task(memory):
        return clears_too_much(memory)


    async def task_that_swallows(memory):
        try:
            return clears_too_much(memory)
        except Exception:
            return None


    def finding_of(call):
        try:
            call()
        except UndefinedBehaviour as behaviour:
            return behaviour.finding
"""
START = """
    import contextlib

    import pytest

    from host import *


    @pytest.fixture
    def memory(machine):
        aclrtSetDevice(0)
        memory = allocated()
        yield memory
        aclrtFree(memory)
        aclrtResetDevice(0)
"""
FIRST = next(iter(SOCS))
Run = Callable[..., pytest.RunResult]


def output(result: pytest.RunResult) -> str:
    return result.stdout.str()
