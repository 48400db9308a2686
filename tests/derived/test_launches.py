"""The second phase of every operator: its queue, its stream and context, its executor."""

from __future__ import annotations

import re
from ctypes import byref
from itertools import chain

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime.objects.executor_life import Family
from tests.aclnn.ops.case import board
from tests.derived.functions import every_launch
from tests.derived.good import subject
from tests.derived.launching import ROOM, Ready, expected, inputs, is_laid_out, planned, ready, silent
from tests.derived.values import tensors
from tests.helpers.builders import OnDevice, malloc
from tests.helpers.host_threads import in_thread
from tests.helpers.operator_launches import create_stream, error_text, found, synchronise

NULLPTR = ACLNN_ERR_PARAM_NULLPTR
RUNTIME = ACLNN_ERR_RUNTIME_ERROR


@every_launch
def test_success_means_queued_and_inputs_are_read_when_the_task_runs(name: str) -> None:
    """ "0 = enqueued, not finished. Sync the stream before reading outputs"; "Nodes see device memory at execution
    time, so writes made to an input between phase 1 and phase 2 are seen"."""
    this = subject(name)
    dense = [each for each, metas in tensors(this.good).items() if not any(map(is_laid_out, metas))]
    right = {each: arrays for each, arrays in inputs(this).items() if each in dense}
    blank = {each: list(map(np.zeros_like, arrays)) for each, arrays in right.items()}
    for queued in (False, True):
        with silent(this) as machine:
            machine.allow("xstream-race", reason="the host writes too early on purpose")
            call = ready(this, this.good, arrays=blank)
            if queued:
                assert call.launch() == ACL_SUCCESS
            for place in this.op.output_places:
                for each in call.tensors.get(this.op.params[place].printed, ()):
                    now = machine.read(each.address, each.storage.shape, each.storage.dtype)
                    assert now.tobytes() == each.storage.tobytes()
            for each, arrays in right.items():
                list(map(write, call.tensors[each], arrays))
            if not queued:
                assert call.launch() == ACL_SUCCESS
            synchronise()
            assert call.results() == expected(this)


def write(tensor: OnDevice, values: np.ndarray) -> None:
    """Write values into a dense tensor."""
    size = values.nbytes
    if size:
        assert aclrtMemcpy(tensor.address, size, values, size, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS


@every_launch
def test_a_launch_takes_any_stream_of_its_context_and_tensors_may_go_then(name: str) -> None:
    """Its own stream, the default one (null), and that of another thread, which torch_npu's task queue does; "aclTensor
    after phase 2, before sync: may be destroyed"."""
    this = subject(name)
    with silent(this, min_workspace=ROOM):
        stream = create_stream()
        assert ready(this, this.good).finish(stream) == expected(this)
        call = ready(this, this.good)
        call.workspace, call.size = malloc(call.size + 1000), call.size + 1000  # a larger one is fine

        def work() -> int:
            assert aclrtSetDevice(0) == ACL_SUCCESS
            return call.launch(stream)

        assert in_thread(work) == ACL_SUCCESS
        synchronise(stream)
        assert call.results() == expected(this)
        call = ready(this, this.good)
        assert call.launch() == ACL_SUCCESS
        for each in chain.from_iterable(call.tensors.values()):
            assert aclDestroyTensor(each.handle) == ACL_SUCCESS
        synchronise()
        for param, results in expected(this).items():  # the shape that a task found out went with its tensor
            for tensor, result in zip(call.tensors[param], results, strict=True):
                assert tensor.read().tobytes()[: len(result)] == result


@pytest.mark.fidelity("second phase without a context, with a dead stream, with a stream of another context")
@every_launch
def test_a_launch_without_its_stream_is_361001_and_uses_up_the_executor(name: str) -> None:
    """ "Phase 2 with no context, a dead stream or one of another context: 361001, executor consumed; text and last
    error carry 107002, 107017, 107003". A repeatable one of a composite stays."""
    this = subject(name)
    with board(this.soc.name) as machine:
        call = ready(this, this.good)
        status, text, last = in_thread(lambda: (call.launch(), error_text(), machine.thread().last_error))
        assert (status, last, "107002" in text) == (RUNTIME, 107002, True)
        assert_consumed(call)
        repeatable, dead, foreign = (ready(this, this.good) for _ in range(3))
        stream = create_stream()
        assert aclSetAclOpExecutorRepeatable(repeatable.executor) == ACL_SUCCESS
        assert aclrtDestroyStream(stream) == ACL_SUCCESS
        for call in (repeatable, dead):
            assert (call.launch(stream), machine.thread().last_error) == (RUNTIME, 107017)
            assert "107017" in error_text()
        assert_consumed(dead)
        assert repeatable.finish() == expected(this)
        stream, other = create_stream(), aclrtContext()
        assert aclrtCreateContext(byref(other), 0) == ACL_SUCCESS
        assert aclrtSetCurrentContext(other) == ACL_SUCCESS
        assert (foreign.launch(stream), machine.thread().last_error) == (RUNTIME, 107003)
        assert "107003" in error_text()
        assert_consumed(foreign)


def assert_consumed(call: Ready) -> None:
    """ "The executor is consumed": using it again is undefined."""
    with found("exec-reused", call.subject.name):
        call.launch()


@every_launch
def test_an_executor_that_is_none_is_161001_or_found(name: str) -> None:
    """A null one, with the first phase that failed; one that was destroyed; another object; the garbage that the
    documents' samples leave: "its value is garbage after a failed phase 1"."""
    this = subject(name)
    generated = this.op.family is Family.GENERATED
    with board(this.soc.name):
        assert this.second(None, 0, None, None) == NULLPTR
        text = error_text()
        assert all(each in text for each in (["EZ1011", name, "executor"] if generated else ["executor is nullptr."]))
        call = ready(this, this.good)
        tensor = next(iter(call.tensors.values()))[0]
        with found("dead-handle", "tensor"):
            this.second(call.workspace, call.size, aclOpExecutor(tensor.handle.value), None)
        assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS
        with found("exec-reused"):
            call.launch()
        failed = planned(this, this.changed(dict.fromkeys(param.printed for param in this.op.objects)))
        assert failed.status != ACL_SUCCESS
        assert this.second(None, 0, failed.executor, None) == NULLPTR
        text = error_text()
        assert f"{name}GetWorkspaceSize" in text
        assert str(failed.status) in text
        assert re.search(r"\w+\.py:\d+", text)
        with found("exec-failed-phase1", str(failed.status)):
            this.second(None, 0, aclOpExecutor(0x1234), None)


@pytest.mark.fidelity("an executor launched twice, or by another operator")
@every_launch
def test_an_executor_serves_one_launch_of_its_operator(name: str) -> None:
    """ "After a normal phase 2 the handle is already gone"; the text knows the launch that used it up."""
    this = subject(name)
    with board(this.soc.name):
        call = ready(this, this.good)
        other = "aclnnSoftmaxBackward" if name != "aclnnSoftmaxBackward" else "aclnnPreluBackward"
        with found("exec-wrong-op", name, other):
            getattr(aclnn, other)(call.workspace, call.size, call.executor, None)
        assert call.finish() == expected(this)
        with found("exec-reused", name, "aclSetAclOpExecutorRepeatable", "consumed by its launch at", ".py:"):
            call.launch()
        with found("exec-destroy-after-run"):
            aclDestroyAclOpExecutor(call.executor)
