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


READABLE = (ACL_OP_JIT_COMPILE, aclCompileOpt.ACL_OP_DEBUG_OPTION)
TUNED = aclCompileOpt.ACL_AUTO_TUNE_MODE


def test_a_text_is_kept(machine: Machine) -> None:
    """ "else length + 1"; "only JIT_COMPILE and ACL_OP_DEBUG_OPTION readable, others 200001"."""
    assert [aclGetCompileoptSize(opt) for opt in aclCompileOpt if opt != ACL_OP_JIT_COMPILE] == [0] * 16
    for opt in aclCompileOpt:
        if opt != TUNED:
            ok(aclSetCompileopt(opt, "a value"))
            assert opt in READABLE or aclGetCompileoptSize(opt) == 8
            assert opt in READABLE or aclGetCompileopt(opt, create_string_buffer(8), 8) == ACL_ERROR_API_NOT_SUPPORT
    assert option(READABLE[1]) == "a value"


@pytest.mark.fidelity("options of the operator compiler (aclSetCompileopt, aclopSetCompileFlag)")
@pytest.mark.parametrize("soc", ["Ascend910A", "Ascend310P3", "Ascend310B1", "Ascend910B1"])
def test_the_compile_mode_is_off_on_every_chip_whatever_is_set(soc: str) -> None:
    with Machine(soc=soc):
        ok(aclSetCompileopt(ACL_OP_JIT_COMPILE, "enable"))
        assert option(ACL_OP_JIT_COMPILE) == "disable"


def test_bad_arguments(machine: Machine) -> None:
    """ "null value 100000; ACL_AUTO_TUNE_MODE 200006; unknown option 500000"; "buffer too short 500001"."""
    buffer = create_string_buffer(8)
    assert_status(aclSetCompileopt(0, None), ACL_ERROR_INVALID_PARAM, "value")
    assert_status(aclSetCompileopt(TUNED, "x"), ACL_ERROR_FEATURE_UNSUPPORTED, "opt")
    assert_status(aclSetCompileopt(17, "x"), ACL_ERROR_INTERNAL_ERROR, "opt")
    assert_status(aclGetCompileopt(0, None, 8), ACL_ERROR_INVALID_PARAM, "value")
    assert_status(aclGetCompileopt(-1, buffer, 8), ACL_ERROR_API_NOT_SUPPORT, "opt")
    assert_status(aclGetCompileopt(ACL_OP_JIT_COMPILE, buffer, 7), ACL_ERROR_FAILURE, "length")
    assert aclGetCompileoptSize(17) == 0
    assert buffer.raw == bytes(8)


def test_a_buffer_that_is_too_small_is_found(machine: Machine) -> None:
    assert finding_of(lambda: aclGetCompileopt(ACL_OP_JIT_COMPILE, create_string_buffer(4), 8))[0] == "host-overrun"
