"""The libraries of CANN as ctypes loads them."""

import ctypes
import logging
from ctypes import CDLL, byref, c_int32, c_int64, c_uint64, c_void_p
from typing import Any

import pytest

from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.objects.support import NOT_EXPORTED
from aclnn.pyacl import LIBRARIES, installed


@pytest.fixture
def lib(acl: Any) -> Any:
    return ctypes.CDLL("libopapi.so")


@pytest.mark.fidelity("libraries that ctypes loads")
@pytest.mark.parametrize("name", sorted(LIBRARIES))
@pytest.mark.parametrize("folder", ["", "/usr/local/Ascend/ascend-toolkit/latest/lib64/"])
def test_every_library_is_loaded_by_its_name(name: str, folder: str, acl: Any) -> None:
    for library in (
        ctypes.CDLL(folder + name),
        ctypes.CDLL(folder + name, ctypes.RTLD_GLOBAL),
        ctypes.CDLL(folder + name, mode=ctypes.RTLD_GLOBAL),
        ctypes.cdll.LoadLibrary(folder + name),
    ):
        assert repr(library) == f"<{name} of aclnn-emulator>"
        for function in ("aclrtMalloc", "aclCreateTensor", "aclnnSoftmaxBackward"):
            assert callable(library[function])


def test_other_libraries_are_those_of_the_system(acl: Any) -> None:
    assert ctypes.CDLL(None).abs(-3) == 3
    with pytest.raises(OSError, match="libnothing"):
        ctypes.CDLL("libnothing.so")


def test_who_had_cdll_before_the_block_gets_them_inside_it_only() -> None:
    with pytest.raises(OSError, match=r"libopapi\.so"):
        CDLL("libopapi.so")
    with installed():
        library = CDLL("libopapi.so")
        assert isinstance(library, ctypes.CDLL)
        assert repr(ctypes.PyDLL("libopapi.so")) == repr(library)
    with pytest.raises(OSError, match=r"libopapi\.so"):
        ctypes.cdll.LoadLibrary("libopapi.so")
    assert library.aclrtGetSocName  # a class that was imported inside the block stays usable


def test_a_function_that_is_absent(lib: Any) -> None:
    assert not hasattr(lib, "aclnnNoSuchOperator")
    with pytest.raises(AttributeError, match=r"libopapi\.so: undefined symbol: aclnnNoSuchOperator .*function\)$"):
        _ = lib.aclnnNoSuchOperator
    with pytest.raises(AttributeError, match=r"undefined symbol: aclnnReluu .*; did you mean aclnnRelu\?"):
        _ = lib.aclnnReluu


@pytest.mark.fidelity("streams created from options (aclrtCreateStreamV2), which the libraries do not export")
def test_a_function_that_the_headers_declare_only(lib: Any) -> None:
    """ "Symbol not exported by the mainstream library" (product support): programs look it up and do without."""
    assert [name for name in NOT_EXPORTED if hasattr(lib, name)] == []


def test_types_stay_with_the_library(lib: Any, acl: Any) -> None:
    lib.aclCreateIntArray.restype = c_void_p
    assert lib.aclCreateIntArray.restype is c_void_p
    assert ctypes.CDLL("libopapi.so").aclCreateIntArray.restype is c_int32 is lib["aclCreateIntArray"].restype


def test_without_a_restype_a_handle_is_cut_as_ctypes_does(lib: Any) -> None:
    values = (c_int64 * 2)(1, 2)
    create = lib.aclCreateIntArray
    create.argtypes = [c_void_p, c_uint64]
    cut = create(values, 2)
    create.restype = c_void_p
    whole = create(values, 2)
    assert cut < 2**31 < whole
    lib.aclDestroyIntArray.argtypes = [c_void_p]
    assert lib.aclDestroyIntArray(whole) == 0
    with pytest.raises(UndefinedBehaviour, match="array is no live int array"):
        lib.aclDestroyIntArray(cut)


def test_a_finding_is_raised_at_the_line_of_the_call(machine: Machine, lib: Any) -> None:
    lib.aclDestroyTensor.argtypes = [c_void_p]
    with pytest.raises(UndefinedBehaviour) as caught:
        lib.aclDestroyTensor(12345)
    assert caught.value.finding.site.rpartition(":")[0] == __file__
    assert caught.value.finding.call == "aclDestroyTensor"
    assert lib.aclrtSetDevice(0) == 0  # it is not raised again


def test_outputs_and_texts_go_through_ctypes(lib: Any, acl: Any) -> None:
    pointer = c_void_p()
    lib.aclrtMalloc.argtypes = [c_void_p, ctypes.c_size_t, c_int32]
    assert lib.aclrtMalloc(byref(pointer), 64, 0) == 0
    assert acl.rt.free(pointer.value) == 0
    lib.aclrtGetSocName.restype = ctypes.c_char_p
    assert lib.aclrtGetSocName() == b"Ascend910B1"
    assert lib.aclnnInit(None) == 0
    assert lib.aclrtSetDevice(99) == 107001
    lib.aclGetRecentErrMsg.restype = ctypes.c_char_p
    assert b"deviceId" in lib.aclGetRecentErrMsg()
    assert lib.aclGetRecentErrMsg() is None


def test_a_function_with_any_number_of_arguments(lib: Any, caplog: pytest.LogCaptureFixture) -> None:
    lib.aclAppLog.argtypes, lib.aclAppLog.restype = [c_int32, ctypes.c_char_p], None
    with caplog.at_level(logging.INFO, "acl_runtime.app"):
        assert lib.aclAppLog(c_int32(1), b"main", b"x.py", 12, b"%s %d %.1f", b"a", 3, ctypes.c_double(1.5)) is None
    (record,) = caplog.records
    assert (record.getMessage(), record.pathname, record.lineno) == ("a 3 1.5", "x.py", 12)
