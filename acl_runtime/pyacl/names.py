"""Names in pyACL: of the C functions that it wraps, and of functions that the emulator lacks."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import acl_runtime
from acl_runtime.abi.function import CFunction
from acl_runtime.generated_index import HOMES

RUNTIME: Final = (
    "acl/acl_rt.h", "acl/acl_base_rt.h", "acl/acl_base_mdl.h", "acl/acl_op.h", "acl/acl_dump.h", "acl/acl_mdl.h",
    "acl/acl_rt_allocator.h",
)  # fmt: skip
"""the headers whose functions pyACL wraps; pyACL has no aclnn functions"""
ABSENT: Final[Mapping[str, str]] = {
    "parts of offline models": "mdl.load_from_file_with_q mdl.load_from_mem_with_q mdl.get_first_aipp_info",
    "the single-operator interface before aclnn": """
        blas op.cast op.create_handle_for_cast op.register_compile_func op.unregister_compile_func op.create_kernel
        op.set_kernel_args op.set_kernel_workspace_sizes op.update_params""",
    "profiling": "prof",
    "images, video and feature retrieval": "media himpi fv",
    "kernels": "rt.launch_kernel_with_config",
    "copy descriptors": "rt.set_memcpy_desc",
    "groups and memory errors, which only full builds have": """
        rt.set_group rt.get_group_count rt.create_group_info rt.get_mem_uce_info rt.mem_uce_repair""",
}
"""names without `acl.`, by subject, of functions that pyACL has and the emulator lacks"""


def python_name(function: CFunction) -> str:
    """The name in pyACL, such as `rt.malloc_host` for aclrtMallocHost: "drop the C prefix, convert to snake_case, put
    in the submodule"."""
    if function.pyacl:
        return function.pyacl
    for prefix, module in (("aclrt", "rt."), ("aclop", "op."), ("aclmdl", "mdl."), ("acl", "")):
        if function.name.startswith(prefix):
            return module + snake(function.name.removeprefix(prefix))
    return snake(function.name)


def snake(name: str) -> str:
    """The name in snake_case, such as `device_id` for deviceId."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def wrapped() -> Iterator[Any]:
    """The functions of `acl_runtime` that pyACL wraps."""
    for home, names in HOMES.items():
        for name in names if home.startswith("acl_runtime.api.") else ():
            function = getattr(acl_runtime, name)
            declared: CFunction = function.c
            if declared.header in RUNTIME and declared.pyacl is not None:
                yield function


def why_absent(name: str) -> str:
    """The reason why `acl` lacks a name, for an AttributeError; `name` is without `acl.`."""
    for subject, names in ABSENT.items():
        if name in names.split():
            return f"acl.{name} is not emulated: {subject}; `aclnn docs pyacl` lists what is absent"
    last = name.rpartition(".")[2]
    if last.startswith("ACL_"):
        constant = getattr(acl_runtime, last, None)
        value = f"; define it yourself: {last} = {int(constant)}" if isinstance(constant, int) else ""
        return f"pyACL defines no constants, so there is no acl.{name}{value}"
    here = {python_name(function.c) for function in wrapped()}
    near = [candidate for candidate in (last, f"rt.{last}") if candidate in here and candidate != name]
    hint = f"; there is acl.{near[0]}" if near else ""
    return f"pyACL has no acl.{name}{hint}"
