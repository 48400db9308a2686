"""The names that the two packages export. Each C function is declared once, with its prototype and help text."""

from __future__ import annotations

import enum
import inspect
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import acl_runtime
import aclnn
from acl_runtime.headers import handles, statuses
from acl_runtime.headers.handles import Handle
from acl_runtime.headers.statuses import name_of
from aclnn.catalogue.index import single_phase
from aclnn.tools import index
from tests.helpers.places import PACKAGES, ROOT

ONE_PHASE = single_phase()
PAIRS = [name for name in aclnn.__all__ if hasattr(getattr(aclnn, name), "op")]


def functions(module: Any) -> dict[str, Callable[..., Any]]:
    return {name: getattr(module, name) for name in module.__all__ if hasattr(getattr(module, name), "c")}


ALL = functions(acl_runtime) | functions(aclnn)
META = [name for name, each in functions(acl_runtime).items() if each.c.header == index.META]  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", index.files())
def test_the_index_has_every_function_of_the_modules(path: str) -> None:
    text = (PACKAGES / path).read_text(encoding="utf-8")
    assert text == index.files()[path](), f"{path} is stale: run python -m aclnn.render"


@pytest.mark.fidelity("aclDumpOpTensors, aclnnReselectStaticKernel, aclnnReselectStaticKernelWithPath")
def test_aclnn_exports_the_pairs_and_again_the_object_functions() -> None:
    assert sorted(functions(aclnn)) == sorted([*PAIRS, *ONE_PHASE, "aclnnInit", "aclnnFinalize", *META])
    assert {"aclnnSoftmaxBackward", "aclnnSoftmaxBackwardGetWorkspaceSize"} <= set(PAIRS)
    for name in PAIRS:
        assert f"{name.removesuffix('GetWorkspaceSize')}GetWorkspaceSize" in PAIRS
    for name in META:
        assert getattr(aclnn, name) is getattr(acl_runtime, name)
    assert aclnn.ACLNN_ERR_PARAM_INVALID == acl_runtime.ACLNN_ERR_PARAM_INVALID == 161002


@pytest.mark.parametrize("name", ["Machine", "UndefinedBehaviour", "Finding"])
def test_names_of_ours_come_by_name_and_not_by_star(name: str) -> None:
    assert hasattr(acl_runtime, name)
    assert name not in acl_runtime.__all__


def test_every_status_is_exported_by_its_header_name() -> None:
    assert acl_runtime.ACL_ERROR_RT_PARAM_INVALID == 107000
    assert acl_runtime.ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID == 561119
    assert acl_runtime.ACLNN_SUCCESS == acl_runtime.ACL_SUCCESS == 0
    assert sum(name.startswith(("ACL_ERROR_", "ACLNN_")) for name in acl_runtime.__all__) > 270


def test_enum_values_are_bare_and_through_their_enum() -> None:
    assert acl_runtime.ACL_FLOAT is acl_runtime.aclDataType.ACL_FLOAT
    assert acl_runtime.ACL_BF16 == 27
    assert acl_runtime.ACL_MEMCPY_DEVICE_TO_HOST == 2


def test_enum_values_without_the_prefix_come_only_through_their_enum() -> None:
    values = [getattr(acl_runtime, name) for name in acl_runtime.__all__]
    enums = [value for value in values if isinstance(value, type) and issubclass(value, enum.IntEnum)]
    bare = {member.name for each in enums for member in each if not member.name.startswith(("ACL_", "HCCL_"))}
    assert bare
    assert not bare & set(acl_runtime.__all__)


@pytest.mark.parametrize("name", ["acldvppPixelFormat"])
def test_enums_of_headers_without_functions_here_are_not_exported(name: str) -> None:
    assert not hasattr(acl_runtime, name)


FIDELITY = (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8")


@pytest.mark.fidelity("bundles, other kernel functions, and the other names below")
def test_names_beyond_the_emulator_do_not_exist() -> None:
    """The fidelity page lists them, with reasons."""
    rows = re.findall(r"^\| (`.*`) \| (.+) \|$", FIDELITY.partition("functions below are declared")[2], re.MULTILINE)
    listed = [name for names, _ in rows for name in re.findall(r"`(acl\w+)`", names)]
    assert "aclplatformGetDeviceInfo" in listed, "the table was read"
    assert [name for name, count in Counter(listed).items() if count > 1] == [], "docs/fidelity.md lists these twice"
    assert [name for name in listed if hasattr(acl_runtime, name)] == [], "they exist: run python -m aclnn.render"


def test_the_fidelity_page_names_the_functions_that_are_always_refused() -> None:
    """Their help text has no success."""
    docs = {name: each.__doc__ or "" for name, each in functions(acl_runtime).items()}
    refused = {name for name, doc in docs.items() if "ACL_ERROR_API_NOT_SUPPORT" in doc and "ACL_SUCCESS" not in doc}
    section = FIDELITY.partition("\n## The runtime's functions\n")[2].partition("\n## ")[0]
    listed = set(re.findall(r"`(acl\w+)`", section))
    assert listed == refused, 'docs/fidelity.md, "The runtime\'s functions": list the functions without ACL_SUCCESS'


def test_help_shows_prototype_meaning_and_statuses() -> None:
    for name, function in ALL.items():
        doc = inspect.getdoc(function) or ""
        assert doc.startswith(function.c.prototype), name  # type: ignore[attr-defined]
        assert len(doc.splitlines()) > 2, f"{name}: say in its docstring what it does"
        if function.c.result.spelling == "HcclResult":  # type: ignore[attr-defined]
            assert re.findall(r"^    HCCL_SUCCESS \(0\): ", doc, re.MULTILINE)
        elif function.c.result.status:  # type: ignore[attr-defined]
            listed = re.findall(r"^\s+(ACL\w+) \((\d+)\):", doc.partition("Returns:")[2], re.MULTILINE)
            assert listed or "\n    -1: " in doc, f"{name}: list its statuses in its docstring, below Returns:"
            bare = re.findall(r"^    ACL\w+$", doc, re.MULTILINE)
            assert bare == [], f"{name}: give a reason behind a colon, or add one to USUAL_REASONS in statuses.py"
            assert all(getattr(acl_runtime, status) == int(number) for status, number in listed), name
        else:
            assert "Returns:" not in doc, f"{name} returns no status"


def test_a_status_that_is_only_named_has_its_usual_reason() -> None:
    """It stands once, in USUAL_REASONS; a function that gives a reason of its own keeps it."""
    assert "ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context." in help_of("aclrtStreamQuery")
    assert "ACL_ERROR_RT_CONTEXT_NULL (107002): `context` was destroyed" in help_of("aclrtDestroyContext")
    given = Counter(reason for function in ALL.values() for _, reason in function.c.reasons)  # type: ignore[attr-defined]
    assert all(given[reason] > 10 for reason in statuses.USUAL_REASONS.values())


def help_of(name: str) -> str:
    return inspect.getdoc(ALL[name]) or ""


def test_the_header_is_stated() -> None:
    headers = {name: function.c.header for name, function in ALL.items()}  # type: ignore[attr-defined]
    expected = {
        "aclnnBatchNormReduceBackward": "aclnnop/aclnn_batch_norm_backward_reduce.h",  # not derivable from the name
        "aclrtMalloc": "acl/acl_rt.h",
        "aclCreateTensor": "aclnn/acl_meta.h",
        "aclnnInit": "aclnn/aclnn_base.h",
    }
    assert {name: headers[name] for name in expected} == expected
    for name, header in headers.items():
        assert re.fullmatch(r"(acl|aclnn|aclnnop|hccl|mstx|profiling|toolchain)/\w+\.h", header), f"{name}: {header}"


@pytest.mark.parametrize(
    ("name", "prototype"),
    [
        ("aclInit", "aclError aclInit(const char *configPath)"),
        ("aclFinalize", "aclError aclFinalize()"),
        ("aclrtCreateContext", "aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)"),
        ("aclrtMalloc", "aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)"),
        (
            "aclrtMemcpy",
            "aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)",
        ),
        ("aclGetRecentErrMsg", "const char *aclGetRecentErrMsg()"),
        (
            "aclCreateTensor",
            "aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, "
            "const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims, "
            "uint64_t storageDimsNum, void *tensorData)",
        ),
        ("aclDestroyTensor", "aclnnStatus aclDestroyTensor(const aclTensor *tensor)"),
        ("aclCreateTensorList", "aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)"),
        (
            "aclSetInputTensorAddr",
            "aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, "
            "void *addr)",
        ),
    ],
)
def test_the_prototype_is_that_of_the_header(name: str, prototype: str) -> None:
    assert ALL[name].c.prototype == prototype  # type: ignore[attr-defined]


def test_a_status_tells_its_name() -> None:
    with acl_runtime.Machine():
        status = acl_runtime.aclrtSetDevice(99)
    assert repr(status) == "ACL_ERROR_RT_INVALID_DEVICEID (107001)"
    assert f"{status}" == "107001" == "%d" % status
    assert name_of(0) == "ACL_SUCCESS"
    assert name_of(424242) == "unknown status"


def test_every_handle_type_is_there() -> None:
    """A type that others derive from, such as `RuntimeHandle`, has no name in the headers."""
    types = [each for each in vars(handles).values() if isinstance(each, type) and issubclass(each, Handle)]
    assert {each.__name__ for each in types if not each.__subclasses__()} <= set(acl_runtime.__all__)
    assert aclnn.aclTensor is acl_runtime.aclTensor is handles.aclTensor
