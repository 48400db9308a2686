"""Findings alias-overlap and out-self-overlap: where the outputs of a launch lie (ours)."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.aclnn.ops.case import Case
from tests.aclnn.ops.cases import BATCH_NORM, CASES, EMBEDDING, PRELU, SOFTMAX, every_case, is_output
from tests.helpers.builders import OnDevice, malloc, on_device, run
from tests.helpers.memory.shared_allocations import buffer, laid, view
from tests.helpers.operator_launches import (
    ROOM,
    UNREAD,
    Ready,
    assert_results,
    assert_works,
    found,
    ids,
    placed,
    planned,
    ready,
    role,
    synchronise,
)

PAIRS = [
    (case, output, other)
    for case in CASES
    for output in case.tensors
    for other in case.tensors
    if is_output(case, output) and not is_output(case, other) and (case, other) != UNREAD
]
every_pair = pytest.mark.parametrize(
    ("case", "output", "other"), [pytest.param(*pair, id="-".join(map(str, pair))) for pair in PAIRS]
)


def together(case: Case, output: str, other: str, at: int) -> Ready:
    """The good call with two tensors in one buffer: `other` starts at byte 0, `output` at byte `at`."""
    values, room = case.good[other], 4096
    start = buffer(room)
    arguments = placed(case)
    arguments[output] = laid(case.good[output], start, at, room)
    arguments[other] = laid(values, start, 0, room)
    return planned(case, arguments)


def same_layout(case: Case, output: str, other: str) -> bool:
    mine, theirs = case.good[output], case.good[other]
    return mine.nbytes == theirs.nbytes and mine.itemsize == theirs.itemsize


@every_pair
def test_an_output_that_partly_overlaps_an_input(machine: Machine, case: Case, output: str, other: str) -> None:
    """Found by the second phase; the text names both tensors and their bytes."""
    last = case.good[other].nbytes - case.good[output].itemsize
    call = together(case, output, other, last)
    assert machine.findings == []
    with found("alias-overlap", role(case, output), role(case, other), case.name, "device 0 + 0x", "created at"):
        call.launch()


@every_pair
def test_an_output_right_behind_an_input(machine: Machine, case: Case, output: str, other: str) -> None:
    """The good twin: neighbours share no byte."""
    call = together(case, output, other, case.good[other].nbytes)
    assert_works(call)
    assert machine.findings == []


@pytest.mark.parametrize(
    ("case", "output", "other"),
    [pytest.param(*pair, id="-".join(map(str, pair))) for pair in PAIRS if same_layout(*pair)],
)
def test_an_output_exactly_in_place_is_not_found(machine: Machine, case: Case, output: str, other: str) -> None:
    """The good twin: "not exact in-place". First two tensors with one view, then one tensor for both."""
    call = together(case, output, other, 0)
    assert call.launch() == ACL_SUCCESS
    synchronise()
    if case.good[output].shape == case.good[other].shape:
        arguments = placed(case)
        arguments[output] = arguments[other]
        assert planned(case, arguments).launch() == ACL_SUCCESS
        synchronise()
    assert machine.findings == []


def test_in_place_gives_the_results_of_the_good_call(machine: Machine) -> None:
    for other in ("gradOutput", "output"):
        assert_works(together(SOFTMAX, "out", other, 0))


@pytest.mark.parametrize(("first", "second"), [("gradInput", "gradWeight"), ("gradWeight", "gradInput")])
def test_two_outputs_that_overlap_are_found(machine: Machine, first: str, second: str) -> None:
    """One result would overwrite the other, even if both lie at the same address."""
    for at in (0, PRELU.good[second].nbytes - 4):
        call = together(PRELU, first, second, at)
        with found("alias-overlap", role(PRELU, first), role(PRELU, second), "memory of its own"):
            call.launch()
    assert_works(together(PRELU, first, second, PRELU.good[second].nbytes))


def strided(name: str, at: int, strides: list[int], start: int) -> OnDevice:
    return laid(SOFTMAX.good[name], start, at, 4096, strides)


# views of one 4 x 4 matrix of FLOAT for gradOutput and out (4 x 2): bytes to the first element, strides
VIEWS: dict[str, tuple[tuple[int, list[int]], tuple[int, list[int]], bool]] = {
    "even and odd columns": ((0, [4, 2]), (4, [4, 2]), False),
    "left and right half": ((0, [4, 1]), (8, [4, 1]), False),
    "upper and lower half": ((0, [2, 1]), (32, [2, 1]), False),
    "one view": ((0, [4, 2]), (0, [4, 2]), False),
    "one view, transposed": ((0, [2, 1]), (0, [1, 4]), True),
    "shifted by a column": ((0, [4, 1]), (4, [4, 1]), True),
    "columns of one and rows of the other": ((0, [4, 2]), (0, [2, 1]), True),
    "shifted by a row": ((0, [4, 2]), (16, [4, 2]), True),
    "one view, backwards": ((0, [2, 1]), (28, [-2, -1]), True),
    "an input that is expanded": ((0, [0, 1]), (0, [2, 1]), True),
}  # fmt: skip


@pytest.mark.parametrize(("grad", "out", "wrong"), VIEWS.values(), ids=VIEWS)
def test_strided_views_of_one_matrix(
    machine: Machine, grad: tuple[int, list[int]], out: tuple[int, list[int]], wrong: bool
) -> None:
    """Only shared bytes count: interleaved views share none."""
    start = buffer(4096)
    tensors = {"gradOutput": strided("gradOutput", *grad, start), "out": strided("out", *out, start)}
    call = planned(SOFTMAX, {**placed(SOFTMAX), **tensors})
    if wrong:
        with found("alias-overlap", "output `out`", "input `gradOutput`"):
            call.launch()
    else:
        assert call.launch() == ACL_SUCCESS
        synchronise()
        assert machine.findings.worth_telling == []


def test_elements_of_another_size_are_never_in_place(machine: Machine) -> None:
    """The same bytes, but FLOAT16 over half of a FLOAT tensor."""
    start = buffer(64)
    narrow = laid(SOFTMAX.good["out"].astype(np.float16), start, 0, 64)
    wide = laid(SOFTMAX.good["gradOutput"], start, 0, 64)
    call = planned(SOFTMAX, {**placed(SOFTMAX), "gradOutput": wide, "out": narrow})
    with found("alias-overlap"):
        call.launch()


def test_tensors_without_elements_overlap_nothing(machine: Machine) -> None:
    start = buffer(64)
    empty = np.zeros((0, 3), np.float32)
    grad, indices = laid(empty, start, 0, 64), laid(np.zeros(0, np.int64), start, 0, 64)
    out = laid(np.ones((1, 3), np.float32), start, 0, 64)
    call = planned(EMBEDDING, {**placed(EMBEDDING), "grad": grad, "indices": indices, "numWeights": 1, "out": out})
    assert call.launch() == ACL_SUCCESS
    synchronise()
    assert machine.findings == []


def test_an_input_that_no_step_reads_may_lie_anywhere(machine: Machine) -> None:
    """weight of aclnnBatchNormReduceBackward: "w is never read again"."""
    case, name = UNREAD
    assert case is BATCH_NORM
    output = next(each for each in case.tensors if is_output(case, each))
    call = together(case, output, name, 4)
    assert call.launch() == ACL_SUCCESS
    assert machine.findings == []


# the workspace


@every_case
def test_a_workspace_that_overlaps_a_tensor(roomy: Machine, case: Case) -> None:
    """A workspace may end right before the tensor. One that ends a byte later is found."""
    for name in case.tensors:
        if (case, name) == UNREAD:
            continue
        values, size = case.good[name], ready(case).size
        assert size >= ROOM
        behind = malloc(size + 4096) + size // 32 * 32 + 32
        for workspace in (behind - size, behind - size + 1):
            call = planned(case, {**placed(case), name: laid(values, behind, 0, values.nbytes)})
            call.workspace = workspace
            if workspace + size <= behind:
                assert_works(call)
                continue
            with found("alias-overlap", "workspace", role(case, name), case.name):
                call.launch()


# outputs in themselves

OUTPUTS = [(case, name) for case in CASES for name in case.results if case.good[name].size > 1]


@pytest.mark.parametrize(("case", "name"), [pytest.param(*each, id=f"{each[0]}-{each[1]}") for each in OUTPUTS])
def test_an_output_whose_elements_overlap(machine: Machine, case: Case, name: str) -> None:
    """Each dimension gets stride 0 in turn; the text names the dimension."""
    values = case.good[name]
    for dim in range(values.ndim):
        if values.shape[dim] == 1:
            continue
        steps = [stride // values.itemsize for stride in values.strides]
        steps[dim] = 0
        out = laid(values, buffer(4096), 0, 4096, steps)
        call = planned(case, {**placed(case), name: out})
        with found("out-self-overlap", role(case, name), f"dimension {dim}", f"size {values.shape[dim]}, stride 0"):
            call.launch()


# strides of a 4 x 2 output, and the dimensions that are named
OWN: dict[str, tuple[list[int], str]] = {
    "windows": ([1, 1], "dimension 0 (size 4, stride 1) and 1 (size 2, stride 1)"),
    "windows backwards": ([-1, 1], "dimension 0 (size 4, stride -1) and 1 (size 2, stride 1)"),
    "one place for all": ([0, 0], "dimension 0 (size 4, stride 0) and 1 (size 2, stride 0)"),
    "transposed": ([1, 4], ""),
    "gaps": ([10, 3], ""),
    "backwards": ([-2, -1], ""),
    "interleaved": ([2, 7], ""),
}


@pytest.mark.parametrize(("strides", "words"), OWN.values(), ids=OWN)
def test_an_output_whose_elements_overlap_is_found(machine: Machine, strides: list[int], words: str) -> None:
    """Overlapping windows; the good twins are strides that keep the elements apart."""
    out = laid(SOFTMAX.good["out"], buffer(4096), 2048, 4096, strides)
    call = planned(SOFTMAX, {**placed(SOFTMAX), "out": out})
    if words:
        with found("out-self-overlap", "output `out`", words):
            call.launch()
    else:
        assert_works(call)
        assert machine.findings.worth_telling == []


def test_an_input_may_overlap_itself(machine: Machine) -> None:
    """An expanded input is only read."""
    row = laid(SOFTMAX.good["gradOutput"], buffer(64), 0, 64, [0, 1])
    call = planned(SOFTMAX, {**placed(SOFTMAX), "gradOutput": row})
    assert call.launch() == ACL_SUCCESS
    synchronise()
    assert machine.findings == []


# a machine that only reports


def test_both_findings_are_silent_on_a_device(lenient: Machine) -> None:
    """ "SILENT rows return 0": the launch goes on."""
    start = buffer(4096)
    tensors = {"out": laid(SOFTMAX.good["out"], start, 4, 64)}
    tensors["gradOutput"] = laid(SOFTMAX.good["gradOutput"], start, 0, 64)
    call = planned(SOFTMAX, {**placed(SOFTMAX), **tensors})
    assert call.launch() == ACL_SUCCESS
    synchronise()
    assert_results(call.results(), SOFTMAX)
    expanded = laid(SOFTMAX.good["out"], start, 1024, 4096, [0, 1])
    call = planned(SOFTMAX, {**placed(SOFTMAX), "out": expanded})
    assert call.launch() == ACL_SUCCESS
    synchronise()
    assert ids(lenient) == ["alias-overlap", "out-self-overlap"]


def test_a_consequence_of_a_wrong_address_is_not_reported_again(lenient: Machine) -> None:
    """A view leaves its storage and overlaps an input there: one mistake, one finding."""
    start = buffer(4096)
    grad = laid(SOFTMAX.good["gradOutput"], start, 32, 4096)
    out = laid(SOFTMAX.good["out"], start, 8, 32)
    call = planned(SOFTMAX, {**placed(SOFTMAX), "gradOutput": grad, "out": out})
    assert call.launch() == ACL_SUCCESS
    assert ids(lenient) == ["view-exceeds-storage"]


@pytest.mark.parametrize(("strides", "finding"), [((7, 2), []), ((7, 1), ["alias-overlap"])], ids=str)
def test_in_place_means_that_each_element_lies_where_its_input_does(
    strides: tuple[int, int], finding: list[str]
) -> None:
    """The strides of a dimension of one element say nothing."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        address = buffer(64)
        run(aclnnAbsGetWorkspaceSize, aclnnAbs, view(address, [1, 4], [99, 2], 8), view(address, [1, 4], strides, 8))
        assert ids(machine) == finding


def test_one_tensor_as_two_outputs_is_on_purpose() -> None:
    """A program that needs one of two results gives one tensor for both. Two tensors in one memory are a mistake."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        given, address = on_device(np.arange(8, dtype=np.float32)), buffer(32)
        out, other = (view(address, [], [], 8) for _ in range(2))
        run(aclnnAminmaxAllGetWorkspaceSize, aclnnAminmaxAll, given, out, out)
        assert ids(machine) == []
        run(aclnnAminmaxAllGetWorkspaceSize, aclnnAminmaxAll, given, out, other)
        assert ids(machine) == ["alias-overlap"]


def test_elements_of_another_size_are_not_in_place() -> None:
    """Each mask lies at the first byte of its number, and the strides agree."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        address, one = buffer(32), aclCreateScalar(np.ones(1, np.float32), ACL_FLOAT)
        numbers, masks = view(address, [8], [1], 8), view(address, [8], [4], 32, ACL_BOOL)
        run(aclnnGtScalarGetWorkspaceSize, aclnnGtScalar, numbers, one, masks)
        assert ids(machine) == ["alias-overlap"]
