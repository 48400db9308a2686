"""Findings: leaks, dropped work, raise and report, what a finding tells (ours)."""

from collections.abc import Callable
from threading import Thread

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine, UndefinedBehaviour
from aclnn import *
from tests.helpers.builders import OnDevice, malloc, meta, on_device, plan
from tests.helpers.creating import create_context, create_stream
from tests.helpers.outcomes import finding_of
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax, softmax

HERE = "test_findings_basics.py:"


def destroy(*tensors: OnDevice) -> None:
    for tensor in tensors:
        assert aclDestroyTensor(tensor.handle) == aclrtFree(tensor.address) == ACL_SUCCESS


def only_planned(*, repeatable: bool) -> None:
    *tensors, planned = softmax()
    if repeatable:
        aclSetAclOpExecutorRepeatable(planned.executor)
    destroy(*tensors)


def queued() -> None:
    """Work that is never waited for; its tensors and memory go with the device."""
    aclrtSetDevice(0)
    for tensor in launch_softmax():
        aclDestroyTensor(tensor.handle)


# what the program left behind, and the words that the report has for it
LEFT: dict[str, tuple[Callable[[], object], str, tuple[str, ...]]] = {
    "device memory": (lambda: [malloc(64) for _ in range(3)], "mem-leaked", ("3 x 64 bytes", "aclrtFree")),
    "stream": (create_stream, "stream-leaked", ("stream 1 was never destroyed", "aclrtDestroyStream")),
    "context": (create_context, "context-leaked", ("context 1 was never destroyed", "aclrtDestroyContext")),
    "tensor": (lambda: [meta([1]), meta([1])], "tensor-leaked", ("tensor", "aclDestroyTensor")),
    "tensor list": (lambda: aclCreateTensorList(None, 0), "tensor-leaked", ("tensor list", "aclDestroyTensorList")),
    "scalar": (lambda: aclCreateScalar(bytes(4), ACL_FLOAT), "tensor-leaked", ("scalar", "aclDestroyScalar")),
    "bool array": (lambda: aclCreateBoolArray(None, 0), "tensor-leaked", ("bool array", "aclDestroyBoolArray")),
    "executor": (lambda: only_planned(repeatable=False), "exec-leaked", ("executor", "aclDestroyAclOpExecutor")),
    "repeatable executor": (
        lambda: only_planned(repeatable=True), "repeat-not-destroyed", ("executor", "aclDestroyAclOpExecutor"),
    ),
    "device reference": (lambda: aclrtSetDevice(0), "device-not-reset", ("aclrtSetDevice(0)", "twice", "more than")),
}  # fmt: skip


@pytest.mark.parametrize("balanced", [False, True], ids=["left", "balanced"])
def test_who_set_a_device_and_did_not_reset_it(balanced: bool) -> None:
    """ "who set it" (ours): the thread whose own calls are not in balance, and where it set the device."""

    def work() -> None:
        assert aclrtSetDevice(0) == ACL_SUCCESS
        if balanced:
            assert aclrtResetDevice(0) == ACL_SUCCESS

    with Machine() as machine:
        aclInit(None)
        aclrtSetDevice(0)
        worker = Thread(target=work, name="loader")
        worker.start()
        worker.join()
        aclrtResetDevice(0)
        aclFinalize()
    sites = [past.site for finding in machine.findings for past in finding.history if "loader" in past.what]
    line = work.__code__.co_firstlineno + 1
    assert [site.endswith(f"test_findings_basics.py:{line}") for site in sites] == ([] if balanced else [True])
    assert [finding.id for finding in machine.findings] == ([] if balanced else ["device-not-reset"])


@pytest.mark.parametrize(("leave", "id", "words"), LEFT.values(), ids=LEFT)
def test_what_is_left_at_exit(leave: Callable[[], object], id: str, words: tuple[str, ...]) -> None:
    """A warning, recorded at exit and never raised, by the line that made the object (ours)."""
    with Machine() as machine:
        aclInit(None)
        aclrtSetDevice(0)
        leave()
        if id in ("mem-leaked", "stream-leaked"):
            create_context()  # holds the device
        assert list(machine.findings) == []
    left = {finding.id: finding for finding in machine.findings}
    assert set(left) - {"context-leaked"} == {id, "device-not-reset"} - {"context-leaked"}
    assert id in left
    assert left[id].level == "warning"
    for word in (*words, ".py:"):
        assert word in left[id].message


def test_a_program_that_releases_all_has_no_finding() -> None:
    """The good twin: all is released, nothing is found (ours)."""
    with Machine() as machine:
        aclInit(None)
        aclrtSetDevice(0)
        tensors = launch_softmax()
        aclrtSynchronizeStream(None)
        destroy(*tensors)
        aclrtResetDevice(0)
        aclFinalize()
    assert list(machine.findings) == []


def test_work_dropped_at_exit_is_listed_with_its_launches() -> None:
    """Queued work never runs; the finding lists the tasks with their launch sites (ours)."""
    with Machine() as machine:
        queued()
    dropped = [finding for finding in machine.findings if finding.id == "work-dropped"]
    assert [finding.level for finding in dropped] == ["warning"]
    assert "aclnnSoftmaxBackward in the default stream" in dropped[0].message
    assert "planned_operators.py:" in dropped[0].message


def test_work_dropped_with_its_context(machine: Machine) -> None:
    """aclrtDestroyContext drops queued work (ours)."""
    context = create_context()
    stream = create_stream()
    launch_softmax(stream)
    assert aclrtDestroyContext(context) == ACL_SUCCESS
    assert [finding.id for finding in machine.findings.worth_telling] == ["work-dropped"]
    assert "stream 1" in machine.findings.worth_telling[0].message


@pytest.mark.fidelity("aclInit was never called")
@pytest.mark.parametrize("called", [True, False])
def test_advice_where_init_was_never_called(called: bool) -> None:
    """aclInit not called: allowed, reported as advice, once (ours)."""
    with Machine() as machine:
        if called:
            assert (aclInit(None), aclInit(None)) == (ACL_SUCCESS, ACL_ERROR_REPEAT_INITIALIZE)
        for _ in range(2):
            aclrtSetDevice(0)
            aclrtResetDevice(0)
    assert [(finding.id, finding.level) for finding in machine.findings] == ([] if called else [("init", "advice")])
    for finding in machine.findings:  # with a line that an editor can show it at
        assert "a device was set at" in finding.message
        assert "test_findings_basics.py:" in finding.message


def with_workspace() -> tuple[OnDevice, OnDevice, OnDevice, int]:
    """Queue a SoftmaxBackward whose first input needs a workspace, whose address comes last."""
    values = np.full((8, 2), 3, np.float32)
    grad, output, out = on_device(values, strides=[1, 8]), on_device(values / 3), on_device(values * 0)
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out)
    workspace = malloc(planned.workspace_size)
    assert aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
    return grad, output, out, workspace


# which memory is freed, the finding, the role it has for the task
EARLY: dict[str, tuple[int, str, str]] = {
    "workspace": (3, "ws-freed-early", "workspace"),
    "input": (0, "io-freed-early", "input `gradOutput`"),
    "output": (2, "io-freed-early", "output `out`"),
}


@pytest.mark.parametrize(("which", "id", "role"), EARLY.values(), ids=EARLY)
def test_a_free_under_queued_work_raises_and_has_no_effect(machine: Machine, which: int, id: str, role: str) -> None:
    """Raised by the free, which had no effect: the work then runs, and a free after it is fine (ours)."""
    *tensors, workspace = with_workspace()
    address = [*(tensor.address for tensor in tensors), workspace][which]
    found, message = finding_of(lambda: aclrtFree(address))
    assert found == id
    for word in (role, "aclnnSoftmaxBackward", "launched at", HERE, "aclrtSynchronizeStream"):
        assert word in message
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert np.unique(tensors[2].read()).tolist() == [SOFTMAX_RESULT]
    assert aclrtFree(address) == ACL_SUCCESS
    assert [finding.id for finding in machine.findings.worth_telling] == [id]


@pytest.mark.parametrize(("which", "id", "role"), EARLY.values(), ids=EARLY)
def test_freed_under_queued_work_in_report_mode(which: int, id: str, role: str) -> None:
    """The free happens and returns 0, the task reads the fill and its writes are dropped; nothing that follows is
    reported again (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        *tensors, workspace = with_workspace()
        address = [*(tensor.address for tensor in tensors), workspace][which]
        assert aclrtFree(address) == ACL_SUCCESS
        assert machine.memory_at(address) is machine.devices[0].memory
        assert machine.devices[0].memory.at(address) is None
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        if role != "output `out`":
            assert np.isnan(tensors[2].read()).all(), "the fill is NaN"
        assert [finding.id for finding in machine.findings.worth_telling] == [id]
        assert aclGetRecentErrMsg() is None


def test_freeing_what_no_queued_work_uses(machine: Machine) -> None:
    """The good twin: other memory, and the same memory after the wait (ours)."""
    *tensors, workspace = with_workspace()
    assert aclrtFree(malloc(64)) == aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert aclrtFree(workspace) == aclrtFree(tensors[0].address) == ACL_SUCCESS
    assert machine.findings.worth_telling == []


def test_a_finding_has_id_level_message_function_and_line(machine: Machine) -> None:
    """Id, level, message, the C function, and the line of the user's that called it; the exception carries it, and the
    machine remembers it (ours)."""
    address = malloc(8)
    with pytest.raises(UndefinedBehaviour) as error:
        aclrtMemcpy(bytearray(16), 16, address, 16, ACL_MEMCPY_DEVICE_TO_HOST)
    finding = error.value.finding
    assert isinstance(finding, Finding)
    assert machine.findings[-1] is finding
    assert (finding.id, finding.level, finding.call) == ("memcpy-size", "error", "aclrtMemcpy")
    assert HERE in finding.site
    text = str(error.value)
    assert text.startswith(f"error[memcpy-size]: {finding.what}\n  --> {finding.site}, in aclrtMemcpy\n")
    assert finding.hint in text
    assert 'machine.allow("memcpy-size", reason=' in text


def test_raised_findings_are_still_there_after_exit() -> None:
    """Errors already raised are in machine.findings too (ours)."""
    with Machine() as machine:
        aclrtSetDevice(0)
        assert finding_of(lambda: aclrtMemcpy(bytearray(1), 2, bytes(2), 2, 0))[0] == "host-overrun"
    assert "host-overrun" in [finding.id for finding in machine.findings]
