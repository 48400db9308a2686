"""The conventions of pyACL, one by one."""

import ctypes
import json
import logging
import sys
from threading import get_ident
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour

WORD = 2**64
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
BLOCK = 1


class Index:
    def __repr__(self) -> str:
        return "an index"  # the same in every worker of pytest-xdist

    def __init__(self, value: int) -> None:
        self._value = value

    def __index__(self) -> int:
        return self._value


@pytest.mark.fidelity("a failure")
def test_a_bare_status_is_an_int(acl: Any) -> None:
    assert type(acl.rt.set_device(0)) is int
    assert acl.rt.set_device(0) == 0


@pytest.mark.fidelity("a failure")
def test_a_failure_is_an_integer_and_no_exception(machine: Machine, acl: Any) -> None:
    ret = acl.rt.set_device(99)
    assert isinstance(ret, int)
    assert ret == 107001
    assert (f"{ret}", str(ret), json.dumps(int(ret))) == ("107001",) * 3
    assert "ACL_ERROR_RT_INVALID_DEVICEID" in repr(ret)
    assert not machine.findings


@pytest.mark.fidelity("a failure")
def test_a_failure_that_nobody_looks_at_is_told(acl: Any) -> None:
    with Machine() as inner:
        acl.rt.set_device(99)
    (finding,) = [each for each in inner.findings if each.id == "ignored-ret"]
    assert finding.site.rpartition(":")[0] == __file__


def test_outs_of_a_failing_call_are_zero(acl: Any) -> None:
    assert acl.rt.malloc(0, 0) == (0, 100000)
    assert acl.rt.create_context(99) == (0, 107001)


def test_handles_are_plain_ints_and_null_is_zero(acl: Any) -> None:
    stream, ret = acl.rt.create_stream()
    assert (type(stream), ret) == (int, 0)
    assert acl.rt.synchronize_stream(0) == 0
    assert acl.rt.destroy_stream(stream) == 0
    assert acl.get_data_buffer_addr(acl.create_data_buffer(0, 0)) == 0


@pytest.mark.parametrize("value", [True, Index(0), np.int32(0), np.uint64(0)], ids=repr)
def test_32_bit_parameters_take_anything_with_index(value: Any, acl: Any) -> None:
    assert acl.rt.query_device_status(value)[-1] in (0, 107001)


@pytest.mark.fidelity("a number beyond a signed 64-bit parameter")
@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, WORD])
def test_what_does_not_fit_a_signed_32_bit_parameter_is_a_type_error(value: int, acl: Any) -> None:
    with pytest.raises(TypeError, match="fits 32 bits"):
        acl.rt.set_device(value)


@pytest.mark.parametrize("value", [np.int64(64), np.uint32(64), Index(64)], ids=repr)
def test_sizes_and_pointers_are_real_ints(value: Any, acl: Any) -> None:
    if sys.version_info >= (3, 14):
        assert acl.rt.malloc(value, 0)[1] == 0
    else:
        with pytest.raises(TypeError, match="size expects an int"):
            acl.rt.malloc(value, 0)


@pytest.mark.parametrize("value", [None, 1.0, ctypes.c_void_p(64), "64", b"64"], ids=repr)
def test_what_is_no_int_is_no_pointer(value: Any, acl: Any) -> None:
    with pytest.raises(TypeError, match="args parse failed"):
        acl.rt.free(value)


MISTAKES = {
    "a result not taken apart": ((64, 0), "dev_ptr expects an int; got tuple: functions of pyACL return a tuple"),
    "bytes": (b"64", "dev_ptr expects an int; got bytes: acl.util.bytes_to_ptr gives its address"),
    "an array": (np.zeros(1), "dev_ptr expects an int; got ndarray: array.ctypes.data is its address"),
}


@pytest.mark.parametrize(("value", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_the_type_error_for_a_common_mistake_has_a_hint(value: Any, hint: str, acl: Any) -> None:
    with pytest.raises(TypeError, match=hint):
        acl.rt.free(value)


def test_unsigned_and_pointer_parameters_wrap(acl: Any) -> None:
    pointer, _ = acl.rt.malloc(64, 0)
    assert acl.rt.memset(pointer + WORD, 64 - WORD, 0, 64 + 3 * WORD) == 0
    assert acl.rt.set_op_wait_timeout(-1) == acl.rt.set_op_wait_timeout(2**32 - 1) == 0
    assert acl.rt.free(pointer - WORD) == 0


@pytest.mark.fidelity("a number beyond a signed 64-bit parameter")
def test_a_signed_64_bit_parameter_does_not_wrap(acl: Any) -> None:
    assert acl.rt.set_sys_param_opt(0, -1) in (0, 107000, 100000)
    with pytest.raises(TypeError, match="fits 64 bits"):
        acl.rt.set_sys_param_opt(0, 2**63)


def test_primary_ctx_state_is_active_then_flags(acl: Any) -> None:
    assert acl.rt.get_primary_ctx_state(0) == (1, 0, 0)
    acl.rt.reset_device(0)
    assert acl.rt.get_primary_ctx_state(0) == (0, 0, 0)


@pytest.mark.fidelity("the 32 bits of `acl.rt.get_device_info`")
def test_device_info_is_cut_to_32_bits(acl: Any) -> None:
    with Machine(hbm_bytes=5 * 2**30):
        assert acl.rt.get_device_info(0, aclrtDevAttr.ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE) == (2**30, 0)
    with Machine(hbm_bytes=3 * 2**30):
        assert acl.rt.get_device_info(0, aclrtDevAttr.ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE) == (-(2**30), 0)


def test_init_takes_a_path_or_nothing(acl: Any) -> None:
    assert (acl.init(), acl.init(""), acl.init()) == (0, 100002, 100002)
    assert acl.finalize_reference() == (2, 0)
    assert acl.finalize() == 0
    with pytest.raises(TypeError):
        acl.init(None)


def test_init_reads_the_file(acl: Any, tmp_path: Any) -> None:
    assert acl.init(str(tmp_path / "none.json")) == 100003


@pytest.mark.fidelity("keys of dicts that are nowhere listed")
def test_structs_are_dicts_in_snake_case(acl: Any) -> None:
    pointer, _ = acl.rt.malloc(64, 0)
    attributes, ret = acl.rt.pointer_get_attributes(pointer)
    assert ret == 0
    assert attributes == {"location": {"id": 0, "type": 1}, "page_size": 4096, "rsv": [0, 0, 0, 0]}
    version, ret = acl.get_cann_version(0)
    keys = ["version", "major_version", "minor_version", "release_version", "patch_version", "reserved"]
    assert (list(version), version["version"], ret) == (keys, "9.1.0", 0)
    uuid, ret = acl.rt.device_get_uuid(0)
    assert (len(uuid["bytes"]), ret) == (16, 0)
    rates, ret = acl.rt.get_device_utilization_rate(0)
    assert (rates["cube_utilization"], rates["memory_utilization"], ret) == (0, -1, 0)


@pytest.mark.fidelity("configs of allocations")
@pytest.mark.parametrize(
    ("config", "status"),
    [
        ({}, 0),
        ({"attrs": [{"attr": 2, "value": {"device_id": 0}}], "num_attrs": 1}, 0),
        ({"attrs": [{"attr": 1, "value": {"module_id": 3}}]}, 0),
        ({"attrs": [{"attr": 2, "value": {"device_id": 7}}]}, 107000),
    ],
)
def test_a_malloc_config_is_a_dict(config: Any, status: int, acl: Any) -> None:
    assert acl.rt.malloc_with_cfg(64, 0, config)[1] == status
    assert acl.rt.malloc_host_with_cfg(64, config)[1] == status


@pytest.mark.fidelity("configs of allocations")
@pytest.mark.parametrize(
    "config",
    [
        {"attr": []},
        {"attrs": [], "num_attrs": 1},
        {"attrs": {}},
        {"attrs": [{"attr": 2, "value": 0}]},
        {"attrs": [{"attr": "2"}]},
    ],
    ids=repr,
)
def test_a_wrong_malloc_config_is_a_type_error(config: Any, acl: Any) -> None:
    with pytest.raises(TypeError, match="cfg expects"):
        acl.rt.malloc_with_cfg(64, 0, config)


def test_texts_are_returned_as_str(acl: Any) -> None:
    assert acl.get_soc_name() == "Ascend910B1"
    assert acl.get_version_str("runtime") == ("9.1.0", 0)
    assert acl.get_version_str("no such package") == ("", 100003)
    assert acl.rt.set_device(99) == 107001
    assert "deviceId" in acl.get_recent_err_msg()
    assert acl.get_recent_err_msg() is None


def test_the_list_of_attributes(acl: Any) -> None:
    assert acl.get_cann_attribute_list() == ([0, 1, 2], 3, 0)
    assert acl.get_cann_attribute(1) == (1, 0)


@pytest.mark.fidelity("keys of dicts that are nowhere listed")
def test_a_stream_attribute_is_an_int(acl: Any) -> None:
    stream, _ = acl.rt.create_stream()
    assert acl.rt.set_stream_attribute(stream, 3, 77) == 0
    assert acl.rt.get_stream_attribute(stream, 3) == (77, 0)


def test_halves_are_converted_to_floats_and_back(acl: Any) -> None:
    assert acl.float_to_float16(1.5) == 0x3E00
    assert acl.float16_to_float(0x3E00 + 2**16) == 1.5
    assert acl.data_type_size(0) == 4


def test_app_log_tells_the_line_of_the_caller(acl: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "acl_runtime.app"):
        acl.app_log(1, "100% done")
    (record,) = caplog.records
    assert (record.getMessage(), record.pathname) == ("100% done", __file__)


def test_a_finding_names_the_line_of_the_user(acl: Any) -> None:
    with Machine() as inner:
        acl.rt.set_device(0)
        acl.rt.malloc(64, 0)
    (finding,) = [each for each in inner.findings if each.id == "mem-leaked"]
    assert finding.history[0].site.rpartition(":")[0] == __file__


# callbacks


def serve(acl: Any, context: int, done: list[bool]) -> None:
    acl.rt.set_context(context)
    while not done:
        acl.rt.process_report(10)


def served(acl: Any, *callbacks: tuple[Any, Any], wait: Any = None) -> None:
    """Callbacks of a stream, run by a thread of acl.util.start_thread."""
    context, _ = acl.rt.get_context()
    stream, _ = acl.rt.create_stream()
    done: list[bool] = []
    tid, ret = acl.util.start_thread(lambda args: serve(*args), [acl, context, done])
    assert ret == 0
    assert acl.rt.subscribe_report(tid, stream) == 0
    for function, arguments in callbacks:
        assert acl.rt.launch_callback(function, arguments, BLOCK, stream) == 0
    assert (wait or acl.rt.synchronize_stream)(stream) == 0
    assert acl.rt.unsubscribe_report(tid, stream) == 0
    done.append(True)
    assert acl.util.stop_thread(tid) == 0


def test_launch_callback_passes_the_object_itself(acl: Any) -> None:
    got: list[Any] = []
    arguments = ["a", "b"]
    served(acl, (got.append, arguments), (got.append, None))
    assert got[0] is arguments
    assert got[1] is None


@pytest.mark.fidelity("calls that keep Python's lock while they wait")
def test_a_callback_runs_in_a_wait_that_keeps_the_lock(acl: Any) -> None:
    got: list[Any] = []
    served(acl, (got.append, 1), wait=lambda _: acl.rt.synchronize_device_with_timeout(10_000))
    assert got == [1]


@pytest.mark.fidelity("a callback that raises")
def test_an_exception_in_a_callback_is_only_logged(acl: Any, caplog: pytest.LogCaptureFixture) -> None:
    got: list[Any] = []
    served(acl, (lambda _: 1 / 0, 0), (got.append, 1))
    assert got == [1]
    (record,) = [each for each in caplog.records if each.name == "acl_runtime.pyacl"]
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


@pytest.mark.fidelity("a callback that raises")
def test_a_finding_in_a_callback_is_not_only_logged(acl: Any, caplog: pytest.LogCaptureFixture) -> None:
    """The call that runs the callback raises it."""
    pointer, _ = acl.rt.malloc(64, 0)
    stream, _ = acl.rt.create_stream()
    assert acl.rt.subscribe_report(get_ident(), stream) == 0
    assert acl.rt.launch_callback(lambda _: acl.rt.free(pointer), None, 0, stream) == 0
    with pytest.raises(UndefinedBehaviour, match="callback-acl"):
        acl.rt.process_report(-1)
    assert not [each for each in caplog.records if each.name == "acl_runtime.pyacl"]


def fail_on_device(machine: Machine, acl: Any) -> None:
    """A task that fails on the device."""
    stream, _ = acl.rt.create_stream()
    pointer, _ = acl.rt.malloc(64, 0)
    machine.fail("aclrtMemsetAsync", device=True)
    assert acl.rt.memset_async(pointer, 64, 0, 64, stream) == 0
    assert acl.rt.synchronize_stream(stream) != 0


def test_the_exception_callback_gets_an_int_and_none_removes_it(machine: Machine, acl: Any) -> None:
    got: list[Any] = []

    def tell(info: Any) -> None:
        got.append((type(info), acl.rt.get_device_id_from_exception_info(info)))

    assert acl.rt.set_exception_info_callback(tell) == 0
    fail_on_device(machine, acl)
    assert got == [(int, 0)]
    assert acl.rt.set_exception_info_callback(None) == acl.rt.set_exception_info_callback() == 0
    fail_on_device(machine, acl)
    assert len(got) == 1


def test_an_exception_callback_that_raises_is_dropped(
    machine: Machine, acl: Any, caplog: pytest.LogCaptureFixture
) -> None:
    got: list[Any] = []

    def tell(info: Any) -> None:
        got.append(info)
        raise KeyError(info)

    assert acl.rt.set_exception_info_callback(tell) == 0
    fail_on_device(machine, acl)
    fail_on_device(machine, acl)
    assert len(got) == len(caplog.records) == 1
