"""Operators by their type (aclop): refused, with the function of aclnn in the text."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.outcomes import assert_status, finding_of

CALLS: dict[str, Callable[..., int]] = {
    "aclopCompileAndExecute": lambda *given: aclopCompileAndExecute(*given, 0, 0, None, None),
    "aclopCompileAndExecuteV2": lambda *given: aclopCompileAndExecuteV2(*given, 0, 0, None, None),
    "aclGenGraphAndDumpForOp": lambda *given: aclGenGraphAndDumpForOp(*given, 0, "graph.txt", None),
}


@pytest.fixture
def objects(machine: Machine) -> Iterator[tuple[Any, ...]]:
    """A description, a buffer and attributes."""
    import aclnn  # noqa: F401 (the text names its functions)

    made = aclCreateTensorDesc(ACL_FLOAT, 1, [4], ACL_FORMAT_ND), aclCreateDataBuffer(None, 16), aclopCreateAttr()
    yield made
    aclDestroyTensorDesc(made[0])
    aclDestroyDataBuffer(made[1])
    aclopDestroyAttr(made[2])


@pytest.mark.fidelity("operators by their type (aclop)")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_operator_is_refused_and_the_text_names_the_function_of_aclnn(
    call: Callable[..., int], objects: tuple[Any, ...], machine: Machine
) -> None:
    desc, buffer, attr = objects
    side = (1, [desc], [buffer])
    assert_status(call("Add", *side, *side, attr), ACL_ERROR_OP_NOT_FOUND, "'Add'", "Call aclnnAdd.")
    assert_status(call("TransData", *side, *side, attr), 100024, "'TransData'", "There is no aclnnTransData")
    assert_status(call("not a name", 0, None, None, 0, None, None, None), 100024, "'not a name'")
    assert not machine.tasks


@pytest.mark.fidelity("arguments of the interface before aclnn that no page judges")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_arguments_are_judged_before(call: Callable[..., int], objects: tuple[Any, ...]) -> None:
    desc, buffer, attr = objects
    side, none = (1, [desc], [buffer]), (0, None, None)
    for arguments, word in (
        ((None, *side, *side, attr), "opType"),
        (("Add", -1, [desc], [buffer], *side, attr), "numInputs"),
        (("Add", 1, None, [buffer], *side, attr), "inputDesc"),
        (("Add", 1, [desc], None, *side, attr), "inputs"),
        (("Add", *none, -1, [desc], [buffer], attr), "numOutputs"),
        (("Add", *none, 1, None, [buffer], attr), "outputDesc"),
        (("Add", *none, 1, [desc], None, attr), "outputs"),
    ):
        assert_status(call(*arguments), ACL_ERROR_INVALID_PARAM, word)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_dead_object_is_found(call: Callable[..., int], objects: tuple[Any, ...]) -> None:
    desc, buffer, attr = objects
    gone = aclCreateTensorDesc(ACL_FLOAT, 1, [4], ACL_FORMAT_ND)
    aclDestroyTensorDesc(gone)
    spent = aclopCreateAttr()
    aclopDestroyAttr(spent)
    side = (1, [desc], [buffer])
    assert finding_of(lambda: call("Add", 1, [gone], [buffer], *side, attr))[0] == "dead-handle"
    assert finding_of(lambda: call("Add", *side, 1, [gone], [buffer], attr))[0] == "dead-handle"
    assert finding_of(lambda: call("Add", *side, *side, spent))[0] == "dead-handle"
    assert finding_of(lambda: call("Add", 2, [desc], [buffer], *side, attr))[0] == "host-overrun"


def test_there_are_no_options_of_graphs(machine: Machine) -> None:
    """ "refuse: 100024 / null"."""
    assert not aclCreateGraphDumpOpt()
    assert_status(aclDestroyGraphDumpOpt(None), ACL_ERROR_INVALID_PARAM, "graphDumpOpt")
    assert finding_of(lambda: aclDestroyGraphDumpOpt(aclGraphDumpOption(64)))[0] == "dead-handle"


@pytest.mark.fidelity("options of the operator compiler (aclSetCompileopt, aclopSetCompileFlag)")
def test_the_flag_of_the_compiler_has_no_effect(machine: Machine) -> None:
    assert aclopSetCompileFlag(ACL_OP_COMPILE_DEFAULT) == aclopSetCompileFlag(ACL_OP_COMPILE_FUZZ) == ACL_SUCCESS
    assert_status(aclopSetCompileFlag(2), ACL_ERROR_INVALID_PARAM, "flag")
