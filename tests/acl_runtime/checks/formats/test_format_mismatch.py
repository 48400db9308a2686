"""The finding `format-mismatch`: "the layout belongs to the memory, not to the handle; reading NZ bytes as ND is the
error; overwriting forgets it; padding counts as written" (ours)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.helpers.builders import malloc, on_device
from tests.helpers.creating import create_stream
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import ok
from tests.helpers.weights import blocks_by_hand, fetched, filled, laid_out, launch, matrix, tensor

H2D, D2D = ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_DEVICE
WEIGHT = matrix((32, 48), np.float16)
SIZE = WEIGHT.nbytes
EACH_SCHEDULE = pytest.mark.parametrize("schedule", SCHEDULES)


def read_as_nd(address: int, *, stream: Any = None, wait: bool = True) -> None:
    """A launch that reads the weight as if it was in ND."""
    target = on_device(np.zeros(WEIGHT.shape, np.float16))
    source = tensor(address, WEIGHT.shape, ACL_FLOAT16)
    launch("aclnnAdd", source, target, aclCreateScalar(np.float32(1), ACL_FLOAT), target, stream=stream, wait=wait)


def read_as_nz(address: int, shape: tuple[int, ...] = WEIGHT.shape, dtype: int = ACL_FLOAT16) -> None:
    """A launch that reads the weight as if it was in FRACTAL_NZ."""
    source = tensor(address, shape, dtype, format=ACL_FORMAT_FRACTAL_NZ)
    target = tensor(malloc(SIZE), shape, dtype)
    launch("aclnnNpuFormatCast", source, target)


def found(machine: Machine) -> list[str]:
    """The texts of the finding; the machine has no other of level error."""
    errors = [finding for finding in machine.findings if finding.level == "error"]
    assert {finding.id for finding in errors} <= {"format-mismatch"}
    return [finding.what for finding in errors]


@pytest.mark.fidelity("memory that an operator has laid out in FRACTAL_NZ")
@EACH_SCHEDULE
def test_a_weight_in_fractal_nz_is_read_as_nd(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        read_as_nd(laid_out(WEIGHT))
        (text,) = found(machine)
    assert "reads the input `self` as ND, but its memory holds FRACTAL_NZ of [32, 48]" in text


@pytest.mark.fidelity("memory that an operator has laid out in FRACTAL_NZ")
@EACH_SCHEDULE
def test_memory_in_nd_is_read_as_fractal_nz(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        address = malloc(SIZE)
        by_an_operator(address)
        read_as_nz(address)
        (text,) = found(machine)
    assert "reads the input `srcTensor` as FRACTAL_NZ of [32, 48] (DT_FLOAT16), but its memory is in no such" in text


@pytest.mark.fidelity("memory that an operator has laid out in FRACTAL_NZ")
@EACH_SCHEDULE
def test_blocks_that_the_host_has_made_are_read_as_such(schedule: str) -> None:
    with board(schedule, on_undefined="raise") as machine:
        address, target = filled(blocks_by_hand(WEIGHT)), malloc(SIZE)
        launch("aclnnNpuFormatCast", tensor(address, WEIGHT.shape, ACL_FLOAT16, format=ACL_FORMAT_FRACTAL_NZ),
               tensor(target, WEIGHT.shape, ACL_FLOAT16))  # fmt: skip
        assert fetched(target, WEIGHT.shape, np.float16).tobytes() == WEIGHT.tobytes()
        assert found(machine) == []


@EACH_SCHEDULE
def test_a_weight_in_fractal_nz_is_read_as_such(schedule: str) -> None:
    with board(schedule, on_undefined="raise"):
        read_as_nz(laid_out(WEIGHT))


def test_the_launch_raises_and_has_the_history_of_the_layout() -> None:
    with board(on_undefined="raise") as machine:
        address = laid_out(WEIGHT)
        with pytest.raises(UndefinedBehaviour, match="as ND"):
            read_as_nd(address)
        (finding,) = [each for each in machine.findings if each.id == "format-mismatch"]
        assert any("was laid out as FRACTAL_NZ of [32, 48]" in past.what for past in finding.history)


def test_a_line_reports_once() -> None:
    with board(on_undefined="report") as machine:
        address = laid_out(WEIGHT)
        for _ in range(3):
            read_as_nd(address)
        assert len(found(machine)) == 1


@pytest.mark.parametrize(
    ("shape", "dtype"), [((48, 32), ACL_FLOAT16), ((32, 48), ACL_INT8)], ids=["other blocks", "another width"]
)
def test_the_blocks_of_the_tensor_differ_from_those_in_memory(shape: tuple[int, ...], dtype: int) -> None:
    with board(on_undefined="report") as machine:
        read_as_nz(laid_out(WEIGHT), shape, dtype)
        (text,) = found(machine)
    assert "but its memory holds FRACTAL_NZ of [32, 48] (DT_FLOAT16)" in text


# what forgets the format


def by_memcpy(address: int) -> None:
    ok(aclrtMemcpy(address, SIZE, WEIGHT, SIZE, H2D))


def by_memset(address: int) -> None:
    ok(aclrtMemset(address, SIZE, 0, SIZE))


def by_an_operator(address: int) -> None:
    ones = on_device(np.ones(WEIGHT.shape, np.float16))
    out = tensor(address, WEIGHT.shape, ACL_FLOAT16)
    launch("aclnnAdd", ones, ones, aclCreateScalar(np.float32(1), ACL_FLOAT), out)


def by_a_queued_memset(address: int) -> None:
    ok(aclrtMemsetAsync(address, SIZE, 0, SIZE, None))


def by_a_copy_of_plain_memory(address: int) -> None:
    ok(aclrtMemcpy(address, SIZE, filled(WEIGHT), SIZE, D2D))


OVERWRITES = pytest.mark.parametrize(
    "overwrite", [by_memcpy, by_memset, by_an_operator, by_a_queued_memset, by_a_copy_of_plain_memory]
)


@pytest.mark.parametrize("overwrite", [by_memcpy, by_memset, by_a_copy_of_plain_memory])
def test_a_copy_forgets_that_an_operator_wrote_nd(overwrite: Callable[[int], None]) -> None:
    with board(on_undefined="raise"):
        address = malloc(SIZE)
        by_an_operator(address)
        overwrite(address)
        read_as_nz(address)


@pytest.mark.fidelity("memory that an operator has laid out in FRACTAL_NZ")
@OVERWRITES
@EACH_SCHEDULE
def test_an_overwrite_forgets_the_format(schedule: str, overwrite: Callable[[int], None]) -> None:
    with board(schedule, on_undefined="report") as machine:
        address = laid_out(WEIGHT)
        overwrite(address)
        read_as_nd(address)
        assert found(machine) == []
        read_as_nz(address)
        assert len(found(machine)) == (overwrite is by_an_operator), "blocks may have been made by the host"


def test_an_overwrite_between_two_launches_that_are_alike_is_noticed() -> None:
    """The second launch comes from a cache, and so do its accesses."""
    with board(on_undefined="report") as machine:
        address, target = laid_out(WEIGHT), malloc(SIZE)
        source = tensor(address, WEIGHT.shape, ACL_FLOAT16, format=ACL_FORMAT_FRACTAL_NZ)
        out = tensor(target, WEIGHT.shape, ACL_FLOAT16)
        for _ in range(3):
            launch("aclnnNpuFormatCast", source, out)
        assert found(machine) == []
        by_an_operator(address)
        launch("aclnnNpuFormatCast", source, out)
        assert len(found(machine)) == 1


def test_memory_that_was_freed_has_no_format() -> None:
    with board(on_undefined="report") as machine:
        address = laid_out(WEIGHT)
        ok(aclrtFree(address))
        for _ in range(3):
            read_as_nd(filled(WEIGHT))
        assert found(machine) == []


# what carries it


@pytest.mark.fidelity("memory that an operator has laid out in FRACTAL_NZ")
@pytest.mark.parametrize("queued", [False, True], ids=["aclrtMemcpy", "aclrtMemcpyAsync"])
@EACH_SCHEDULE
def test_a_copy_of_all_bytes_carries_the_format(schedule: str, queued: bool) -> None:
    with board(schedule, on_undefined="report") as machine:
        address, target = laid_out(WEIGHT), malloc(SIZE)
        if queued:
            ok(aclrtMemcpyAsync(target, SIZE, address, SIZE, D2D, None))
        else:
            ok(aclrtMemcpy(target, SIZE, address, SIZE, D2D))
        read_as_nz(target)
        assert found(machine) == []
        read_as_nd(target)
        assert len(found(machine)) == 1


@pytest.mark.fidelity("memory that an operator has laid out in FRACTAL_NZ")
def test_a_copy_of_some_bytes_does_not() -> None:
    with board(on_undefined="report") as machine:
        address, target = laid_out(WEIGHT), filled(WEIGHT)
        ok(aclrtMemcpy(target, SIZE - 512, address, SIZE - 512, D2D))
        read_as_nd(target)
        assert found(machine) == []


def test_a_copy_to_the_host_shows_the_blocks() -> None:
    padded = matrix((17, 20), np.float16)
    with board(on_undefined="raise"):
        blocks = blocks_by_hand(padded)
        assert fetched(laid_out(padded), blocks.shape, np.float16).tobytes() == blocks.tobytes()


# others


def test_a_race_is_ordered_by_the_program_not_by_the_schedule() -> None:
    """The format is that at the launch, though nothing has run yet."""
    with board("late", on_undefined="report") as machine:
        stream = create_stream()
        address = filled(WEIGHT)
        launch("aclnnTransMatmulWeight", tensor(address, WEIGHT.shape, ACL_FLOAT16), stream=stream, wait=False)
        read_as_nd(address, stream=stream, wait=False)
        assert len(found(machine)) == 1
        ok(aclrtSynchronizeStream(stream))


def test_without_checks_nothing_is_found() -> None:
    with board(checks=False) as machine:
        read_as_nd(laid_out(WEIGHT))
        assert found(machine) == []
