"""Options of the operator compiler: a table of texts."""

from ctypes import create_string_buffer

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.outcomes import assert_status, finding_of, ok


def option(opt: int) -> str:
    size = aclGetCompileoptSize(opt)
    buffer = create_string_buffer(size)
    ok(aclGetCompileopt(opt, buffer, size))
    assert len(buffer.value) == size - 1
    return buffer.value.decode()


def test_a_text_is_kept(machine: Machine) -> None:
    for opt in aclCompileOpt:
        ok(aclSetCompileopt(opt, f"value {opt}"))
    assert [option(opt) for opt in aclCompileOpt] == [f"value {opt}" for opt in aclCompileOpt]


@pytest.mark.fidelity("options of the operator compiler (aclSetCompileopt, aclopSetCompileFlag)")
def test_before_it_is_set_an_option_is_empty_and_nothing_is_compiled(machine: Machine) -> None:
    found = {opt: option(opt) for opt in aclCompileOpt}
    assert found.pop(aclCompileOpt.ACL_OP_JIT_COMPILE) == "disable"
    assert set(found.values()) == {""}


def test_bad_arguments_are_100000(machine: Machine) -> None:
    """ "Null value 100000; length too small 100000"."""
    buffer = create_string_buffer(8)
    assert_status(aclSetCompileopt(0, None), ACL_ERROR_INVALID_PARAM, "value")
    assert_status(aclSetCompileopt(17, "x"), ACL_ERROR_INVALID_PARAM, "opt")
    assert_status(aclGetCompileopt(0, None, 8), ACL_ERROR_INVALID_PARAM, "value")
    assert_status(aclGetCompileopt(-1, buffer, 8), ACL_ERROR_INVALID_PARAM, "opt")
    assert_status(aclGetCompileopt(ACL_OP_JIT_COMPILE, buffer, 7), ACL_ERROR_INVALID_PARAM, "length")
    assert aclGetCompileoptSize(17) == 0
    assert buffer.raw == bytes(8)


def test_a_buffer_that_is_too_small_is_found(machine: Machine) -> None:
    assert finding_of(lambda: aclGetCompileopt(ACL_OP_JIT_COMPILE, create_string_buffer(4), 8))[0] == "host-overrun"
