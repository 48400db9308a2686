"""Tables of the checks: their entries go with the memory, however it goes (ours)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.checks.copies.host_dtype import COPIED
from acl_runtime.checks.host_access.watches import BEGINS
from acl_runtime.checks.races.accesses import ACCESSES
from acl_runtime.checks.tables import Table
from acl_runtime.checks.uninitialised.unwritten import WRITTEN
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.pinned import Pinned
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, malloc_host
from tests.helpers.memory.virtual_memory import PAGE, mapped
from tests.helpers.outcomes import ok

SIZE = 64


def piece_at(machine: Machine, address: int) -> Allocation | Pinned:
    memory = machine.memory_at(address)
    piece = memory.holding(address) if memory is not None else machine.pinned.holding(address)
    assert piece is not None
    return piece


def filled(address: int) -> int:
    """The address, to which a stream and the host have copied numbers of float64."""
    stream, source = create_stream(), malloc(SIZE)
    ok(aclrtMemset(source, SIZE, 0, SIZE))
    ok(aclrtMemcpyAsync(address, SIZE, source, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtMemcpy(address, SIZE, np.zeros(SIZE // 8), SIZE, ACL_MEMCPY_HOST_TO_DEVICE))
    return address


def freed(machine: Machine) -> Allocation | Pinned:
    piece = piece_at(machine, filled(address := malloc(SIZE)))
    assert {WRITTEN, ACCESSES, COPIED} == {*piece.notes}
    ok(aclrtFree(address))
    return piece


def reset(machine: Machine) -> Allocation | Pinned:
    machine.findings.allow("mem-leaked", "the reset is what this is about")
    piece = piece_at(machine, filled(malloc(SIZE)))
    assert piece.notes
    ok(aclrtResetDeviceForce(0))
    ok(aclrtSetDevice(0))
    return piece


def freed_on_the_host(machine: Machine) -> Allocation | Pinned:
    address, stream, source = malloc_host(SIZE), create_stream(), malloc(SIZE)
    ok(aclrtMemset(source, SIZE, 0, SIZE))
    ok(aclrtMemcpyAsync(address, SIZE, source, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream))
    ok(aclrtSynchronizeStream(stream))
    piece = piece_at(machine, address)
    assert {ACCESSES, BEGINS} == {*piece.notes}
    ok(aclrtFreeHost(address))
    return piece


def unmapped(machine: Machine) -> Allocation | Pinned:
    filled(address := mapped(1))
    (block,) = (each for each in machine.devices[0].memory if each.size == PAGE)
    assert block.notes
    ok(aclrtUnmapMem(address))
    ok(aclrtReleaseMemAddress(address))
    return block


@pytest.mark.parametrize("ended", [freed, reset, freed_on_the_host, unmapped], ids=lambda each: each.__name__)
def test_memory_that_is_gone_has_no_entries(machine: Machine, ended: Callable[[Machine], Allocation | Pinned]) -> None:
    piece = ended(machine)
    assert piece.gone
    assert not piece.notes


def test_an_entry_that_says_nothing_is_removed(machine: Machine) -> None:
    table, piece = Table(0), piece_at(machine, malloc(SIZE))
    assert table.of(piece) == 0
    table.note(piece, 3)
    assert table.of(piece) == 3
    assert Table(7).of(piece) == 7
    table.note(piece, 0)
    assert not piece.notes
