"""Functions without a formula: checks of the first phase, 561003 of the launch, the option `catalogued`, the report."""

from __future__ import annotations

import re
from ctypes import byref, c_uint64
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.checks.report.at_exit import last_report
from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.soc import Series
from aclnn.catalogue.facts import facts
from aclnn.engine.constraints import PRIVATE
from aclnn.engine.parameters import Elements
from aclnn.engine.plan import PlannedExecutor
from tests.aclnn.ops.case import Meta, board
from tests.derived.catalogued import boards, by_chip, missing, missing_on_host
from tests.derived.judging import CHIPS, Subject, elsewhere, ordered, stopped
from tests.derived.launching import handle, planned
from tests.derived.values import Call, instance
from tests.helpers.builders import UNTOUCHED, Planned, malloc, on_device, plan
from tests.helpers.own_process import program

NULLPTR, INVALID, NO_KERNEL = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_FIND_KERNEL_ERROR
BYTES = 128
"""enough for each tensor of a good call"""
SEVERAL = 100
"""a rule that is tested with calls of all functions has to be tested with so many, at least"""


def untouched(answer: Planned) -> bool:
    return (answer.workspace_size, bool(answer.executor)) == (UNTOUCHED, False)


def refused(machine: Machine, this: Subject, call: Call, parameter: str, status: int) -> str:
    """The first phase refuses the call, names the parameter, and leaves the outputs as they are. Returns the text."""
    answer = planned(this, call)
    assert answer.status == status, (this.name, parameter, answer.text)
    assert re.search(rf"\(parameter: {parameter}(\[\d+\])?, found: .+, allowed: .+, SoC: ", answer.text), answer.text
    assert untouched(answer), this.name
    return answer.text


REAL = [each for each in aclDataType if each != ACL_DT_UNDEFINED]

# the first phase


def test_every_function_without_a_formula_is_tried_on_a_product() -> None:
    tried = [each.name for listed in by_chip().values() for each in listed]
    assert tried
    assert sorted(tried) == missing()


def test_a_good_call_is_planned_without_a_workspace() -> None:
    for machine, subjects in boards():
        for this in subjects:
            answer = planned(this, this.good)
            assert (answer.status, answer.workspace_size, bool(answer.executor)) == (ACL_SUCCESS, 0, True), answer.text
        assert {each.id for each in machine.findings} <= {"unsupported-product"}


def test_every_needed_handle_that_is_null_is_161001_and_named() -> None:
    """Or has the status that its contract gives it."""
    tested = 0
    for machine, subjects in boards():
        for this in subjects:
            call = instance(this.op, this.good.values())
            for param in this.op.objects:
                changed = this.changed({param.printed: None})
                if param.needed(call):
                    status = this.op.null_statuses.get(param.printed, NULLPTR)
                    refused(machine, this, changed, param.printed, status)
                    tested += 1
                else:
                    assert planned(this, changed).status != NULLPTR, (this.name, param.printed)
    assert tested > len(missing())


def test_of_several_null_handles_the_first_of_the_prototype_is_named() -> None:
    for machine, subjects in boards():
        for this in subjects:
            call = instance(this.op, this.good.values())
            needed = [param.printed for param in this.op.objects if param.needed(call)]
            if needed:
                refused(machine, this, this.changed(dict.fromkeys(needed)), needed[0], NULLPTR)


def test_a_null_out_pointer_is_161001_and_comes_before_the_tensors() -> None:
    for _, subjects in boards():
        for this in subjects:
            nothing = [None if getattr(param, "kind", None) else this.good[param.printed] for param in this.op.params]
            size, executor = c_uint64(UNTOUCHED), aclOpExecutor()
            assert this.first(*nothing, None, byref(executor)) == NULLPTR
            assert "executor or workspaceSize is nullptr" in (aclGetRecentErrMsg() or "")
            assert this.first(*nothing, byref(size), None) == NULLPTR
            assert (size.value, bool(executor)) == (UNTOUCHED, False)


@pytest.mark.fidelity(
    "a product without a kernel: all public registrations leave it out, or the data types do not exist there"
)
def test_a_product_that_refuses_has_its_status_and_the_text_lists_the_others() -> None:
    tested = 0
    goods = [each for listed in by_chip().values() for each in listed]
    for series, soc in CHIPS.items():
        with board(soc.name):
            for this in goods:
                if series in this.op.series or stopped(this.op, soc, instance(this.op, this.good.values())):
                    continue  # it computes, or a check refuses it
                answer = planned(this, this.good)
                assert answer.status == elsewhere(this.op, series), (this.name, soc, answer.text)
                assert f"{this.name} does not exist on {soc.label}" in answer.text
                others = [each for each in this.op.series if each not in this.op.undocumented]
                assert all(each.value in answer.text for each in others), answer.text
                assert untouched(answer)
                tested += 1
    assert tested > SEVERAL


def elements(this: Subject) -> list[tuple[Elements[Any], Any]]:
    """The tensors and lists of tensors of the good call."""
    given = [(param, this.good[param.printed]) for param in this.op.params if isinstance(param, Elements)]
    return [(param, value) for param, value in given if value is not None]


def each_member(value: Any, **changes: Any) -> Any:
    """A tensor, or all tensors of a list, changed."""
    return tuple(replace(each, **changes) for each in value) if isinstance(value, tuple) else replace(value, **changes)


def test_a_data_type_that_the_document_does_not_list_is_161002_and_named() -> None:
    tested = 0
    for machine, subjects in boards():
        for this in subjects:
            for param, value in elements(this):
                listed = facts(this.name).param(param.printed).dtypes_on(this.soc.series)
                wrong = next((each for each in REAL if listed and each not in listed), None)
                if wrong is not None and value != ():
                    changed = this.changed({param.printed: each_member(value, dtype=wrong)})
                    text = refused(machine, this, changed, param.printed, INVALID)
                    assert dtype_name(wrong) in text, text
                    tested += 1
    assert tested > len(missing())


def test_a_data_type_that_the_document_lists_on_this_product_is_not_refused_as_unlisted() -> None:
    tested = 0
    for _, subjects in boards():
        for this in subjects[::4]:
            for param, value in elements(this):
                for dtype in facts(this.name).param(param.printed).dtypes_on(this.soc.series) or ():
                    answer = planned(this, this.changed({param.printed: each_member(value, dtype=dtype)}))
                    assert f"parameter: {param.printed}, found: {dtype_name(dtype)}, allowed: one of" not in answer.text
                    tested += answer.status == ACL_SUCCESS
    assert tested > SEVERAL


def test_a_rank_that_the_document_does_not_list_is_161002_and_named() -> None:
    """The shape of a tensor in FRACTAL_NZ is not judged."""
    tested = 0
    for machine, subjects in boards():
        for this in subjects:
            for param, value in elements(this):
                fact = facts(this.name).param(param.printed)
                wrong = next((rank for rank in range(1, 10) if fact.rank and not fact.accepts_rank(rank)), None)
                in_blocks = isinstance(value, Meta) and value.format == ACL_FORMAT_FRACTAL_NZ
                if wrong is not None and value != () and not in_blocks:
                    changed = this.changed({param.printed: each_member(value, shape=(1,) * wrong)})
                    refused(machine, this, changed, param.printed, INVALID)
                    tested += 1
    assert tested > SEVERAL


def test_a_private_format_that_the_document_does_not_list_is_161002_and_named() -> None:
    """This holds where a row of the document's table of statuses has the format of the parameter."""
    tested = 0
    for machine, subjects in boards():
        for this in subjects:
            for check in ordered(this.op):
                if "a private format" not in check.sentence:
                    continue
                param = check.params[0]
                listed = facts(this.name).param(param.printed).formats_on(this.soc.series) or ()
                wrong = next(each for each in sorted(PRIVATE) if each.name.removeprefix("ACL_FORMAT_") not in listed)
                value = this.good[param.printed]
                if value:
                    changed = this.changed({param.printed: each_member(value, format=wrong)})
                    refused(machine, this, changed, param.printed, check.status)
                    tested += 1
    assert tested > SEVERAL


# the launch


def on_memory(this: Subject) -> list[Any]:
    """The arguments of the good call. Inputs have bytes; nothing was ever written to the outputs."""
    arguments: list[Any] = []
    for param in this.op.params:
        value = this.good[param.printed]
        members = [each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, Meta)]
        if not members:
            arguments.append(handle(param, value))
            continue
        made: list[Any] = []
        for each in members:
            reads = isinstance(param, Elements) and param.reads
            address = on_device(np.zeros(BYTES, np.uint8)).address if reads else malloc(BYTES)
            shape, storage = list(each.shape), list(each.storage or each.shape)
            made.append(
                aclCreateTensor(shape, len(shape), each.dtype, None, 0, each.format, storage, len(storage), address)
            )
        arguments.append(aclCreateTensorList(made, len(made)) if isinstance(value, tuple) else made[0])
    return arguments


@pytest.mark.fidelity("an operator without a formula")
def test_a_launch_is_561003_and_its_text_says_how_to_give_a_kernel() -> None:
    for machine, subjects in boards(hbm_bytes=1 << 30):
        for this in subjects:
            arguments = on_memory(this)
            answer = plan(this.first, *arguments)
            assert answer.status == ACL_SUCCESS, (this.name, answer.text)
            assert this.second(None, 0, answer.executor, None) == NO_KERNEL, this.name
            text = aclGetRecentErrMsg() or ""
            assert f"no kernel for {this.name}" in text
            assert f'@aclnn.kernel("{this.name}")' in text
            assert f'machine.kernels["{this.name}"] = function' in text
            assert "aclnn docs my-operator-is-missing" in text
        assert {each.id for each in machine.findings} <= {"unsupported-product"}
        assert not machine.tasks
        assert list(machine.handles.all(PlannedExecutor)) == [], "a launch uses up its executor"
        assert machine.kernels.missed == {each.name: 1 for each in subjects}


@pytest.fixture
def this(machine: Machine) -> Subject:
    """A function without a formula that has an input and one output."""
    return example(machine)


def example(machine: Machine, at: int = 0) -> Subject:
    subjects = by_chip()[machine.soc]
    return [each for each in subjects if each.op.input_places and len(each.op.output_places) == 1 and simple(each)][at]


def simple(this: Subject) -> bool:
    place = this.op.output_places[0]
    value = this.good[this.op.params[place].printed]
    return isinstance(value, Meta) and value.dtype == ACL_FLOAT16 and place not in this.op.input_places


def launch(this: Subject, times: int = 1) -> list[int]:
    """Both phases, several times with the same arguments."""
    arguments = on_memory(this)
    return [this.second(None, 0, plan(this.first, *arguments).executor, None) for _ in range(times)]


@pytest.mark.fidelity("the output of a launch without a kernel")
def test_reading_the_output_of_a_launch_without_kernel_is_no_finding(machine: Machine, this: Subject) -> None:
    """It is only a consequence: nothing was written there."""
    arguments = on_memory(this)
    executor = plan(this.first, *arguments).executor
    assert this.second(None, 0, executor, None) == NO_KERNEL
    written = machine.handles.get(arguments[this.op.output_places[0]].value)
    assert isinstance(written, Tensor)
    back = np.empty(written.numel, np.uint16)
    assert aclrtMemcpy(back, back.nbytes, written.address, back.nbytes, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert machine.findings == []


@pytest.mark.finds("uninit-read")
def test_reading_the_same_output_without_a_launch_is_one(machine: Machine, this: Subject) -> None:
    """So the test above can fail."""
    written = machine.handles.get(on_memory(this)[this.op.output_places[0]].value)
    assert isinstance(written, Tensor)
    back = np.empty(written.numel, np.uint16)
    aclrtMemcpy(back, back.nbytes, written.address, back.nbytes, ACL_MEMCPY_DEVICE_TO_HOST)
    assert [each.id for each in machine.findings] == ["uninit-read"]


def test_a_repeatable_executor_stays_and_answers_the_same_each_time(machine: Machine, this: Subject) -> None:
    executor = plan(this.first, *on_memory(this)).executor
    assert aclSetAclOpExecutorRepeatable(executor) == ACL_SUCCESS
    assert [this.second(None, 0, executor, None) for _ in range(3)] == [NO_KERNEL] * 3
    assert aclDestroyAclOpExecutor(executor) == ACL_SUCCESS
    assert machine.kernels.missed == {this.name: 3}


def test_alike_calls_have_alike_answers(machine: Machine, this: Subject) -> None:
    """The memo answers the second first phase."""
    assert launch(this, 3) == [NO_KERNEL] * 3
    assert machine.kernels.missed == {this.name: 3}
    assert machine.findings == []


# the option


def test_with_the_option_plan_the_first_phase_is_561003_after_its_checks() -> None:
    for machine, subjects in boards(catalogued="plan"):
        for this in subjects:
            for _ in range(2):  # the memo does not answer in its place
                answer = planned(this, this.good)
                assert answer.status == NO_KERNEL, (this.name, answer.text)
                assert untouched(answer)
                assert f'@aclnn.kernel("{this.name}")' in answer.text
            call = instance(this.op, this.good.values())
            needed = [param.printed for param in this.op.objects if param.needed(call)]
            if needed:
                refused(machine, this, this.changed({needed[0]: None}), needed[0], NULLPTR)
        assert {each.id for each in machine.findings} <= {"unsupported-product"}
        assert machine.kernels.missed == {each.name: 2 for each in subjects}


def test_with_the_option_plan_a_kernel_of_the_user_s_is_planned() -> None:
    with board(catalogued="plan") as machine:
        this = example(machine)
        arguments = on_memory(this)
        machine.kernels[this.name] = np.abs
        assert plan(this.first, *arguments).status == ACL_SUCCESS
        del machine.kernels[this.name]
        assert plan(this.first, *arguments).status == NO_KERNEL


# functions without a second phase


def test_a_function_without_a_second_phase_is_561003_at_once(machine: Machine) -> None:
    found = missing_on_host()
    assert len(found) > 4
    machine.allow("dead-handle", reason="the arguments are no objects")
    for name, value in found.items():
        function = value.functions[name]
        assert "ACLNN_ERR_INNER_FIND_KERNEL_ERROR (561003)" in (function.__doc__ or "")
    shape = aclCreateIntArray([2, 3], 2)
    size = c_uint64(UNTOUCHED)
    name = "aclnnCalculateConvolutionWeightSize"
    status = found[name].functions[name](shape, False, 1, ACL_FLOAT16, byref(size))
    assert status == NO_KERNEL, aclGetRecentErrMsg()
    text = aclGetRecentErrMsg() or ""
    assert f"no kernel for {name}" in text
    assert "@aclnn.kernel" not in text, "there is no task that could run it"
    assert size.value == UNTOUCHED
    assert machine.kernels.missed == {name: 1}


# the report


def test_the_report_counts_the_calls_without_a_kernel_by_name() -> None:
    with board() as machine:
        often, once = example(machine, 0), example(machine, 1)
        launch(once)
        launch(often, 2)
        assert f"calls without a kernel (561003): {often} 2x, {once} 1x" in last_report(machine)


def test_a_machine_without_such_a_call_does_not_mention_kernels() -> None:
    with board() as machine:
        aclrtSynchronizeDevice()
        assert "kernel" not in last_report(machine)


CODE = """
import aclnn
from ctypes import *
from acl_runtime import *
aclrtSetDevice(0)
tensors = [aclCreateTensor(shape, len(shape), aclDataType(dtype), None, 0, ACL_FORMAT_ND, shape, len(shape), None)
           for shape, dtype in TENSORS]
size, executor = c_uint64(), aclOpExecutor()
status = aclnn.NAMEGetWorkspaceSize(*tensors, byref(size), byref(executor))
print(int(status), bool(executor))
if status == ACL_SUCCESS:
    print(int(aclnn.NAME(None, 0, executor, None)))
aclGetRecentErrMsg()
[aclDestroyTensor(each) for each in tensors], aclrtResetDevice(0)
"""


@pytest.mark.parametrize(("option", "status"), [("launch", "0 True\n561003\n"), ("plan", "561003 False\n")])
def test_the_environment_chooses_the_phase_and_the_end_counts_the_calls(option: str, status: str) -> None:
    """The report is one line, as nothing was found."""
    name, tensors = of_tensors()
    run = program(CODE.replace("NAME", name).replace("TENSORS", repr(tensors)), ACL_EMULATOR_CATALOGUED=option)
    assert run.stdout == status
    assert run.stderr == f"calls without a kernel (561003): {name} 1x\n"


def of_tensors() -> tuple[str, list[tuple[list[int], int]]]:
    """A function without a formula that takes only tensors, and their shapes and data types."""
    for this in by_chip()[CHIPS[Series.A2]]:
        metas = list(this.good.values())
        if all(isinstance(each, Meta) and each.storage is None for each in metas):
            return this.name, [(list(each.shape), int(each.dtype)) for each in metas]
    raise LookupError("each function of tensors has a formula")
