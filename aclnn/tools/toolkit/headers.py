"""The C headers: types and constants from the enums, structs and statuses of `acl_runtime`, prototypes from the
functions.

"Headers must be clean under -Wall -Wextra -Werror -pedantic, C11 and C++11..20". Samples call printf and include only
acl headers, so the acl headers include the standard headers: as C++, even where a program includes the acl headers
inside of `extern "C"`.
"""

import ctypes
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any, Final

import acl_runtime.headers.enums as enums
import acl_runtime.headers.hccl as hccl
import acl_runtime.headers.statuses as statuses
import acl_runtime.headers.structs as structs
from acl_runtime.abi.conversions import CType, Function, MetaHandleType, RuntimeHandleType
from acl_runtime.abi.function import CFunction
from aclnn.tools.toolkit.exported_functions import types
from aclnn.tools.toolkit.template import filled

STATUS: Final = "ACLNN_EMULATOR_STATUS"
"""the macro before each function that returns a status. With -DACL_EMULATOR_NODISCARD it makes the compiler warn about
ignored statuses, else it is empty. g++ accepts [[nodiscard]] also in C++11. Its warn_unused_result is no alternative,
as it is part of the type in `unique_ptr<T, decltype(&f)>`"""
TYPES_HEADER: Final = "acl/acl_emulator_types.h"
BASE: Final = "acl/acl_base_rt.h"
HCCL_TYPES: Final = "hccl/hccl_types.h"
OVERLOADED: Final = "acl/acl_rt_api.h"
KERNELS: Final = "aclnn_emulator_kernel.h"
INCLUDES: Final[Mapping[str, tuple[str, ...]]] = {
    BASE: (TYPES_HEADER,),
    "acl/acl_base_mdl.h": (BASE,),
    "acl/error_codes/rt_error_codes.h": (TYPES_HEADER,),
    "acl/error_codes/ge_error_codes.h": (TYPES_HEADER,),
    "acl/acl_base.h": (BASE, "acl/acl_base_mdl.h", "acl/error_codes/rt_error_codes.h",
                       "acl/error_codes/ge_error_codes.h"),
    "acl/acl_rt.h": ("acl/acl_base.h",),
    "acl/acl_op.h": ("acl/acl_base.h",),
    "acl/acl_mdl.h": ("acl/acl_base.h",),
    "acl/acl_op_compiler.h": ("acl/acl_base.h",),
    "acl/acl_prof.h": ("acl/acl_base.h",),
    "acl/acl_dump.h": ("acl/acl_base.h",),
    "acl/acl_rt_allocator.h": ("acl/acl_base.h",),
    "acl/acl_rt_memory_soma.h": ("acl/acl_base.h",),
    "acl/acl_tdt.h": ("acl/acl_base.h",),
    "acl/acl_tdt_queue.h": ("acl/acl_base.h",),
    "acl/acl_emulator_rt.h": ("acl/acl_base.h",),
    "toolchain/prof_api.h": (TYPES_HEADER,),
    "profiling/aprof_pub.h": (TYPES_HEADER,),
    "mstx/ms_tools_ext_mem.h": ("mstx/ms_tools_ext.h",),
    "mstx/ms_tools_ext.h": (BASE,),
    HCCL_TYPES: ("acl/acl_base.h",),
    "hccl/hccl_comm.h": ("acl/acl.h", HCCL_TYPES),
    "hccl/hccl.h": ("acl/acl.h", "hccl/hccl_comm.h", HCCL_TYPES),
    "acl/acl.h": ("acl/acl_rt.h", "acl/acl_op.h", "acl/acl_mdl.h"),
    OVERLOADED: ("acl/acl_rt.h",),
    "aclnn/acl_meta.h": ("acl/acl_base.h",),
    "aclnn/aclnn_base.h": ("aclnn/acl_meta.h", "aclnn/opdev/op_errno.h"),
    "aclnn/opdev/op_errno.h": (TYPES_HEADER,),
    "opdev/op_errno.h": ("aclnn/opdev/op_errno.h",),
    "opdev/fp16_t.h": ("aclnn/opdev/fp16_t.h",),
    "opdev/float4_e2m1.h": ("aclnn/opdev/float4_e2m1.h",),
    "aclnnop/aclnn_util.h": ("aclnn/aclnn_base.h",),
    "aclnn_emulator.h": ("acl/acl.h", "aclnn/aclnn_base.h"),
    KERNELS: ("acl/acl.h", "acl/acl_emulator_rt.h"),
}  # fmt: skip
"""the headers that do not belong to an operator, and the headers that each includes"""
OTHERS: Final[Mapping[str, str]] = {
    "aclnn/opdev/fp16_t.h": "fp16_t.h",
    "aclnn/opdev/float4_e2m1.h": "float4_e2m1.h",
    "securec.h": "securec.h",
    "aclnn_emulator_device.h": "device.h",
}
"""headers that are not generated from declarations, and their templates"""
OWN_TYPES: Final[Mapping[str, str]] = {
    "acl/acl_prof.h": "acl_prof.h",
    "acl/acl_dump.h": "acl_dump.h",
    "toolchain/prof_api.h": "prof_api.h",
    "mstx/ms_tools_ext.h": "ms_tools_ext.h",
}
"""headers with types of their own, and the templates of these types. acl/acl.h includes none of them, so that a program
may include it together with another copy of such a header"""
ENUM_FIELDS: Final[Mapping[str, str]] = {
    "aclrtMemLocation.type": "aclrtMemLocationType",
    "aclrtPhysicalMemProp.handleType": "aclrtMemHandleType",
    "aclrtPhysicalMemProp.allocationType": "aclrtMemAllocationType",
    "aclrtPhysicalMemProp.memAttr": "aclrtMemAttr",
    "aclrtMemAccessDesc.flags": "aclrtMemAccessFlags",
    "aclrtBinaryLoadOption.type": "aclrtBinaryLoadOptionType",
    "aclrtLaunchKernelAttr.id": "aclrtLaunchKernelAttrId",
    "aclrtLaunchKernelAttrValue.engineType": "aclrtEngineType",
    "aclrtMemManagedLocation.type": "aclrtMemManagedLocationType",
    "aclmdlRICondTaskParams.type": "aclmdlRICondTaskType",
    "aclrtMallocAttribute.attr": "aclrtMallocAttrType",
    "aclrtErrorInfo.errorType": "aclrtErrorType",
    "aclrtBarrierCmoInfo.cmoType": "aclrtCmoType",
    "aclrtRandomNumFuncParaInfo.funcType": "aclrtRandomNumFuncType",
    "aclrtRandomNumTaskInfo.dataType": "aclDataType",
    "aclrtTaskUpdateInfo.id": "aclrtUpdateTaskAttrId",
    "aclrtMemPoolProps.allocType": "aclrtMemAllocationType",
    "aclrtMemPoolProps.handleType": "aclrtMemHandleType",
    "aclrtCntNotifyRecordInfo.mode": "aclrtCntNotifyRecordMode",
    "aclrtCntNotifyWaitInfo.mode": "aclrtCntNotifyWaitMode",
    "aclrtErrorInfoDetail.aicoreErrType": "aclrtAicoreErrorType",
    "HcclSendRecvItem.sendRecvType": "HcclSendRecvType",
    "HcclSendRecvItem.dataType": "HcclDataType",
}
"""fields that are enums in C++, where an int does not convert to an enum"""
C_NAMES: Final[Mapping[Any, str]] = {
    ctypes.c_char: "char", ctypes.c_uint8: "uint8_t", ctypes.c_uint16: "uint16_t", ctypes.c_int32: "int32_t",
    ctypes.c_uint32: "uint32_t", ctypes.c_int64: "int64_t", ctypes.c_uint64: "uint64_t", ctypes.c_size_t: "size_t",
    ctypes.c_void_p: "void *",
}  # fmt: skip
MACROS: Final[Mapping[str, str]] = {
    BASE: "#define ACL_APP_LOG(level, ...) aclAppLog(level, __func__, __FILE__, __LINE__, __VA_ARGS__)\n",
    "aclnn/acl_meta.h": "#define OK 0\n",
}
"""macros that are neither numbers of `acl_runtime.headers.enums` nor statuses"""
REFERENCE: Final = "&"
"""the mark of a reference in a prototype, such as `uint64_t &size`; the library takes its address"""
SIGNED: Final = re.compile(r"ACL_DEV_FEATURE_\w+|\w+_(VERSION|SIZE|NUM)")
"""macros that programs compare with an `int`; the others are unsigned, for comparison with a `uint32_t`
(-Wsign-compare)"""


def headers(functions: list[CFunction]) -> dict[str, str]:
    """The text of each header by its path under include/."""
    by_header: dict[str, list[CFunction]] = {name: [] for name in INCLUDES}
    for function in functions:
        by_header.setdefault(function.header, []).append(function)
    texts = {TYPES_HEADER: filled("acl_emulator_types.h", TYPES="".join(f"{line}\n" for line in _types(functions)))}
    for name, declared in by_header.items():
        includes = INCLUDES.get(name, ("aclnn/aclnn_base.h",))
        cpp = _overloads(functions) if name == OVERLOADED else filled("kernel.h") if name == KERNELS else ""
        head = "".join(f'#include "{include}"\n' for include in includes) + MACROS.get(name, "")
        head += filled(OWN_TYPES[name]) if name in OWN_TYPES else _hccl_types() if name == HCCL_TYPES else ""
        texts[name] = _guarded(name, head, map(_declaration, declared), cpp)
    for name, file in OTHERS.items():
        texts[name] = filled(file)
    return texts


def _declaration(function: CFunction) -> str:
    """The declaration of a function; `f(void)` without parameters, as `f()` takes any arguments in C. C has no
    references, so a function that takes one is declared for C++ alone."""
    visible = "ACLNN_API" if "aclnn" in function.header else "ACL_FUNC_VISIBILITY"
    if function.result.status:
        visible = f"{STATUS}\n{visible}"
    text = f"{visible} {re.sub('[(][)]$', '(void)', function.prototype)};"
    return f"#ifdef __cplusplus\n{text}\n#endif" if REFERENCE in function.prototype else text


def _overloads(functions: list[CFunction]) -> str:
    """The "header-only overloads and templates" of C++ whose functions are all declared.

    The template separates them by blank lines. ("C++ code that calls aclrtMalloc with a typed pointer through the
    optional C++ header ends" in aclrtMallocWithCfg.)
    """
    declared = {function.name for function in functions}
    texts = filled("overloads.h").split("\n\n")
    return "\n".join(text for text in texts if declared.issuperset(re.findall(r"::(acl\w+)", text)))


def _guarded(name: str, includes: str, lines: Iterable[str], cpp: str = "") -> str:
    guard = "ACLNN_EMULATOR_" + re.sub(r"\W", "_", name).upper()
    body = "".join(f"{line}\n" for line in lines)
    if body:
        body = f'#ifdef __cplusplus\nextern "C" {{\n#endif\n{body}#ifdef __cplusplus\n}}\n#endif\n'
    if cpp:
        body += f'#ifdef __cplusplus\nextern "C++" {{\n{cpp.rstrip()}\n}}\n#endif\n'
    return f"/* written by aclnn.tools.toolkit */\n#ifndef {guard}\n#define {guard}\n{includes}{body}#endif\n"


def _types(functions: list[CFunction]) -> Iterator[str]:
    """The lines of all macros, types and constants that are not in the template."""
    yield from _flags()
    used_types = list(types(functions))
    for name in sorted(
        {type_.spelling.removeprefix("const ") for type_ in used_types if isinstance(type_, RuntimeHandleType)}
    ):
        if name.startswith("acl"):
            yield f"typedef void *{name};"
    for name in sorted({kind for type_ in used_types for kind in _opaque(type_)}):
        yield f"typedef struct {name} {name};"
    for name, enum in inspect.getmembers(enums, inspect.isclass):
        if issubclass(enum, IntEnum) and enum is not IntEnum:
            yield _enum(name, enum)
    for name in _in_order():
        yield _struct(name, getattr(structs, name))
    yield from sorted(
        {
            type_.typedef
            for type_ in used_types
            if isinstance(type_, Function) and re.fullmatch(r"acl\w+", type_.spelling)
        }
    )
    yield from (f"static const int {name} = {getattr(statuses, name)};" for name in _statuses())


def _hccl_types() -> str:
    """The macros and types of hccl/hccl_types.h."""
    macros = [f"#define {name} {value}" for name, value in hccl.CONSTANTS.items()]
    kinds = [_enum(each.__name__, each) if issubclass(each, IntEnum) else _struct(each.__name__, each)
             for each in hccl.TYPES]  # fmt: skip
    return "".join(f"{line}\n" for line in (*macros, "typedef void *HcclComm;", *kinds))


def _opaque(ctype: CType) -> Iterator[str]:
    """The names of the incomplete structs that handles point to."""
    if isinstance(ctype, MetaHandleType):
        yield ctype.kind.__name__
        return
    match = re.fullmatch(r"(?:const )?(acl[A-Z]\w+) \*(?:const )?\*", ctype.spelling)
    if match and not hasattr(enums, match[1]):
        yield match[1]


def _statuses() -> list[str]:
    """The names of the statuses that the headers define."""
    return [name for name in statuses.__all__ if name.startswith(("ACL_", "ACLNN_"))
            and type(getattr(statuses, name)) is int]  # fmt: skip


def _flags() -> Iterator[str]:
    """The macros of plain numbers and of texts."""
    for name in enums.__all__:
        value = getattr(enums, name)
        if type(value) is int:
            yield f"#define {name} {value}{'' if SIGNED.fullmatch(name) else 'U'}"
        elif type(value) is str:
            yield f'#define {name} "{value}"'


def _enum(name: str, enum: type[IntEnum]) -> str:
    members = ",\n".join(f"    {each} = {int(value)}" for each, value in enum.__members__.items())
    return f"typedef enum {name} {{\n{members}\n}} {name};"


def _in_order() -> list[str]:
    """The structs in the order of their module, in which each comes after the structs that it contains."""
    return [name for name, value in vars(structs).items() if name in structs.__all__ and inspect.isclass(value)]


def _struct(name: str, kind: Any) -> str:
    fields = "".join(f"    {_field(name, each, ctype)};\n" for each, ctype in kind._fields_)
    word = "union" if issubclass(kind, ctypes.Union) else "struct"
    return f"typedef {word} {name} {{\n{fields}}} {name};"


def _field(struct: str, name: str, ctype: Any) -> str:
    if issubclass(ctype, ctypes.Array):  # the outermost dimension comes first
        return _field(struct, f"{name}[{ctype._length_}]", ctype._type_)
    if hasattr(ctype, "contents"):
        return f"{ctype._type_.__name__} *{name}"
    spelled = ENUM_FIELDS.get(f"{struct}.{name}") or C_NAMES.get(ctype) or ctype.__name__
    return f"{spelled}{'' if spelled.endswith('*') else ' '}{name}"
