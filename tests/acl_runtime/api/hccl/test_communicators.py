"""Communicators: made of root information, in one call, from a rank table, of some ranks; their queries and ends."""

from __future__ import annotations

import ctypes
import json
from ctypes import POINTER, byref, c_bool, c_char, c_int32, c_uint32, cast, create_string_buffer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.outcomes import assert_status, finding_of
from tests.helpers.ranks import SCHEDULES, Rank, floats, in_threads, new_root, queued, world

CONNECT = "HCCL_CONNECT_TIMEOUT"


@pytest.fixture
def pair() -> Any:
    """A machine with two devices; device 0 is set."""
    with Machine(device_count=2, on_undefined="report") as machine:
        aclrtSetDevice(0)
        yield machine
        check_documented(machine)


def create(size: int, root: HcclRootInfo, rank: int, config: HcclCommConfig | None = None) -> tuple[int, HcclComm]:
    """Make the communicator of a rank on the device of its number."""
    aclrtSetDevice(rank)
    comm = HcclComm()
    if config is None:
        return HcclCommInitRootInfo(size, byref(root), rank, byref(comm)), comm
    return HcclCommInitRootInfoConfig(size, byref(root), rank, byref(config), byref(comm)), comm


def config_of(**members: Any) -> HcclCommConfig:
    config = HcclCommConfig()
    HcclCommConfigInit(byref(config))
    for name, value in members.items():
        setattr(config, name, value)
    return config


def name_of(comm: HcclComm) -> str:
    buffer = create_string_buffer(128)
    queued(HcclGetCommName(comm, buffer))
    return buffer.value.decode()


# root information


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_call_waits_until_all_ranks_have_called(schedule: str) -> None:
    """ "9 collectives + 2 point-to-point programs": one thread for each device, from the root information on."""
    with Machine(device_count=3, schedule=schedule) as machine:
        aclrtSetDevice(0)
        root, out = new_root(), dict[int, list[float]]()

        def body(number: int) -> None:
            result, comm = create(3, root, number)
            queued(result)
            rank = Rank(number, comm)
            place = rank.put(floats(number))
            queued(rank.all_reduce(place, 1))
            out[number] = rank.get(place, 1, np.float32).tolist()
            queued(HcclCommDestroy(comm))

        assert in_threads(*(lambda number=number: body(number) for number in range(3))) == [None] * 3
        assert out == {0: [3], 1: [3], 2: [3]}
        check_documented(machine)


@pytest.mark.fidelity("root information")
def test_root_information_is_printable_and_new_each_time(machine: Machine) -> None:
    """ours: clients copy it through texts and tensors of bytes; it has 4108 bytes, the tail zero."""
    first, second = bytes(new_root()), bytes(new_root())
    assert len(first) == 4108
    assert first != second
    assert first.rstrip(b"\0").decode("ascii").isprintable()
    assert HcclGetRootInfo(None) == HCCL_E_PTR


def test_the_checks_of_the_creation(pair: Machine) -> None:
    root, comm = new_root(), HcclComm()
    config = config_of()
    for size, rank, info, into, result in (
        (0, 0, None, None, HCCL_E_PARA), (2, 2, None, None, HCCL_E_PARA),
        (1, 0, byref(root), None, HCCL_E_PTR), (1, 0, None, byref(comm), HCCL_E_PTR),
        (1, 0, byref(HcclRootInfo()), byref(comm), HCCL_E_PARA),
    ):  # fmt: skip
        assert HcclCommInitRootInfo(size, info, rank, into) == result
        assert HcclCommInitRootInfoConfig(size, info, rank, byref(config), into) == result
    assert_status(HcclCommInitRootInfoConfig(1, byref(root), 0, None, byref(comm)), HCCL_E_PTR, "(EI0003)", "config")


def test_a_thread_without_a_device_is_refused(pair: Machine) -> None:
    results: list[int] = []
    in_threads(lambda: results.append(HcclGetRootInfo(byref(HcclRootInfo()))))
    in_threads(lambda: results.append(HcclCommInitAll(1, [0], (HcclComm * 1)())))
    assert results == [HCCL_E_RUNTIME] * 2


def test_one_root_information_serves_one_communicator(pair: Machine) -> None:
    root = new_root()
    queued(create(1, root, 0)[0])
    assert_status(create(1, root, 0)[0], HCCL_E_PARA, "a root information of its own")


@pytest.mark.parametrize(
    ("devices", "ranks", "words"),
    [((0, 1), (0, 0), "rank 0 joins twice"), ((0, 0), (0, 1), "device 0 is that of two ranks")],
)
def test_a_rank_or_a_device_that_is_there_twice_is_refused_on_all_ranks(
    pair: Machine, devices: tuple[int, int], ranks: tuple[int, int], words: str
) -> None:
    root, results = new_root(), list[tuple[int, str]]()

    def body(device: int, rank: int) -> None:
        aclrtSetDevice(device)
        result = HcclCommInitRootInfo(2, byref(root), rank, byref(HcclComm()))
        results.append((int(result), aclGetRecentErrMsg() or ""))

    in_threads(*(lambda each=each: body(*each) for each in zip(devices, ranks, strict=True)))
    assert [result for result, _ in results] == [HCCL_E_PARA] * 2
    assert all("EI0014" in text and words in text for _, text in results)


@pytest.mark.parametrize(("member", "word"), [("hcclCommName", "name"), ("hcclBufferSize", "buffer size")])
def test_configurations_that_differ_are_a_finding(pair: Machine, member: str, word: str) -> None:
    root = new_root()
    values = (b"one", b"two") if member == "hcclCommName" else (100, 200)
    configs = [config_of(**{member: value}) for value in values]
    results: list[int] = []

    def body(rank: int) -> None:
        results.append(create(2, root, rank, configs[rank])[0])

    in_threads(lambda: body(0), lambda: body(1))
    assert results == [HCCL_E_PARA] * 2
    assert [finding.id for finding in pair.findings] == ["collective-mismatch"]
    assert word in str(next(iter(pair.findings)))


def test_members_that_may_differ_do_not_count(pair: Machine) -> None:
    """hcclWorldRankID and hcclJobID "differ between ranks"."""
    root = new_root()
    configs = [config_of(hcclWorldRankID=rank, hcclJobID=rank + 5) for rank in range(2)]
    results: list[int] = []
    in_threads(*(lambda rank=rank: results.append(create(2, root, rank, configs[rank])[0]) for rank in range(2)))
    assert results == [0, 0]


@pytest.mark.fidelity("ranks that are late")
def test_a_rank_that_never_joins_is_a_finding_and_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other thread is left that could join, and no process joins within the patience of the machine. The simulated
    time is the timeout, plus 20 s."""
    monkeypatch.setenv(CONNECT, "130")
    with Machine(device_count=2, on_undefined="report", patience=0.01) as machine:
        aclrtSetDevice(0)
        result, comm = create(2, new_root(), 0)
        assert_status(result, HCCL_E_TIMEOUT, "(EI0015)", "rank 1 did not join")
        assert not comm
        assert [finding.id for finding in machine.findings] == ["collective-absent"]
        assert machine.clock.now == pytest.approx(150e6)


@pytest.mark.parametrize("text", ["0", "-1", "7201", "two"])
def test_an_invalid_timeout_is_refused(pair: Machine, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(CONNECT, text)
    assert_status(create(2, new_root(), 0)[0], HCCL_E_PARA, "(EI0001)", CONNECT)


# configurations


def test_a_configuration_has_its_documented_layout() -> None:
    """ "sizeof of such a header", version 11"""
    offsets = {name: getattr(HcclCommConfig, name).offset for name, *_ in HcclCommConfig._fields_}
    assert offsets == {
        "reserved": 0, "hcclBufferSize": 24, "hcclDeterministic": 28, "hcclCommName": 32, "hcclUdi": 160,
        "hcclOpExpansionMode": 288, "hcclRdmaTrafficClass": 292, "hcclRdmaServiceLevel": 296, "hcclWorldRankID": 300,
        "hcclJobID": 304, "aclGraphZeroCopyEnable": 312, "hcclExecTimeOut": 316, "hcclAlgo": 320,
        "hcclRetryEnable": 1920, "hcclRetryParams": 1970, "hcclBufferName": 2098, "hcclQos": 2228,
        "hcclSymWinMaxMemSizePerRank": 2232, "hcclChannelSqDepth": 2240,
    }  # fmt: skip
    assert ctypes.sizeof(HcclCommConfig) == 2248
    assert ctypes.sizeof(HcclSendRecvItem) == 32


def test_the_initial_configuration(machine: Machine) -> None:
    config = config_of()
    head = bytes(config)[:24]
    assert [int.from_bytes(head[low:high], "little") for low, high in ((0, 8), (8, 12), (12, 16), (16, 24))] == [
        2248, 0xF0F0F0F0, 11, 0,
    ]  # fmt: skip
    unset = ("hcclBufferSize", "hcclDeterministic", "hcclRdmaTrafficClass", "hcclRdmaServiceLevel", "hcclQos",
             "hcclChannelSqDepth")  # fmt: skip
    assert {getattr(config, name) for name in unset} == {0xFFFFFFFF}
    assert config.hcclExecTimeOut == -1
    assert config.hcclSymWinMaxMemSizePerRank == 16
    HcclCommConfigInit(None)


@pytest.mark.parametrize(("size", "name"), [(32, ""), (160, "mine"), (2232, "mine"), (2248, "mine"), (9000, "mine")])
def test_only_members_inside_of_the_size_of_the_caller_count(pair: Machine, size: int, name: str) -> None:
    """ "Read only members that lie wholly inside `size`"; a header of a later version has more."""
    raw = create_string_buffer(bytes(config_of(hcclCommName=b"mine")).ljust(size, b"\x55")[: max(size, 2248)])
    ctypes.memmove(raw, size.to_bytes(8, "little"), 8)
    config = cast(raw, POINTER(HcclCommConfig))
    comm = HcclComm()
    queued(HcclCommInitRootInfoConfig(1, byref(new_root()), 0, config, byref(comm)))
    assert name_of(comm) == name or (not name and name_of(comm).startswith("hccl_"))


@pytest.mark.parametrize(("low", "value"), [(8, 0xF0F0F0F1), (0, 31)])
def test_a_configuration_that_was_not_initialised_is_refused(pair: Machine, low: int, value: int) -> None:
    config = config_of()
    ctypes.memmove(ctypes.addressof(config) + low, value.to_bytes(4, "little"), 4)
    assert_status(create(1, new_root(), 0, config)[0], HCCL_E_PARA, "(EI0003)", "HcclCommConfigInit")


# one call for all ranks, one thread for all ranks


def test_the_checks_of_one_call_for_all_ranks(pair: Machine) -> None:
    comms = (HcclComm * 2)()
    for count, devices, into, result in (
        (0, None, None, HCCL_E_PARA), (2, [0, 1], None, HCCL_E_PTR), (2, None, comms, HCCL_E_PTR),
        (2, [1, 1], comms, HCCL_E_PARA), (2, [0, 2], comms, HCCL_E_PARA), (1 << 31, [0, 1], comms, HCCL_E_PARA),
    ):  # fmt: skip
        assert HcclCommInitAll(count, devices, into) == result
    assert not any(comms)
    comms = (HcclComm * 2)(5, 6)
    assert HcclCommInitAll(2, [0, 2], comms) == HCCL_E_PARA
    assert not any(comms), "any rank fails: entries null"


def test_a_group_lets_one_thread_make_all_ranks(pair: Machine) -> None:
    """ "Loop over devices, set device, InitRootInfo"; each communicator is there after the end of the group."""
    root, comms = new_root(), [HcclComm(), HcclComm()]
    inside = c_bool()
    queued(HcclGroupStart())
    for number, comm in enumerate(comms):
        aclrtSetDevice(number)
        queued(HcclCommInitRootInfo(2, byref(root), number, byref(comm)))
        assert not comm
    queued(HcclGroupStatusGet(byref(inside)))
    assert inside.value
    queued(HcclGroupEnd())
    assert all(comms)
    queued(HcclGroupStart())
    assert [HcclCommDestroy(comm) for comm in comms] == [0, 0]
    assert name_of(comms[0])
    queued(HcclGroupEnd())
    assert HcclGetRankId(comms[0], byref(c_uint32())) == HCCL_E_PARA


# queries and ends


def test_queries() -> None:
    with world(2) as (_, (first, second)):
        number, count, error, found = c_uint32(), c_uint32(), c_int32(7), HcclComm()
        queued(HcclGetRankId(second.comm, byref(number)))
        queued(HcclGetRankSize(second.comm, byref(count)))
        queued(HcclGetCommAsyncError(second.comm, byref(error)))
        assert (number.value, count.value, error.value) == (1, 2, 0)
        name = name_of(first.comm)
        assert name == name_of(second.comm)
        for rank in (first, second):
            aclrtSetDevice(rank.number)
            queued(HcclCommGetHandleWithName(name, byref(found)))
            assert found == rank.comm
        status = c_int32(7)
        queued(HcclCommGetStatus(name, byref(status)))
        assert status.value == HCCL_COMM_STATUS_READY
        assert HcclCommGetHandleWithName("nobody", byref(found)) == HCCL_E_NOT_FOUND
        assert HcclCommGetStatus("nobody", byref(status)) == HCCL_E_NOT_FOUND
        assert [HcclCommSuspend(first.comm), HcclCommResume(first.comm)] == [0, 0]
        assert HcclGetCommConfigCapability() == 12
        for call in (HcclGetRankId, HcclGetRankSize, HcclGetCommAsyncError, HcclGetCommName):
            assert call(None, None) == HCCL_E_PTR
            assert call(first.comm, None) == HCCL_E_PTR
        for call in (HcclCommSuspend, HcclCommResume):
            assert call(None) == HCCL_E_PTR


@pytest.mark.parametrize(("code", "text"), [
    (0, "no error"), (1, "parameter error"), (2, "empty pointer"), (9, "timeout"), (14, "roce transfer fail"),
    (15, "call runtime api fail"), (24, "out of memory"), (1041, "unknown err"), (500, "unknown err"),
    (-1, "unknown error"), (1042, "unknown error"),
])  # fmt: skip
def test_the_text_of_a_result(machine: Machine, code: int, text: str) -> None:
    assert HcclGetErrorString(code) == text


def test_the_option_is_kept(machine: Machine) -> None:
    value = HcclConfigValue(9)
    queued(HcclGetConfig(0, byref(value)))
    assert value.value == 0
    queued(HcclSetConfig(0, 2))
    queued(HcclGetConfig(0, byref(value)))
    assert value.value == 2
    assert HcclGetConfig(1, byref(value)) == HCCL_E_NOT_SUPPORT
    assert HcclGetConfig(0, None) == HCCL_E_PTR


def test_destroying() -> None:
    """ "null -> 0"; local, no rendezvous; a second time is a dead handle."""
    with world(2) as (_, (first, second)):
        queued(HcclCommDestroy(None))
        queued(HcclCommDestroy(first.comm))
        assert finding_of(lambda: HcclCommDestroy(first.comm))[0] == "dead-handle"
        assert finding_of(lambda: HcclBarrier(first.comm, first.stream))[0] == "dead-handle"
        queued(HcclCommDestroy(second.comm))


# rank tables, and some ranks


def table(path: Path, devices: dict[int, int], **changed: Any) -> str:
    """A rank table. Its content has its path, as processes with the same content belong together."""
    entries = [{"device_id": str(device), "rank_id": str(rank)} for rank, device in devices.items()]
    text = {"status": "completed", "version": "1.0", "server_list": [{"server_id": "a", "device": entries}], **changed}
    path.write_text(json.dumps({**text, "path": str(path)}))
    return str(path)


@pytest.mark.parametrize("configured", [False, True])
def test_a_rank_table_makes_communicators_without_waiting(pair: Machine, tmp_path: Path, configured: bool) -> None:
    path, ranks = table(tmp_path / "table.json", {0: 0, 1: 1}), list[Rank]()
    for number in range(2):
        aclrtSetDevice(number)
        comm = HcclComm()
        if configured:
            queued(HcclCommInitClusterInfoConfig(path, number, byref(config_of(hcclCommName=b"mine")), byref(comm)))
            assert name_of(comm) == "mine"
        else:
            queued(HcclCommInitClusterInfo(path, number, byref(comm)))
        ranks.append(Rank(number, comm))
    places = [rank.put(floats(rank.number + 1)) for rank in ranks]
    for rank, place in zip(ranks, places, strict=True):
        queued(rank.all_reduce(place, 1))
    assert [rank.get(place, 1, np.float32)[0] for rank, place in zip(ranks, places, strict=True)] == [3, 3]


def test_rank_tables_that_are_refused(pair: Machine, tmp_path: Path) -> None:
    path, comm = tmp_path / "table.json", HcclComm()
    other = tmp_path / "other.json"
    other.write_text("{")
    for text, rank, code in (
        (str(tmp_path / "none"), 0, "EI0004"), (str(other), 0, "EI0004"), ("x" * 5000, 0, "EI0004"),
        (table(path, {0: 0, 1: 1}, status="initializing"), 0, "EI0004"),
    ):  # fmt: skip
        assert_status(HcclCommInitClusterInfo(text, rank, byref(comm)), HCCL_E_PARA, f"({code})")
    for devices, rank, code in (({0: 0, 2: 1}, 0, "EI0004"), ({0: 0, 1: 0}, 0, "EI0004"), ({0: 0}, 1, "EI0003"),
                                ({0: 1, 1: 0}, 0, "EI0014")):  # fmt: skip
        assert_status(HcclCommInitClusterInfo(table(path, devices), rank, byref(comm)), HCCL_E_PARA, f"({code})")
    assert HcclCommInitClusterInfo(None, 0, byref(comm)) == HCCL_E_PTR
    assert HcclCommInitClusterInfo(str(path), 0, None) == HCCL_E_PTR


def test_some_ranks_of_a_communicator() -> None:
    """ "Default name <world>_sub_<id>"; ranks outside pass null and 0xFFFFFFFF, and get no communicator."""
    with world(3) as (_, ranks):
        subs = [HcclComm() for _ in ranks]
        for at, rank in ((0, 0), (1, 2)):
            comm, config = ranks[rank].comm, config_of()
            result = HcclCreateSubCommConfig(byref(comm), 2, [0, 2], 5, at, byref(config), byref(subs[rank]))
            queued(result)
        queued(HcclCreateSubCommConfig(byref(ranks[1].comm), 2, None, 0xFFFFFFFF, 0, None, byref(subs[1])))
        assert not subs[1]
        assert name_of(subs[0]) == name_of(subs[2]) == f"{name_of(ranks[0].comm)}_sub_5"
        members = [Rank(0, subs[0]), Rank(2, subs[2])]
        places = [rank.put(floats(rank.number + 1)) for rank in members]
        for rank, place in zip(members, places, strict=True):
            queued(rank.all_reduce(place, 1))
        assert [rank.get(place, 1, np.float32)[0] for rank, place in zip(members, places, strict=True)] == [4, 4]
        config, sub = config_of(), HcclComm()
        again = HcclCreateSubCommConfig(byref(subs[0]), 1, [0], 6, 0, byref(config), byref(sub))
        assert_status(again, HCCL_E_NOT_SUPPORT)
        for ids, at in (([2, 0], 1), ([0, 3], 0), ([0, 2], 1), ([0, 2], 2)):
            result = HcclCreateSubCommConfig(byref(ranks[0].comm), 2, ids, 7, at, byref(config), byref(sub))
            assert_status(result, HCCL_E_PARA)


def test_a_name_is_cut_to_128_bytes(pair: Machine) -> None:
    config, comm = config_of(hcclCommName=b"n" * 128), HcclComm()
    queued(HcclCommInitRootInfoConfig(1, byref(new_root()), 0, byref(config), byref(comm)))
    buffer = (c_char * 130)(*b"x" * 130)
    queued(HcclGetCommName(comm, buffer))
    assert buffer.raw == b"n" * 127 + b"\0xx"


@pytest.mark.parametrize("name", ["HCCL_CONNECT_TIMEOUT", "HCCL_EXEC_TIMEOUT", "HCCL_BUFFSIZE"])
def test_variables_are_read_when_a_communicator_is_made(
    pair: Machine, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A refused rank has not joined; a later change has no effect on the communicator."""
    root = new_root()
    monkeypatch.setenv(name, "abc")
    assert_status(create(1, root, 0)[0], HCCL_E_PARA, "(EI0001)", name)
    monkeypatch.delenv(name)
    result, comm = create(1, root, 0)
    queued(result)
    monkeypatch.setenv(name, "abc")
    rank = Rank(0, comm)
    queued(rank.all_reduce(rank.put(floats(1)), 1))
    assert aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS


@pytest.mark.fidelity("buffers of a communicator")
@pytest.mark.parametrize(("variable", "configured", "megabytes"), [("", 0, 200), ("64", 0, 64), ("64", 8, 8)])
def test_the_first_operation_takes_device_memory_for_two_buffers(
    pair: Machine, monkeypatch: pytest.MonkeyPatch, variable: str, configured: int, megabytes: int
) -> None:
    """ "2 x hcclBufferSize MB per communicator on the device at first use"; configuration wins."""
    monkeypatch.setenv("HCCL_BUFFSIZE", variable)

    def used() -> int:
        return pair.memories.used[0] >> 20

    before = used()
    result, comm = create(1, new_root(), 0, config_of(hcclBufferSize=configured))
    queued(result)
    rank = Rank(0, comm)
    assert used() == before
    for _ in range(2):
        queued(rank.all_reduce(rank.put(floats(1)), 1))
    assert used() == before + 2 * megabytes
    assert aclrtSynchronizeStream(rank.stream) == ACL_SUCCESS
    queued(HcclCommDestroy(comm))
    assert used() == before


@pytest.mark.fidelity("name of a communicator")
def test_a_name_is_unique_on_a_device(pair: Machine) -> None:
    config = config_of(hcclCommName=b"mine")
    result, comm = create(1, new_root(), 0, config)
    queued(result)
    assert_status(create(1, new_root(), 0, config)[0], HCCL_E_PARA, "(EI0003)", "hcclCommName")
    queued(HcclCommDestroy(comm))
    queued(create(1, new_root(), 0, config)[0])


@pytest.mark.fidelity("sub-communicators on Atlas 300I Duo")
def test_where_there_are_no_sub_communicators() -> None:
    with world(1, soc="Ascend310P3") as (_, ranks):
        config, sub = config_of(), HcclComm()
        result = HcclCreateSubCommConfig(byref(ranks[0].comm), 1, [0], 7, 0, byref(config), byref(sub))
        assert_status(result, HCCL_E_NOT_SUPPORT)


def test_a_null_communicator_has_no_parts(pair: Machine) -> None:
    config, sub = config_of(), HcclComm()
    result = HcclCreateSubCommConfig(byref(HcclComm()), 1, [0], 7, 0, byref(config), byref(sub))
    assert_status(result, HCCL_E_PTR, "(EI0003)")


def test_the_nth_part_of_a_rank_belongs_to_the_nth_of_the_others() -> None:
    """One rank makes both before the other one makes any."""
    with world(2) as (machine, ranks):
        config = config_of()
        subs = [[HcclComm(), HcclComm()] for _ in ranks]
        for rank, made in zip(ranks, subs, strict=True):
            for sub in made:
                number = rank.number
                queued(HcclCreateSubCommConfig(byref(rank.comm), 2, [0, 1], 7, number, byref(config), byref(sub)))
        for which in (0, 1):
            for rank, made in zip(ranks, subs, strict=True):
                queued(HcclBarrier(made[which], rank.stream))
            assert aclrtSynchronizeStream(ranks[0].stream) == ACL_SUCCESS
        assert not [finding for finding in machine.findings if finding.level == "error"]


def test_parts_with_different_ranks_are_a_mismatch() -> None:
    with world(3, on_undefined="report") as (machine, ranks):
        config, subs = config_of(), [HcclComm() for _ in ranks]
        queued(HcclCreateSubCommConfig(byref(ranks[0].comm), 2, [0, 1], 7, 0, byref(config), byref(subs[0])))
        result = HcclCreateSubCommConfig(byref(ranks[1].comm), 3, [0, 1, 2], 7, 1, byref(config), byref(subs[1]))
        assert_status(result, HCCL_E_PARA, "(EI0005)", "number of ranks")
        queued(HcclBarrier(subs[0], ranks[0].stream))
        assert aclrtSynchronizeStream(ranks[0].stream) == ACL_ERROR_RT_FFTS_PLUS_TIMEOUT
        assert [finding.id for finding in machine.findings if finding.level == "error"] == ["collective-mismatch"]


def test_a_rank_table_that_nests_too_deep_is_refused(pair: Machine, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)
    assert_status(HcclCommInitClusterInfo(str(path), 0, byref(HcclComm())), HCCL_E_PARA, "(EI0004)")


def test_the_texts_about_many_ranks_stay_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CONNECT, "1")
    with Machine(on_undefined="report", patience=0.01) as machine:
        aclrtSetDevice(0)
        assert create(3_000_000, new_root(), 0)[0] == HCCL_E_TIMEOUT
        assert len(str(next(iter(machine.findings)))) < 1000
