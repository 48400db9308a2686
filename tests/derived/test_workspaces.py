"""The workspace of a launch, for every operator ("4.2 Phase 2")."""

from __future__ import annotations

import numpy as np

from acl_runtime import *
from acl_runtime.objects.executor_life import Family
from tests.aclnn.ops.case import board
from tests.derived.functions import every_launch
from tests.derived.good import subject
from tests.derived.judging import Subject
from tests.derived.launching import ROOM, expected, ready
from tests.derived.test_launches import assert_consumed
from tests.helpers.builders import malloc
from tests.helpers.operator_launches import create_stream, error_text, found, ids, synchronise

NULLPTR = ACLNN_ERR_PARAM_NULLPTR
INVALID = ACLNN_ERR_PARAM_INVALID


def generated(this: Subject) -> bool:
    return this.op.family is Family.GENERATED


@every_launch
def test_a_null_workspace_is_161001(name: str) -> None:
    """A composite then destroys its executor, also if it needs no workspace; a generated operator keeps it."""
    this = subject(name)
    for least in (0, ROOM):
        with board(this.soc.name, min_workspace=least):
            call = ready(this, this.good)
            assert this.second(None, call.size or 1, call.executor, None) == NULLPTR
            text = error_text()
            if generated(this):
                assert "EZ1011" in text
                assert "workspace" in text
                assert call.finish() == expected(this)
            else:
                assert "workspace is nullptr" in text
                assert_consumed(call)


@every_launch
def test_a_small_workspace_is_found_or_161002(name: str) -> None:
    """ "Smaller than required: no error; out-of-bounds use of workspace (UB)"; of a generated operator "161002 (EZ1010
    text); executor kept", "(any pointer)". No such call has an effect, and the device of a composite is silent."""
    this = subject(name)
    with board(this.soc.name, min_workspace=ROOM):
        call = ready(this, this.good)
        assert call.size >= ROOM
        for size in (0, 1, call.size - 1):
            if generated(this):
                assert call.launch(size=size) == INVALID
                text = error_text()
                assert "EZ1010" in text
                assert str(call.size) in text
            else:
                with found("ws-small", name, str(size), str(call.size)):
                    call.launch(size=size)
        right, call.workspace = call.workspace, malloc(call.size - 1)
        with found("ws-small", str(call.size), str(call.size - 1)):
            call.launch()
        call.workspace = right
        assert call.finish() == expected(this)
    if not generated(this):
        with board(this.soc.name, min_workspace=ROOM, on_undefined="report") as machine:
            assert ready(this, this.good).launch(size=ROOM // 2) == ACL_SUCCESS
            synchronise()
            assert ids(machine) == ["ws-small"]


@every_launch
def test_a_workspace_in_wrong_memory_is_found(name: str) -> None:
    """On the host, on another device, freed before the launch, or under queued work."""
    this = subject(name)
    with board(this.soc.name, min_workspace=ROOM, device_count=2):
        call = ready(this, this.good)
        with found("ws-host-ptr", "workspace", name):
            this.second(np.zeros(call.size, np.uint8), call.size, call.executor, None)
        assert aclrtSetDevice(1) == ACL_SUCCESS
        foreign = malloc(call.size)
        assert aclrtSetDevice(0) == ACL_SUCCESS
        with found("ws-foreign", "device 1", "device 0"):
            this.second(foreign, call.size, call.executor, None)
        assert call.launch() == ACL_SUCCESS
        with found("ws-freed-early", name, "aclrtSynchronizeStream"):
            aclrtFree(call.workspace)
        synchronise()
        assert call.results() == expected(this)
        assert aclrtFree(call.workspace) == ACL_SUCCESS
        call = ready(this, this.good)
        assert aclrtFree(call.workspace) == ACL_SUCCESS
        with found("ws-freed-early", "workspace", name, "freed at"):
            call.launch()


@every_launch
def test_calls_in_one_stream_may_share_a_workspace_and_those_in_two_may_not(name: str) -> None:
    """Finding ws-shared: overlap of two operators in flight on different streams."""
    this = subject(name)
    with board(this.soc.name, min_workspace=ROOM) as machine:
        calls = [ready(this, this.good) for _ in range(4)]
        shared, other = malloc(2 * calls[0].size), create_stream()
        places = [(shared, None), (shared, None), (shared + calls[0].size, other)]
        for call, (workspace, stream) in zip(calls, places, strict=False):
            call.workspace = workspace
            assert call.launch(stream) == ACL_SUCCESS
        reported = {finding.id for finding in machine.findings.worth_telling}
        assert reported == ({"comm-two-streams"} if this.op.group_places else set())
        last = calls[3]
        for shift in (0, ROOM // 4):
            last.workspace = shared + shift
            with found("ws-shared", name, "Give each stream its own workspace"):
                last.launch(other)
        synchronise()  # the good twin: one after the other
        assert last.finish(other) == expected(this)
        for call in calls:
            assert call.results() == expected(this)
