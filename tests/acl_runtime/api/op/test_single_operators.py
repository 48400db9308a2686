"""Operators by their type: the order in which arguments are judged, and what follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ctypes import byref
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.named_operators import Side, described, sides
from tests.helpers.outcomes import assert_status, finding_of, ok

X = np.arange(4, dtype=np.float32)
LAUNCHES: dict[str, Callable[..., int]] = {
    "aclopCompileAndExecute": lambda *given, flag=0, path=None, stream=None: aclopCompileAndExecute(
        *given, 0, flag, path, stream
    ),
    "aclopCompileAndExecuteV2": lambda *given, flag=0, path=None, stream=None: aclopCompileAndExecuteV2(
        *given, 0, flag, path, stream
    ),
}
COMPILED: dict[str, Callable[..., int]] = {
    "aclopExecute": lambda *given: aclopExecute(*given, None),
    "aclopExecuteV2": lambda *given: aclopExecuteV2(*given, None),
}
EVERY = {
    **LAUNCHES, **COMPILED,
    "aclGenGraphAndDumpForOp": lambda *given: aclGenGraphAndDumpForOp(*given, 0, "graph.txt", None),
}  # fmt: skip


@pytest.fixture
def side(machine: Machine) -> Iterator[tuple[Side, Side]]:
    with sides([X], [X]) as made:
        yield made


def compiles(type: str, given: Side, made: Side, flag: int = 0, path: str | None = None) -> int:
    return aclopCompile(type, len(given.descs), given.descs, len(made.descs), made.descs, None, 0, flag, path)


@pytest.mark.fidelity("operators by their type (aclop)")
@pytest.mark.parametrize("call", LAUNCHES.values(), ids=LAUNCHES)
def test_a_type_that_is_not_there_is_500002(
    call: Callable[..., int], side: tuple[Side, Side], machine: Machine
) -> None:
    """ "unknown type: 500002"; the text names the type, and the function of aclnn if there is one."""
    import aclnn  # noqa: F401 (the text names its functions)

    given, made = side
    for type, words in (("Addmm", "Call aclnnAddmm."), ("AddCustom", "There is no aclnnAddCustom"), ("no name", "")):
        assert_status(call(type, *given.of_call, *made.of_call, None), ACL_ERROR_GE_FAILURE, type, words)
    assert not machine.tasks


@pytest.mark.parametrize("call", EVERY.values(), ids=EVERY)
def test_null_arguments_are_100000(call: Callable[..., int], side: tuple[Side, Side]) -> None:
    """ "numInputs < 0, then numOutputs < 0", "opType null", "array null, then each element null"."""
    given, made = side
    (count, descs, buffers), outputs, none = given.of_call, made.of_call, (0, None, None)
    for arguments, word in (
        ((None, *given.of_call, *outputs, None), "opType"),
        (("Relu", -1, descs, buffers, *outputs, None), "numInputs"),
        (("Relu", *given.of_call, -1, *outputs[1:], None), "numOutputs"),
        (("Relu", count, None, buffers, *outputs, None), "inputDesc"),
        (("Relu", count, [None], buffers, *outputs, None), "inputDesc[0]"),
        (("Relu", count, descs, None, *outputs, None), "inputs"),
        (("Relu", count, descs, [None], *outputs, None), "inputs[0]"),
        (("Relu", *none, 1, None, outputs[2], None), "outputDesc"),
        (("Relu", *none, 1, outputs[1], None, None), "outputs"),
    ):
        assert_status(call(*arguments), ACL_ERROR_INVALID_PARAM, word)


@pytest.mark.parametrize("call", [*LAUNCHES.values(), COMPILED["aclopExecuteV2"]])
def test_a_length_without_an_address_is_100000(call: Callable[..., int], side: tuple[Side, Side]) -> None:
    """ "an element with data null and length > 0 (null with length 0 passes)"."""
    given, made = side
    empty = aclCreateDataBuffer(None, 16)
    assert_status(call("Relu", 1, given.descs, [empty], *made.of_call, None), 100000, "inputs[0]")
    assert_status(call("Relu", *given.of_call, 1, made.descs, [empty], None), 100000, "outputs[0]")
    ok(aclDestroyDataBuffer(empty))


@pytest.mark.parametrize("call", LAUNCHES.values(), ids=LAUNCHES)
def test_flags_and_paths(call: Callable[..., int], side: tuple[Side, Side]) -> None:
    """ "compileFlag other than ...: 200001", before opType; "UNREGISTERED with opPath null: 100000"."""
    given, made = side
    assert_status(call(None, *given.of_call, *made.of_call, None, flag=2), ACL_ERROR_API_NOT_SUPPORT, "compileFlag 2")
    assert_status(call("Relu", *given.of_call, *made.of_call, None, flag=1), ACL_ERROR_INVALID_PARAM, "opPath")
    ok(call("Relu", *given.of_call, *made.of_call, None, flag=1, path="ops"))
    ok(aclrtSynchronizeStream(None))


@pytest.mark.parametrize("call", [*LAUNCHES.values(), *COMPILED.values()])
def test_without_elements_nothing_is_looked_at(call: Callable[..., int], machine: Machine) -> None:
    """ "every output descriptor has a dimension 0: 0 at once, nothing runs, opType not looked at"."""
    with sides([X], [np.empty((0, 3), np.float32)]) as (given, made):
        ok(call("no such type", *given.of_call, *made.of_call, None))
    assert not machine.tasks


@pytest.mark.parametrize("call", LAUNCHES.values(), ids=LAUNCHES)
def test_sizes_that_are_not_known_have_a_range(call: Callable[..., int], side: tuple[Side, Side]) -> None:
    """ "shape range missing for a -1 dimension; dynamic-input names not consecutive: 100000"."""
    given, made = side
    open_ = aclCreateTensorDesc(ACL_FLOAT, 1, [-1], ACL_FORMAT_ND)
    assert_status(call("Relu", 1, [open_], given.buffers, *made.of_call, None), 100000, "aclSetTensorShapeRange")
    aclDestroyTensorDesc(open_)
    named = [described(X) for _ in "aba"]
    for desc, name in zip(named, "aba", strict=True):
        ok(aclSetTensorDynamicInput(desc, name))
    assert_status(call("AddN", 3, named, given.buffers * 3, *made.of_call, None), 100000, "neighbours")
    for desc in named:
        aclDestroyTensorDesc(desc)


@pytest.mark.parametrize("call", LAUNCHES.values(), ids=LAUNCHES)
def test_without_a_context_nothing_is_queued(call: Callable[..., int]) -> None:
    """ "null stream = default stream of the context; no context: 107002"."""
    with Machine():
        desc, buffer = described(X), aclCreateDataBuffer(None, 0)
        one = (1, [desc], [buffer])
        assert_status(call("Relu", *one, *one, None), ACL_ERROR_RT_CONTEXT_NULL)
        aclDestroyTensorDesc(desc)
        ok(aclDestroyDataBuffer(buffer))


@pytest.mark.parametrize("call", EVERY.values(), ids=EVERY)
def test_a_dead_object_is_found(call: Callable[..., int], side: tuple[Side, Side]) -> None:
    given, made = side
    gone, spent = described(X), aclopCreateAttr()
    aclDestroyTensorDesc(gone)
    aclopDestroyAttr(spent)
    assert finding_of(lambda: call("Relu", 1, [gone], given.buffers, *made.of_call, None))[0] == "dead-handle"
    assert finding_of(lambda: call("Relu", *given.of_call, 1, [gone], made.buffers, None))[0] == "dead-handle"
    assert finding_of(lambda: call("Relu", *given.of_call, *made.of_call, spent))[0] == "dead-handle"
    assert finding_of(lambda: call("Relu", 2, *given.of_call[1:], *made.of_call, None))[0] == "host-overrun"


# compiled operators


@pytest.mark.fidelity("compiled operators in files (aclopSetModelDir, aclopLoad)")
@pytest.mark.parametrize("call", COMPILED.values(), ids=COMPILED)
def test_only_what_was_compiled_is_executed(
    call: Callable[..., int], side: tuple[Side, Side], machine: Machine
) -> None:
    """ "no loaded or compiled model with equal type, descriptors and attributes: 100024"."""
    given, made = side
    launch = ("Relu", *given.of_call, *made.of_call, None)
    assert_status(call(*launch), ACL_ERROR_OP_NOT_FOUND, "'Relu'", "aclopCompile")
    ok(compiles("Relu", given, made))
    ok(call(*launch))
    ok(aclrtSynchronizeStream(None))
    assert [task.name for task in machine.tasks] == ["Relu"]
    assert (made.results()[0] == X).all()
    ok(aclSetTensorFormat(given.descs[0], ACL_FORMAT_NCHW))
    assert_status(call(*launch), ACL_ERROR_OP_NOT_FOUND)


def test_compiling_judges_first(side: tuple[Side, Side]) -> None:
    """ "counts 100000; flag 200001; opType; arrays 100000; a descriptor placed on the host 200001; path; compile"."""
    given, made = side
    assert_status(aclopCompile("Relu", -1, None, 0, None, None, 0, 7, None), ACL_ERROR_INVALID_PARAM, "numInputs")
    assert_status(aclopCompile(None, 0, None, 0, None, None, 0, 7, None), ACL_ERROR_API_NOT_SUPPORT, "compileFlag 7")
    assert_status(aclopCompile(None, 0, None, 0, None, None, 0, 0, None), ACL_ERROR_INVALID_PARAM, "opType")
    assert_status(compiles("Foo", given, made), ACL_ERROR_GE_FAILURE, "Foo")
    assert_status(compiles("Relu", given, made, flag=1), ACL_ERROR_INVALID_PARAM, "opPath")
    ok(aclSetTensorPlaceMent(given.descs[0], ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT))
    assert_status(compiles("Relu", given, made, flag=1), ACL_ERROR_API_NOT_SUPPORT, "on the host")


def test_a_handle_is_a_compiled_operator(side: tuple[Side, Side], machine: Machine) -> None:
    given, made = side
    types = (1, given.descs, 1, made.descs, None)
    handle = aclopHandle()
    assert_status(aclopCreateHandle(None, *types, byref(handle)), ACL_ERROR_INVALID_PARAM, "opType")
    assert_status(aclopCreateHandle("Relu", *types, None), ACL_ERROR_INVALID_PARAM, "handle")
    assert_status(aclopCreateHandle("Relu", *types, byref(handle)), ACL_ERROR_OP_NOT_FOUND)
    ok(compiles("Relu", given, made))
    ok(aclopCreateHandle("Relu", *types, byref(handle)))
    one = (1, given.buffers, 1, made.buffers, None)
    assert_status(aclopExecWithHandle(None, *one), ACL_ERROR_INVALID_PARAM, "handle")
    assert_status(aclopExecWithHandle(handle, 0, None, *one[2:]), ACL_ERROR_OP_INPUT_NOT_MATCH, "numInputs")
    assert_status(aclopExecWithHandle(handle, *one[:2], 0, None, None), ACL_ERROR_OP_OUTPUT_NOT_MATCH, "numOutputs")
    ok(aclopExecWithHandle(handle, *one))
    ok(aclrtSynchronizeStream(None))
    empty = aclCreateDataBuffer(None, 0)
    ok(aclopExecWithHandle(handle, *one[:2], 1, [empty], None))
    assert [task.name for task in machine.tasks] == ["Relu"]
    ok(aclDestroyDataBuffer(empty))
    aclopDestroyHandle(None)
    aclopDestroyHandle(handle)
    assert finding_of(lambda: aclopDestroyHandle(handle))[0] == "dead-handle"


@pytest.mark.fidelity("compiled operators in files (aclopSetModelDir, aclopLoad)")
def test_folders_and_limits(machine: Machine, tmp_path: Any) -> None:
    """ "null 100000; no such directory 100014; second successful call 100002"; "null or 0: 100000"."""
    assert_status(aclopSetModelDir(None), ACL_ERROR_INVALID_PARAM, "modelDir")
    assert_status(aclopSetModelDir(str(tmp_path / "none")), ACL_ERROR_READ_MODEL_FAILURE, "none")
    assert_status(aclopSetModelDir("x" * 3000), ACL_ERROR_READ_MODEL_FAILURE, "x")
    ok(aclopSetModelDir(str(tmp_path)))
    assert_status(aclopSetModelDir(str(tmp_path)), ACL_ERROR_REPEAT_INITIALIZE)
    assert_status(aclopLoad(None, 4), ACL_ERROR_INVALID_PARAM, "model")
    assert_status(aclopLoad(b"model", 0), ACL_ERROR_INVALID_PARAM, "modelSize")
    ok(aclopLoad(b"model", 5))
    assert_status(aclopSetMaxOpQueueNum(0), ACL_ERROR_INVALID_PARAM, "maxOpNum")
    ok(aclopSetMaxOpQueueNum(100))


def test_there_are_no_graphs(side: tuple[Side, Side]) -> None:
    """ "refuse: 100024 / null"; "non-null option 100000"."""
    given, made = side
    arguments = ("Relu", *given.of_call, *made.of_call, None, 0)
    assert_status(aclGenGraphAndDumpForOp(*arguments, "graph.txt", None), ACL_ERROR_OP_NOT_FOUND, "Relu")
    assert_status(aclGenGraphAndDumpForOp(*arguments, None, None), ACL_ERROR_INVALID_PARAM, "graphDumpPath")
    option = aclGraphDumpOption(64)
    assert_status(aclGenGraphAndDumpForOp(*arguments, "graph.txt", option), ACL_ERROR_INVALID_PARAM, "graphDumpOpt")
    assert not aclCreateGraphDumpOpt()
    assert_status(aclDestroyGraphDumpOpt(None), ACL_ERROR_INVALID_PARAM, "graphDumpOpt")
    assert finding_of(lambda: aclDestroyGraphDumpOpt(option))[0] == "dead-handle"


@pytest.mark.fidelity("options of the operator compiler (aclSetCompileopt, aclopSetCompileFlag)")
def test_the_flag_of_the_compiler_has_no_effect(machine: Machine) -> None:
    """ "0 always"."""
    assert [aclopSetCompileFlag(flag) for flag in (ACL_OP_COMPILE_DEFAULT, ACL_OP_COMPILE_FUZZ, 2)] == [0, 0, 0]
