"""Arguments and results of every function of pyACL, by the public description of the extension."""

import re
from typing import Any

import pytest

from acl_runtime import Machine
from acl_runtime.process import process
from acl_runtime.pyacl.modules import PyAcl
from acl_runtime.pyacl.names import ABSENT, python_name, wrapped
from tests.helpers.listing import assert_listed

# `name(arguments) results`: an argument is i (32 bits), l (64 bits, pointers and handles), f, s, fn, o (any object),
# d (dict), v (list); in brackets, optional. The last result is the status.
FUNCTIONS = """
acl.init([s]) ret
acl.finalize() ret
acl.finalize_reference() ref_count ret
acl.get_version() major_version minor_version patch_version ret
acl.get_soc_name() str
acl.get_cann_version(i) version ret
acl.get_version_str(s) version_str ret
acl.get_recent_err_msg() str
acl.get_cann_attribute_list() cann_attr_list num ret
acl.get_cann_attribute(i) value ret
acl.get_device_capability(i, i) value ret
acl.data_type_size(i) int
acl.float_to_float16(f) int
acl.float16_to_float(i) float
acl.app_log(i, s) None
acl.create_data_buffer(l, l) int
acl.destroy_data_buffer(l) ret
acl.update_data_buffer(l, l, l) ret
acl.get_data_buffer_addr(l) int
acl.get_data_buffer_size(l) int
acl.get_data_buffer_size_v2(l) int
acl.create_tensor_desc(i, v, i) int
acl.destroy_tensor_desc(l) None
acl.set_tensor_desc_name(l, s) None
acl.get_tensor_desc_type(l) int
acl.get_tensor_desc_format(l) int
acl.get_tensor_desc_num_dims(l) int
acl.get_tensor_desc_dim_v2(l, l) dim_size ret
acl.get_tensor_desc_dim(l, l) int
acl.get_tensor_desc_dim_range(l, l, l) dim_range ret
acl.get_tensor_desc_size(l) int
acl.get_tensor_desc_element_count(l) int
acl.get_tensor_desc_name(l) str
acl.get_tensor_desc_address(l) int
acl.get_tensor_desc_by_index(l, l) int
acl.trans_tensor_desc_format(l, i) dst_desc ret
acl.set_tensor_storage_format(l, i) ret
acl.set_tensor_origin_format(l, i) ret
acl.set_tensor_storage_shape(l, v) ret
acl.set_tensor_origin_shape(l, v) ret
acl.set_tensor_shape_range(l, v) ret
acl.set_tensor_value_range(l, v) ret
acl.set_tensor_dynamic_input(l, s) ret
acl.set_tensor_format(l, i) ret
acl.set_tensor_shape(l, v) ret
acl.set_tensor_const(l, l, l) ret
acl.set_tensor_place_ment(l, i) ret
acl.rt.get_logic_dev_id_by_user_dev_id(i) logic_dev_id ret
acl.rt.get_user_dev_id_by_logic_dev_id(i) user_devid ret
acl.rt.get_logic_dev_id_by_phy_dev_id(i) logic_dev_id ret
acl.rt.get_phy_dev_id_by_logic_dev_id(i) phy_dev_id ret
acl.rt.get_user_dev_id_by_phy_dev_id(i) user_devid ret
acl.rt.get_phy_dev_id_by_user_dev_id(i) phy_dev_id ret
acl.rt.get_devices_topo(i, i) value ret
acl.rt.get_thread_last_task_id() task_id ret
acl.rt.cmo_async(l, l, i, l) ret
acl.rt.allocator_create_desc() int
acl.rt.allocator_destroy_desc(l) ret
acl.rt.allocator_set_obj_to_desc(l, l) ret
acl.rt.allocator_set_alloc_func_to_desc(l, fn) ret
acl.rt.allocator_set_free_func_to_desc(l, fn) ret
acl.rt.allocator_set_alloc_advise_func_to_desc(l, fn) ret
acl.rt.allocator_set_get_addr_from_block_func_to_desc(l, fn) ret
acl.rt.allocator_register(l, l) ret
acl.rt.allocator_unregister(l) ret
acl.rt.get_memcpy_desc_size(i) desc_size ret
acl.rt.memcpy_async_with_desc(l, i, l) ret
acl.op.create_attr() int
acl.op.destroy_attr(l) None
acl.op.set_attr_bool(l, s, i) ret
acl.op.set_attr_int(l, s, l) ret
acl.op.set_attr_float(l, s, f) ret
acl.op.set_attr_string(l, s, s) ret
acl.op.set_attr_data_type(l, s, i) ret
acl.op.set_attr_list_bool(l, s, v) ret
acl.op.set_attr_list_int(l, s, v) ret
acl.op.set_attr_list_float(l, s, v) ret
acl.op.set_attr_list_list_int(l, s, v) ret
acl.op.set_attr_list_string(l, s, t) ret
acl.op.set_attr_list_data_type(l, s, v) ret
acl.op.execute(s, v, v, v, v, l, l) ret
acl.op.infer_shape(s, v, v, v, l) ret
acl.op.execute_v2(s, v, v, v, v, l, l) ret
acl.op.create_handle(s, v, v, l) handle ret
acl.op.destroy_handle(l) None
acl.op.execute_with_handle(l, v, v, l) ret
acl.op.set_model_dir(s) ret
acl.op.load(l, l) ret
acl.op.set_max_op_queue_num(l) ret
acl.op.start_dump_args(i, s) ret
acl.op.stop_dump_args(i) ret
acl.rt.binary_load_from_data(l, l, d) bin_handle ret
acl.rt.binary_load_from_file(s, d) bin_handle ret
acl.rt.create_binary(l, l) int
acl.rt.binary_load(l) bin_handle ret
acl.rt.kernel_args_init(l) args_handle ret
acl.rt.kernel_args_append(l, l, l) param_handle ret
acl.rt.kernel_args_finalize(l) ret
acl.rt.launch_kernel(l, i, l, l, l) ret
acl.rt.binary_unload(l) ret
acl.rt.binary_get_function(l, s) func_handle ret
acl.mdl.load_from_file(s) model_id ret
acl.mdl.load_from_file_with_mem(s, l, l, l, l) model_id ret
acl.mdl.load_from_mem(l, l) model_id ret
acl.mdl.load_from_mem_with_mem(l, l, l, l, l, l) model_id ret
acl.mdl.unload(i) ret
acl.mdl.query_size(s) work_size weight_size ret
acl.mdl.query_size_from_mem(l, l) work_size weight_size ret
acl.mdl.create_desc() int
acl.mdl.destroy_desc(l) ret
acl.mdl.get_desc(l, i) ret
acl.mdl.get_desc_from_file(l, s) ret
acl.mdl.get_desc_from_mem(l, l, l) ret
acl.mdl.get_num_inputs(l) int
acl.mdl.get_num_outputs(l) int
acl.mdl.get_input_size_by_index(l, l) int
acl.mdl.get_output_size_by_index(l, l) int
acl.mdl.get_input_name_by_index(l, l) text
acl.mdl.get_output_name_by_index(l, l) text
acl.mdl.get_input_index_by_name(l, s) index ret
acl.mdl.get_output_index_by_name(l, s) index ret
acl.mdl.get_tensor_real_name(l, s) str
acl.mdl.get_op_attr(l, s, s) str
acl.mdl.get_input_format(l, l) int
acl.mdl.get_output_format(l, l) int
acl.mdl.get_input_data_type(l, l) int
acl.mdl.get_output_data_type(l, l) int
acl.mdl.get_input_dims(l, l) dims ret
acl.mdl.get_input_dims_v2(l, l) dims ret
acl.mdl.get_output_dims(l, l) dims ret
acl.mdl.get_cur_output_dims(l, l) dims ret
acl.mdl.get_input_dims_range(l, l) dims_range ret
acl.mdl.create_dataset() int
acl.mdl.destroy_dataset(l) ret
acl.mdl.add_dataset_buffer(l, l) dataset ret
acl.mdl.get_dataset_num_buffers(l) int
acl.mdl.get_dataset_buffer(l, l) int
acl.mdl.set_dataset_tensor_desc(l, l, l) dataset ret
acl.mdl.get_dataset_tensor_desc(l, l) int
acl.mdl.execute(i, l, l) ret
acl.mdl.execute_async(i, l, l, l) ret
acl.mdl.execute_v2(i, l, l, l, l) ret
acl.mdl.create_exec_config_handle() int
acl.mdl.destroy_exec_config_handle(l) ret
acl.mdl.set_exec_config_opt(l, i, l, l) ret
acl.mdl.load_with_config(l) model_id ret
acl.mdl.create_config_handle() int
acl.mdl.destroy_config_handle(l) ret
acl.mdl.set_config_opt(l, i, l, l) ret
acl.mdl.set_dynamic_batch_size(i, l, l, l) ret
acl.mdl.set_dynamic_hw_size(i, l, l, l, l) ret
acl.mdl.set_input_dynamic_dims(i, l, l, d) ret
acl.mdl.get_dynamic_batch(l) batch ret
acl.mdl.get_dynamic_hw(l, l) hw ret
acl.mdl.get_input_dynamic_gear_count(l, l) gear_count ret
acl.mdl.get_input_dynamic_dims(l, l, l) dims ret
acl.mdl.get_aipp_type(i, l) type dynamic_attached_data_index ret
acl.mdl.get_aipp_data_size(l) size ret
acl.mdl.create_aipp(l) int
acl.mdl.destroy_aipp(l) ret
acl.mdl.set_aipp_input_format(l, i) ret
acl.mdl.set_aipp_csc_params(l, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i) ret
acl.mdl.set_aipp_rbuv_swap_switch(l, i) ret
acl.mdl.set_aipp_ax_swap_switch(l, i) ret
acl.mdl.set_aipp_src_image_size(l, i, i) ret
acl.mdl.set_aipp_scf_params(l, i, i, i, i, i, l) ret
acl.mdl.set_aipp_crop_params(l, i, i, i, i, i, l) ret
acl.mdl.set_aipp_padding_params(l, i, i, i, i, i, l) ret
acl.mdl.set_aipp_dtc_pixel_mean(l, i, i, i, i, l) ret
acl.mdl.set_aipp_dtc_pixel_min(l, f, f, f, f, l) ret
acl.mdl.set_aipp_pixel_var_reci(l, f, f, f, f, l) ret
acl.mdl.set_input_aipp(i, l, l, l) ret
acl.mdl.set_aipp_by_input_index(i, l, l, l) ret
acl.mdl.init_dump() ret
acl.mdl.set_dump(s) ret
acl.mdl.finalize_dump() ret
acl.rt.set_device(i) ret
acl.rt.reset_device(i) ret
acl.rt.reset_device_force(i) ret
acl.rt.get_device() device_id ret
acl.rt.get_device_count() count ret
acl.rt.get_run_mode() run_mode ret
acl.rt.set_ts_device(i) ret
acl.rt.synchronize_device() ret
acl.rt.synchronize_device_with_timeout(i) ret
acl.rt.query_device_status(i) device_status ret
acl.rt.get_device_info(i, i) value ret
acl.rt.get_device_capability(i, i) value ret
acl.rt.get_device_utilization_rate(i) utilization_info ret
acl.rt.device_can_access_peer(i, i) can_access_peer ret
acl.rt.device_enable_peer_access(i, i) ret
acl.rt.device_disable_peer_access(i) ret
acl.rt.device_peer_access_status(i, i) status ret
acl.rt.device_get_stream_priority_range() least_priority greatest_priority ret
acl.rt.get_device_res_limit(i, i) value ret
acl.rt.set_device_res_limit(i, i, i) ret
acl.rt.reset_device_res_limit(i) ret
acl.rt.device_get_uuid(i) uuid ret
acl.rt.device_task_abort(i, i) ret
acl.rt.create_context(i) context ret
acl.rt.destroy_context(l) ret
acl.rt.set_context(l) ret
acl.rt.get_context() context ret
acl.rt.get_primary_ctx_state(i) active flags ret
acl.rt.ctx_get_current_default_stream() stream ret
acl.rt.ctx_set_sys_param_opt(i, l) ret
acl.rt.ctx_get_sys_param_opt(i) value ret
acl.rt.set_sys_param_opt(i, l) ret
acl.rt.get_sys_param_opt(i) value ret
acl.rt.create_stream() stream ret
acl.rt.create_stream_with_config(i, i) stream ret
acl.rt.destroy_stream(l) ret
acl.rt.destroy_stream_force(l) ret
acl.rt.synchronize_stream(l) ret
acl.rt.synchronize_stream_with_timeout(l, i) ret
acl.rt.stream_query(l) status ret
acl.rt.stream_wait_event(l, l) ret
acl.rt.stream_get_id(l) stream_id ret
acl.rt.get_stream_available_num() stream_count ret
acl.rt.set_stream_failure_mode(l, l) ret
acl.rt.stream_abort(l) ret
acl.rt.set_stream_overflow_switch(l, i) ret
acl.rt.get_stream_overflow_switch(l) flag ret
acl.rt.set_stream_attribute(l, i, l) ret
acl.rt.get_stream_attribute(l, i) value ret
acl.rt.create_notify(i) notify ret
acl.rt.record_notify(l, l) ret
acl.rt.wait_and_reset_notify(l, l, i) ret
acl.rt.get_notify_id(l) notify_id ret
acl.rt.destroy_notify(l) ret
acl.rt.create_event() event ret
acl.rt.create_event_with_flag(i) event ret
acl.rt.create_event_ex_with_flag(i) event ret
acl.rt.destroy_event(l) ret
acl.rt.record_event(l, l) ret
acl.rt.reset_event(l, l) ret
acl.rt.query_event(l) status ret
acl.rt.query_event_status(l) status ret
acl.rt.query_event_wait_status(l) status ret
acl.rt.synchronize_event(l) ret
acl.rt.synchronize_event_with_timeout(l, i) ret
acl.rt.event_elapsed_time(l, l) ms ret
acl.rt.event_get_timestamp(l) timestamp ret
acl.rt.get_event_id(l) event_id ret
acl.rt.get_event_avail_num() event_count ret
acl.rt.malloc(l, i) dev_ptr ret
acl.rt.malloc_align32(l, i) dev_ptr ret
acl.rt.malloc_cached(l, i) dev_ptr ret
acl.rt.malloc_with_cfg(l, i, d) dev_ptr ret
acl.rt.malloc_for_task_scheduler(l, i, d) dev_ptr ret
acl.rt.reserve_mem_address(l, l, l, l) vir_ptr ret
acl.rt.release_mem_address(l) ret
acl.rt.malloc_physical(l, d, l) handle ret
acl.rt.free_physical(l) ret
acl.rt.map_mem(l, l, l, l, l) ret
acl.rt.unmap_mem(l) ret
acl.rt.mem_export_to_shareable_handle(l, i, l) shareable_handle ret
acl.rt.mem_import_from_shareable_handle(l, i) handle ret
acl.rt.ipc_mem_get_export_key(l, l, l, l) key ret
acl.rt.ipc_mem_set_import_pid(s, v) ret
acl.rt.ipc_mem_import_by_key(s, l) dev_ptr ret
acl.rt.ipc_mem_close(s) ret
acl.rt.mem_get_allocation_granularity(d, i) granularity ret
acl.rt.device_get_bare_tgid() pid ret
acl.rt.free(l) ret
acl.rt.get_mem_info(i) free total ret
acl.rt.mem_flush(l, l) ret
acl.rt.mem_invalidate(l, l) ret
acl.rt.malloc_host(l) host_ptr ret
acl.rt.malloc_host_with_cfg(l, d) ptr ret
acl.rt.free_host(l) ret
acl.rt.host_register(l, l, i) dev_ptr ret
acl.rt.host_register_v2(l, l, i) ret
acl.rt.host_get_device_pointer(l, i) p_device ret
acl.rt.host_unregister(l) ret
acl.rt.memcpy(l, l, l, l, i) ret
acl.rt.memcpy_async(l, l, l, l, i, l) ret
acl.rt.memcpy_async_with_condition(l, l, l, l, i, l) ret
acl.rt.memset(l, l, i, l) ret
acl.rt.memset_async(l, l, i, l, l) ret
acl.rt.memcpy2d(l, l, l, l, l, l, i) ret
acl.rt.memcpy2d_async(l, l, l, l, l, l, i, l) ret
acl.rt.reduce_async(l, l, l, i, i, l, l) ret
acl.rt.pointer_get_attributes(l) attributes ret
acl.rt.value_write(l, l, i, l) ret
acl.rt.value_wait(l, l, i, l) ret
acl.rt.launch_callback(fn, o, i, l) ret
acl.rt.subscribe_report(l, l) ret
acl.rt.unsubscribe_report(l, l) ret
acl.rt.process_report(i) ret
acl.rt.set_exception_info_callback([fn]) ret
acl.rt.get_error_code_from_exception_info(l) int
acl.rt.get_task_id_from_exception_info(l) int
acl.rt.get_stream_id_from_exception_info(l) int
acl.rt.get_thread_id_from_exception_info(l) int
acl.rt.get_device_id_from_exception_info(l) int
acl.rt.get_last_error(i) ret
acl.rt.peek_at_last_error(i) ret
acl.rt.set_device_sat_mode(i) ret
acl.rt.get_device_sat_mode() mode ret
acl.rt.get_overflow_status(l, l, l) ret
acl.rt.reset_overflow_status(l) ret
acl.rt.set_op_wait_timeout(i) ret
acl.rt.set_op_execute_time_out(i) ret
acl.rt.set_op_execute_timeout_v2(l) actual_timeout ret
acl.rt.get_op_execute_timeout() timeout_ms ret
acl.rt.get_op_timeout_interval() interval ret
acl.rt.get_stream_res_limit(l, i) value ret
acl.rt.set_stream_res_limit(l, i, i) ret
acl.rt.reset_stream_res_limit(l) ret
acl.rt.use_stream_res_in_current_thread(l) ret
acl.rt.unuse_stream_res_in_current_thread(l) ret
acl.rt.get_res_in_current_thread(i) value ret
""".strip().splitlines()
UTIL = {
    "bytes_to_ptr", "numpy_contiguous_to_ptr", "numpy_to_ptr", "ptr_to_bytes", "ptr_to_numpy", "start_thread",
    "stop_thread",
}  # fmt: skip
TEXTS = {"str": "str | None", "text": "str"}
"""the results that are texts, as the help shows them: `text` is never null"""
SPLIT = re.compile(r"acl\.(\S+?)\((\[?)(.*?)\]?\) (.*)")
ROWS = {found[1]: found for found in map(SPLIT.match, FUNCTIONS) if found}
GOOD: dict[str, Any] = {"i": 0, "l": 0, "f": 1.5, "s": "text", "fn": print, "o": object(), "d": {}, "v": [], "t": []}
WRONG: dict[str, list[Any]] = {
    "i": [None, 1.0, "1"],
    "l": [None, 1.0, "1", [1]],
    "f": [None, "1.5", [1]],
    "s": [None, 1, b"text"],
    "fn": [1, "print"],
    "o": [],
    "d": [None, 1, []],
    "v": [None, 1, (1,), ["text"]],
    "t": [None, 1, ("text",), [1]],
}


def find(acl: Any, name: str) -> Any:
    for part in name.split("."):
        acl = getattr(acl, part)
    return acl


def type_error(function: Any, *arguments: Any, **named: Any) -> str:
    """The text of the TypeError of a call; "" if it raises none."""
    try:
        function(*arguments, **named)
    except TypeError as error:
        return str(error)
    return ""


def kinds(name: str) -> list[str]:
    return [each for each in ROWS[name][3].split(", ") if each]


def test_every_line_of_the_table_is_understood() -> None:
    assert len(ROWS) == len(FUNCTIONS)


def test_there_are_these_functions_and_no_more() -> None:
    made = process.own(PyAcl).modules
    there = {
        f"{name}.{each}".removeprefix("acl.")
        for name in ("acl", "acl.rt", "acl.op", "acl.mdl")
        for each in vars(made[name])
        if callable(getattr(made[name], each)) and not each.startswith("__")
    }
    assert_listed("FUNCTIONS above", ROWS, there)
    assert {each for each in vars(made["acl.util"]) if not each.startswith("__")} == UTIL


def test_every_function_of_c_is_wrapped_or_known_to_be_of_c_only() -> None:
    names = {python_name(function.c) for function in wrapped()}
    assert_listed("FUNCTIONS above; or, if pyACL lacks the function, state pyacl=None at its def", ROWS, names)


def test_the_first_line_of_its_help_tells_arguments_and_results() -> None:
    made = process.own(PyAcl).modules["acl"]
    for name in ROWS:
        function = find(made, name)
        first = function.__doc__.splitlines()[0]
        results = ROWS[name][4].split()
        result = first.partition(" -> ")[2]
        assert first.startswith(f"acl.{name}({'[' if ROWS[name][2] else ''}")
        if results[0] in TEXTS:
            assert result == TEXTS[results[0]], name
        else:
            assert result == (results[0] if len(results) == 1 else f"({', '.join(results)})"), name
        assert f"{function.__module__}.{function.__name__}" == f"acl.{name}"
        assert len(function.__signature__.parameters) == len(kinds(name)), name


@pytest.mark.parametrize("name", ROWS)
def test_outs_in_the_order_of_c_and_the_status_last(name: str, acl: Any) -> None:
    """With null pointers and zeros as arguments, each result has the shape of its row."""
    result = find(acl, name)(*(GOOD[kind] for kind in kinds(name)))
    names = ROWS[name][4].split()
    if len(names) > 1:
        assert type(result) is tuple
        assert len(result) == len(names)
        assert isinstance(result[-1], int)
    elif names == ["ret"]:
        assert isinstance(result, int)
    else:
        expected = {"int": int, "float": float, "str": str | None, "text": str, "None": type(None)}[names[0]]
        assert isinstance(result, expected)


@pytest.mark.parametrize("name", [name for name in ROWS if kinds(name)])
def test_wrong_arguments_are_a_type_error(name: str, acl: Any) -> None:
    """A wrong type in each place, one too many, one too few."""
    function, good = find(acl, name), [GOOD[kind] for kind in kinds(name)]
    typed = [
        [*good[:place], value, *good[place + 1 :]]
        for place, kind in enumerate(kinds(name))
        for value in WRONG[kind]
        if not (name == "rt.set_exception_info_callback" and value is None)
    ]
    counted = [[*good, 0]] + ([] if ROWS[name][2] else [good[:-1]])
    for arguments in typed + counted:
        assert type_error(function, *arguments).startswith(f"acl.{name} args parse failed: "), arguments


@pytest.mark.parametrize("name", [name for name in ROWS if not kinds(name)])
def test_functions_without_arguments_ignore_extra_ones(name: str, acl: Any) -> None:
    find(acl, name)(1, "more")


def test_there_are_no_keyword_arguments(acl: Any) -> None:
    for name in ROWS:
        function = find(acl, name)
        assert type_error(function, **dict.fromkeys(function.__signature__.parameters, 0) or {"x": 0}), name


@pytest.mark.fidelity("functions and modules of pyACL beyond the runtime's here")
def test_what_is_absent_says_so() -> None:
    made = process.own(PyAcl).modules
    absent = [each for names in ABSENT.values() for each in names.split()]
    there = {python_name(function.c) for function in wrapped()}
    assert there.intersection(absent) == set(), "they exist: remove them from ABSENT in acl_runtime/pyacl/names.py"
    for name in absent:
        with pytest.raises(AttributeError, match=rf"acl\.{re.escape(name)} is not emulated: "):
            find(made["acl"], name)
        module, _, last = f"acl.{name}".rpartition(".")
        assert not hasattr(made[module], last), name


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("rt.get_soc_name", "there is acl.get_soc_name"),
        ("malloc", "there is acl.rt.malloc"),
        ("ACL_MEMCPY_HOST_TO_DEVICE", "defines no constants.*define it yourself: ACL_MEMCPY_HOST_TO_DEVICE = 1"),
        ("rt.ACL_NO_SUCH_THING", "defines no constants"),
        ("create_tensor", "pyACL has no acl.create_tensor"),
    ],
)
def test_what_pyacl_does_not_have_is_told_as_such(name: str, says: str) -> None:
    with pytest.raises(AttributeError, match=says):
        find(process.own(PyAcl).modules["acl"], name)


def test_the_calls_are_those_of_c(machine: Machine, acl: Any) -> None:
    acl.rt.get_device_count()
    assert machine.calls[-1].function == "aclrtGetDeviceCount"
