"""Names in pyACL: of the C functions that it wraps, and of functions that the emulator lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import acl_runtime
from acl_runtime.generated_index import HOMES

if TYPE_CHECKING:
    from acl_runtime.abi.function import CFunction

NAME: Final = "acl"
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
UNKNOWN: Final = "..."


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


class Absence(NamedTuple):
    """Facts about a name that `acl` lacks."""

    subject: str = ""
    """the part of pyACL that the emulator lacks, if the name belongs to it"""
    definition: str = ""
    """for a constant, which pyACL never has: `NAME = VALUE`; the value is `...` if the headers have no such constant"""
    other: str = ""
    """the name of the function in pyACL, if it is another one"""


def c_names() -> dict[str, str]:
    """The name in C of each function that pyACL wraps, by its name there without `acl.`."""
    return {python_name(function.c): function.c.name for function in wrapped()}


def absence(name: str, c_names: Callable[[], Mapping[str, str]] = c_names) -> Absence | None:
    """Facts about a name that `acl` lacks; None for a function that it has. `name` is without `acl.`. `c_names` returns
    the names of the functions: the default creates the functions."""
    for subject, names in ABSENT.items():
        if any(name == absent or name.startswith(f"{absent}.") for absent in names.split()):
            return Absence(subject=subject)
    last = name.rpartition(".")[2]
    if last.startswith("ACL_"):
        constant = getattr(acl_runtime, last, None)
        return Absence(definition=f"{last} = {int(constant) if isinstance(constant, int) else UNKNOWN}")
    by_python = c_names()
    if name in by_python or any(each.startswith(f"{name}.") for each in by_python):
        return None
    # a function of another module, or the spelling of C, with or without its prefix
    plain = last.replace("_", "").casefold()
    folded = {each.rpartition(".")[2].replace("_", ""): each for each in by_python}
    folded |= {c_name.casefold(): each for each, c_name in by_python.items()}
    return Absence(other=folded.get(plain) or folded.get(f"acl{plain}", ""))


def why_absent(name: str) -> str:
    """The reason why `acl` lacks a name, for an AttributeError; `name` is without `acl.`."""
    facts = absence(name) or Absence()
    if facts.subject:
        return f"acl.{name} is not emulated: {facts.subject}; `aclnn docs pyacl` lists what is absent"
    if facts.definition:
        value = "" if facts.definition.endswith(UNKNOWN) else f"; define it yourself: {facts.definition}"
        return f"pyACL defines no constants, so there is no acl.{name}{value}"
    return f"pyACL has no acl.{name}{f'; there is acl.{facts.other}' if facts.other else ''}"
