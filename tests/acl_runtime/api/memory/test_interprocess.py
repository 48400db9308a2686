"""Memory of aclrtMalloc that processes share by keys (public)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from ctypes import byref, c_int32, c_void_p, create_string_buffer

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc as memory
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import board
from tests.helpers.memory.words import word
from tests.helpers.outcomes import assert_status, ok

LARGE = 2 << 20
KEY, PID, PLACE = create_string_buffer(65), (c_int32 * 1)(os.getpid()), c_void_p()


def key_of(place: int, size: int, flags: int = 1) -> bytes:
    key = create_string_buffer(65)
    ok(aclrtIpcMemGetExportKey(place, size, key, 65, flags))
    return key.value


def opened(key: bytes) -> int:
    place = c_void_p()
    ok(aclrtIpcMemImportByKey(byref(place), key, 1))
    return place.value or 0


SERVER = (aclrtServerPid * 1)()
REFUSED: dict[str, tuple[Callable[[], int], int, str]] = {
    "export": (lambda: aclrtIpcMemGetExportKey(None, 0, None, 0, 9), 100000, "devPtr"),
    "export-key": (lambda: aclrtIpcMemGetExportKey(8, 0, None, 0, 9), 100000, "key"),
    "export-size": (lambda: aclrtIpcMemGetExportKey(8, 0, KEY, 0, 9), 107000, "size"),
    "export-len": (lambda: aclrtIpcMemGetExportKey(8, 1, KEY, 0, 9), 107000, "len"),
    "export-flags": (lambda: aclrtIpcMemGetExportKey(8, 1, KEY, 65, 2), 107000, "flags"),
    "export-memory": (lambda: aclrtIpcMemGetExportKey(8, 1, KEY, 65, 1), 107000, "devPtr"),
    "pid": (lambda: aclrtIpcMemSetImportPid(None, None, 0), 100000, "key"),
    "pid-list": (lambda: aclrtIpcMemSetImportPid(b"", None, 0), 100000, "pid"),
    "pid-num": (lambda: aclrtIpcMemSetImportPid(b"", PID, 0), 107000, "num"),
    "pid-key": (lambda: aclrtIpcMemSetImportPid(b"aclnn-memory-x", PID, 1), 107000, "key"),
    "import": (lambda: aclrtIpcMemImportByKey(None, None, 9), 100000, "devPtr"),
    "import-key": (lambda: aclrtIpcMemImportByKey(byref(PLACE), None, 9), 100000, "key"),
    "import-flags": (lambda: aclrtIpcMemImportByKey(byref(PLACE), b"", 2), 107000, "flags"),
    "import-unknown": (lambda: aclrtIpcMemImportByKey(byref(PLACE), b"aclnn-memory-1", 1), 107000, "key"),
    "close": (lambda: aclrtIpcMemClose(None), 100000, "key"),
    "close-unknown": (lambda: aclrtIpcMemClose(b"aclnn-memory-1"), 107000, "key"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_of_several_mistakes_the_first_check_answers(machine: Machine, name: str) -> None:
    call, status, word = REFUSED[name]
    assert_status(call(), status, word)


SUPER_NODES: dict[str, tuple[Callable[[], int], int, str]] = {
    "servers": (lambda: aclrtIpcMemImportPidInterServer(None, None, 0), 107000, "key"),
    "servers-list": (lambda: aclrtIpcMemImportPidInterServer(b"", None, 0), 107000, "serverPids"),
    "servers-num": (lambda: aclrtIpcMemImportPidInterServer(b"", SERVER, 0), 107000, "num"),
    "servers-pid": (lambda: aclrtIpcMemImportPidInterServer(b"", SERVER, 1), 107000, "pid"),
    "attr": (lambda: aclrtIpcMemSetAttr(None, 1, 9), 107000, "key"),
    "attr-type": (lambda: aclrtIpcMemSetAttr(b"", 1, 9), 107000, "type"),
    "attr-value": (lambda: aclrtIpcMemSetAttr(b"", 0, 4), 107000, "attr"),
    "attr-good": (lambda: aclrtIpcMemSetAttr(b"", 0, 3), 0, ""),
}


@pytest.mark.parametrize("name", SUPER_NODES)
def test_functions_of_super_nodes(name: str) -> None:
    call, status, word = SUPER_NODES[name]
    with Machine(soc="Ascend910_9391"):
        aclrtSetDevice(0)
        assert_status(call(), status, word) if status else ok(call())
        aclrtResetDevice(0)


@pytest.mark.parametrize("soc", ["Ascend310B1", "Ascend910B3"])
def test_products(soc: str) -> None:
    with Machine(soc=soc):
        aclrtSetDevice(0)
        refused = soc == "Ascend310B1"
        call = aclrtIpcMemClose(b"") if refused else aclrtIpcMemSetAttr(b"", 0, 1)
        assert_status(call, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "")
        aclrtResetDevice(0)


def test_without_a_context_107002(machine: Machine) -> None:
    calls = [REFUSED[name][0] for name in ("export-memory", "pid-key", "import-unknown", "close-unknown")]
    assert {in_thread(call) for call in calls} == {ACL_ERROR_RT_CONTEXT_NULL}


@pytest.mark.fidelity("keys of memory for other processes")
def test_a_key_is_for_memory_of_aclrtmalloc(machine: Machine) -> None:
    place = memory(100)
    first = key_of(place, 100)
    assert len(first) < 65
    assert first.decode("ascii").isprintable()
    assert key_of(place, 100) == first
    assert key_of(place + 4, 90) != first
    assert_status(aclrtIpcMemGetExportKey(place + 4, 100, KEY, 65, 1), ACL_ERROR_RT_PARAM_INVALID, "devPtr")
    assert_status(aclrtIpcMemGetExportKey(place, 100, KEY, 9, 1), ACL_ERROR_RT_PARAM_INVALID, "len")
    inside = opened(first)
    assert_status(aclrtIpcMemGetExportKey(inside, 100, KEY, 65, 1), ACL_ERROR_RT_PARAM_INVALID, "devPtr")
    assert_status(aclrtFree(inside), ACL_ERROR_RT_PARAM_INVALID, "devPtr")
    assert word(inside, 5) == word(place) == 5
    ok(aclrtIpcMemClose(first))  # the import
    ok(aclrtIpcMemClose(first))  # the key
    assert_status(aclrtIpcMemImportByKey(byref(PLACE), first, 1), ACL_ERROR_RT_PARAM_INVALID, "key")
    ok(aclrtFree(place))


def test_the_first_of_several_imports_is_closed_first(machine: Machine) -> None:
    place = memory(LARGE)
    key = key_of(place, LARGE)
    first, second = opened(key), opened(key)
    ok(aclrtIpcMemClose(key))
    assert_status(aclrtMemcpy(create_string_buffer(4), 4, first, 4, 2), ACL_ERROR_RT_PARAM_INVALID, "closed")
    assert word(second, 3) == word(place) == 3
    ok(aclrtIpcMemClose(key))
    ok(aclrtFree(place))


@pytest.mark.parametrize("size", [64, LARGE])
def test_work_that_is_queued_at_the_export_runs_on_the_shared_bytes(machine: Machine, size: int) -> None:
    place, stream = memory(size), aclrtStream()
    ok(aclrtCreateStream(byref(stream)))
    ok(aclrtMemsetAsync(place, size, 1, size // 2, stream))
    shared = opened(key_of(place, size))
    ok(aclrtMemsetAsync(place + size // 2, size // 2, 2, size // 2, stream))
    assert word(shared) == -1  # the fill value: nothing has run yet
    ok(aclrtSynchronizeStream(stream))
    assert word(shared) == word(place) == 0x01010101
    assert word(shared + size // 2) == 0x02020202
    ok(aclrtIpcMemClose(key_of(place, size)))
    ok(aclrtFree(place))
    ok(aclrtDestroyStream(stream))


def test_closing_memory_that_a_task_uses_is_a_finding() -> None:
    with board(on_undefined="report") as machine:
        place, stream = memory(64), aclrtStream()
        ok(aclrtCreateStream(byref(stream)))
        key = key_of(place, 64)
        ok(aclrtMemsetAsync(opened(key), 64, 1, 64, stream))
        aclrtIpcMemClose(key)
        assert [finding.id for finding in machine.findings] == ["io-freed-early"]
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtFree(place))
        ok(aclrtDestroyStream(stream))


def test_memory_that_is_never_closed_is_a_leak() -> None:
    with Machine() as machine:
        aclInit(None)
        aclrtSetDevice(0)
        place = memory(64)
        opened(key_of(place, 64))
        aclrtFree(place)
        aclrtResetDevice(0)
        aclFinalize()
    assert [(finding.id, "never closed" in finding.what) for finding in machine.findings] == [("mem-leaked", True)]


@pytest.mark.fidelity("keys of memory for other processes")
def test_a_key_finds_the_memory_of_its_own_machine() -> None:
    """A machine inside another one has other keys (ours)."""
    with board():
        outer = memory(64)
        assert word(outer, 7) == 7
        assert key_of(outer, 64)
        with board():
            inner = memory(64)
            assert word(inner, 8) == 8
            assert word(opened(key_of(inner, 64))) == 8
            ok(aclrtIpcMemClose(key_of(inner, 64)))
            ok(aclrtFree(inner))
        ok(aclrtFree(outer))


CHILD = """
import sys
from ctypes import byref, c_void_p
from acl_runtime import *
from tests.helpers.memory.words import word

aclrtSetDevice(0)
place = c_void_p()
for key in sys.stdin:
    what, _, key = key.strip().partition(" ")
    if what == "open":
        print(int(aclrtIpcMemImportByKey(byref(place), key, 1)), flush=True)
    elif what == "add":
        print(word(place.value, word(place.value) + 1), flush=True)
    else:
        print(int(aclrtIpcMemClose(key)), flush=True)
aclrtResetDevice(0)
"""


@pytest.mark.fidelity("keys of memory for other processes")
@pytest.mark.fidelity("memory that another process has open")
def test_two_processes_share_the_bytes() -> None:
    """A process that was not allowed is refused. A free while another process has the memory open is a finding."""
    with board(on_undefined="report") as machine:
        places = [memory(64), memory(LARGE)]
        with subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:

            def ask(what: str, key: bytes = b"") -> int:
                assert child.stdin is not None
                assert child.stdout is not None
                child.stdin.write(what.encode() + b" " + key + b"\n")
                child.stdin.flush()
                return int(child.stdout.readline())

            for place, size in zip(places, (64, LARGE), strict=True):
                key = key_of(place, size, 0)
                word(place, 7)
                assert ask("open", key) == ACL_ERROR_RT_NO_PERMISSION
                ok(aclrtIpcMemSetImportPid(key, (c_int32 * 1)(child.pid), 1))
                assert ask("open", key) == ACL_SUCCESS
                assert ask("add") == 8 == word(place)
                if size == 64:
                    assert ask("close", key) == ACL_SUCCESS
            assert not machine.findings
            ok(aclrtFree(places[0]))
            assert not machine.findings
            ok(aclrtFree(places[1]))
            [finding] = machine.findings
            assert finding.id == "io-freed-early"
            assert f"process {child.pid} has them open" in finding.what
            assert ask("add") == 9
            child.terminate()
