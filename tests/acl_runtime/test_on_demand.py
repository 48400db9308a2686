"""The names of `import *`: each function is an object that finds the function at its first use."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import subprocess
import sys
from collections.abc import Callable
from ctypes import CFUNCTYPE, byref, c_int, c_int32
from types import FunctionType
from typing import Any
from unittest.mock import create_autospec

import pytest

import acl_runtime
import aclnn
from acl_runtime import *
from acl_runtime.on_demand import LazyFunction
from aclnn import *

FUNCTIONS = {
    "runtime": (acl_runtime, aclrtSetDevice),
    "tensors": (aclnn, aclCreateTensor),
    "exact": (aclnn, aclnnSoftmaxBackward),
    "computed": (aclnn, aclnnAddGetWorkspaceSize),
    "no-formula": (aclnn, aclnnAllGatherMatmul),
    "library": (aclnn, aclnnInit),
}
every_kind = pytest.mark.parametrize(("package", "function"), FUNCTIONS.values(), ids=FUNCTIONS)


@every_kind
def test_the_star_gives_one_object_for_a_name(package: Any, function: Callable[..., Any]) -> None:
    assert type(function) is LazyFunction
    assert getattr(package, function.__name__) is function
    assert copy.deepcopy(function) is copy.copy(function) is function
    assert pickle.loads(pickle.dumps(function)) is function


@every_kind
def test_it_looks_like_the_function(package: Any, function: Any) -> None:
    name = function.__name__
    assert isinstance(function, FunctionType)
    assert repr(function) == f"<function {name}>"
    assert function.c.name == name
    assert list(inspect.signature(function).parameters) == [each for each, _ in function.c.parameters]
    assert inspect.getdoc(function) == function.c.help
    text = pydoc.plain(pydoc.render_doc(function))
    assert f"{name}(" in text.splitlines()[2]
    assert function.c.prototype in text


def test_an_object_function_is_the_same_in_both_packages() -> None:
    assert aclnn.aclCreateTensor is acl_runtime.aclCreateTensor


def test_numbers_and_types_come_as_they_are() -> None:
    assert type(ACL_FLOAT) is aclDataType
    assert type(ACL_ERROR_RT_PARAM_INVALID) is int
    assert isinstance(aclTensor, type)
    assert isinstance(aclrtMemLocation, type)


def test_it_serves_as_a_callback_of_ctypes_and_as_the_model_of_a_mock(machine: object) -> None:
    assert CFUNCTYPE(c_int, c_int)(aclrtSetDevice)(0) == ACL_SUCCESS
    assert create_autospec(aclrtSetDevice, return_value=7)(0) == 7
    with pytest.raises(TypeError, match="missing a required argument: 'deviceId'"):
        create_autospec(aclrtSetDevice)()


def test_a_call_by_keyword_and_a_wrong_one_answer_as_the_function(machine: object) -> None:
    device = c_int32(-1)
    assert aclrtGetDevice(deviceId=byref(device)) == ACL_SUCCESS
    assert device.value == 0
    with pytest.raises(TypeError, match=r"aclrtSetDevice takes 1 argument, got 2"):
        aclrtSetDevice(0, 1)  # type: ignore[call-arg]


@pytest.mark.parametrize("package", ["acl_runtime", "aclnn"])
def test_a_function_that_was_imported_by_name_stays_what_it_is(package: str) -> None:
    program = f"""
from {package} import aclCreateTensor as by_name
from {package} import *
import {package}
assert type(by_name).__name__ == "function"
assert aclCreateTensor is by_name is {package}.aclCreateTensor
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_an_import_of_a_wrong_name_proposes_one() -> None:
    """Python itself proposes none for so many names."""
    with pytest.raises(ImportError, match="cannot import name 'aclnnSoftmx' from 'aclnn'; did you mean aclnnSoftmax"):
        from aclnn import aclnnSoftmx  # noqa: F401  # pyright: ignore
    with pytest.raises(ImportError, match=r"did you mean aclrtMalloc\?"):
        from acl_runtime import aclrtMaloc  # noqa: F401  # pyright: ignore
    with pytest.raises(ImportError, match="cannot import name 'nothing_like_it'"):
        from acl_runtime import nothing_like_it  # noqa: F401  # pyright: ignore
    assert not hasattr(aclnn, "aclnnSoftmx")
    assert getattr(acl_runtime, "aclrtMaloc", None) is None


def test_a_wrong_attribute_proposes_a_name_when_its_text_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AttributeError) as absent:
        acl_runtime.aclrtMemCpy  # noqa: B018  # pyright: ignore
    text = "module 'acl_runtime' has no attribute 'aclrtMemCpy'; did you mean aclrtMemcpy?"
    assert str(absent.value) == text
    assert str(pickle.loads(pickle.dumps(absent.value))) == text
    with pytest.raises(AttributeError, match=r"module 'aclnn' has no attribute 'nothing_like_it'$"):
        aclnn.nothing_like_it  # noqa: B018  # pyright: ignore
    monkeypatch.setattr("difflib.get_close_matches", lambda *_: pytest.fail("looked up for a text that nobody reads"))
    assert not hasattr(acl_runtime, "aclrtMemCpy")
