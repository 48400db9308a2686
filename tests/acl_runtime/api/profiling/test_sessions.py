"""Profiling sessions: arguments are judged, a state is kept, and nothing is collected."""

from collections.abc import Callable
from ctypes import c_void_p
from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.outcomes import assert_status, finding_of, ok

ALL = 0xC_0100_FBFF
"""all switches that exist"""


def config(switches: int, devices: list[int] | None = None) -> aclprofConfig:
    listed = [0] if devices is None else devices
    return aclprofCreateConfig(listed, len(listed), ACL_AICORE_NONE, None, switches)


def switches_of(machine: Machine, handle: aclprofConfig) -> int:
    return machine.handles.get(handle.value or 0).switches  # type: ignore[union-attr, no-any-return]


@pytest.mark.fidelity("profiling (aclprof, Msprof)")
def test_a_session_is_accepted_and_writes_nothing(machine: Machine, tmp_path: Path) -> None:
    path = str(tmp_path)
    ok(aclprofInit(path, len(path)))
    chosen = config(ACL_PROF_ACL_API | ACL_PROF_TASK_TIME)
    ok(aclprofSetConfig(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "15", 2))
    ok(aclprofStart(chosen))
    assert machine.profiling.running is machine.handles.get(chosen.value or 0)
    ok(aclprofStop(chosen))
    ok(aclprofDestroyConfig(chosen))
    ok(aclprofFinalize())
    assert machine.profiling.running is None
    assert list(tmp_path.iterdir()) == []
    assert [call.function for call in machine.calls if call.function.startswith("aclprof")][:2] == [
        "aclprofInit",
        "aclprofCreateConfig",
    ]


@pytest.mark.parametrize(
    ("path", "length"),
    [(None, 4), ("", 0), ("x" * 4096, 4096), ("abc", 2), ("abc", 4)],
    ids=["null", "empty", "4096 bytes", "shorter", "longer"],
)
def test_a_bad_path_is_100000(machine: Machine, path: str | None, length: int) -> None:
    """ "path null; length 0 or >= 4096; length differs from the text's length: 100000"."""
    assert_status(aclprofInit(path, length), ACL_ERROR_INVALID_PARAM)
    assert machine.profiling.path is None


def test_twice_is_100002(machine: Machine) -> None:
    ok(aclprofInit("é", 2))
    assert_status(aclprofInit("a", 1), ACL_ERROR_REPEAT_INITIALIZE)
    ok(aclprofFinalize())
    ok(aclprofInit("a", 1))


def test_it_needs_no_initialisation(machine: Machine) -> None:
    """ "since 9.1.0 it initialises itself with path "./""; Stop and Finalize answer 0."""
    ok(aclprofStop(None))
    ok(aclprofFinalize())
    ok(aclprofStart(None))
    assert machine.profiling.path == "./"
    ok(aclprofStop(None))
    assert_status(aclprofInit("a", 1), ACL_ERROR_REPEAT_INITIALIZE)


@pytest.mark.fidelity("aclprofStart while a session runs")
def test_a_second_start_changes_nothing(machine: Machine) -> None:
    first, second = config(ACL_PROF_ACL_API), config(ACL_PROF_MSPROFTX)
    ok(aclprofStart(first))
    ok(aclprofStart(second))
    assert machine.profiling.running is machine.handles.get(first.value or 0)
    assert not aclprofCreateStamp()


def test_a_warm_up_comes_between_initialisation_and_start(machine: Machine) -> None:
    """ "null 100000; not initialised 100043; after Start 148047"."""
    chosen = config(ACL_PROF_ACL_API)
    assert_status(aclprofWarmup(None), ACL_ERROR_INVALID_PARAM, "profilerConfig")
    assert_status(aclprofWarmup(chosen), ACL_ERROR_PROF_NOT_RUN)
    ok(aclprofInit("a", 1))
    ok(aclprofWarmup(chosen))
    ok(aclprofStart(chosen))
    assert_status(aclprofWarmup(chosen), ACL_ERROR_PROF_API_CONFLICT)
    ok(aclprofStop(chosen))
    ok(aclprofWarmup(chosen))


NULL: dict[str, Callable[[], aclprofConfig]] = {
    "a null list": lambda: aclprofCreateConfig(None, 1, 0, None, 1),
    "events": lambda: aclprofCreateConfig([0], 1, 0, c_void_p(64), 1),
    "more devices than there are": lambda: aclprofCreateConfig([0, 1, 2], 3, 0, None, 1),
    "more than 64 devices": lambda: aclprofCreateConfig(list(range(65)), 65, 0, None, 1),
    "a device out of range": lambda: aclprofCreateConfig([2], 1, 0, None, 1),
    "a device twice": lambda: aclprofCreateConfig([1, 1], 2, 0, None, 1),
    "no device": lambda: aclprofCreateConfig([], 0, 0, None, 1),
}


@pytest.mark.parametrize("make", NULL.values(), ids=NULL)
def test_a_bad_configuration_is_null(make: Callable[[], aclprofConfig]) -> None:
    with Machine(device_count=2):
        assert not make()
        assert config(1, [1, 0])
        assert aclprofCreateConfig(None, 0, 0, None, ACL_PROF_MSPROFTX)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (0x1, 0x1),
        (0x2, 0x842),
        (0x800, 0x840),
        (0x2000, 0x2842),
        (0x4000, 0x4842),
        (0x8000, 0xA842),
        (1 << 34, (1 << 34) + 1),
        ((1 << 34) + 0x80, (1 << 34) + 1),
    ],
)
def test_switches_bring_others(machine: Machine, given: int, kept: int) -> None:
    assert switches_of(machine, config(given)) == kept


@pytest.mark.parametrize("use", [aclprofStart, aclprofStop])
def test_switches_are_judged_at_the_start_and_at_the_end(machine: Machine, use: Callable[..., int]) -> None:
    """ "bits zero 100000; unknown bits 200007"."""
    assert_status(use(config(0)), ACL_ERROR_INVALID_PARAM)
    assert_status(use(config(0x400)), ACL_ERROR_PROF_MODULES_UNSUPPORTED, "0x400")
    ok(use(config(ALL & ~(1 << 34))))
    assert_status(use(config(1 << 36)), ACL_ERROR_PROF_MODULES_UNSUPPORTED)


@pytest.mark.parametrize(
    ("kind", "text", "length"),
    [(0, "1", 1), (17, "1", 1), (1, None, 1), (1, "abc", 2), (1, "x" * 257, 257)],
    ids=["type 0", "type 17", "null", "another length", "257 bytes"],
)
def test_a_bad_option_is_100000(machine: Machine, kind: int, text: str | None, length: int) -> None:
    assert_status(aclprofSetConfig(kind, text, length), ACL_ERROR_INVALID_PARAM)
    ok(aclprofSetConfig(16, "x" * 256, 256))
    assert machine.profiling.options == {16: "x" * 256}


def test_a_dead_configuration_is_found() -> None:
    with Machine(on_undefined="report") as machine:
        chosen = config(1)
        ok(aclprofDestroyConfig(chosen))
        assert {use(chosen) for use in (aclprofStart, aclprofStop, aclprofDestroyConfig)} == {107000}
        assert_status(aclprofDestroyConfig(None), ACL_ERROR_INVALID_PARAM)
        assert [finding.id for finding in machine.findings] == ["dead-handle"] * 3
    check_documented(machine)
    with Machine():
        chosen = config(1)
        aclprofDestroyConfig(chosen)
        assert finding_of(lambda: aclprofStart(chosen))[0] == "dead-handle"
