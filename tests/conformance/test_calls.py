"""The calls of the kit: a function enters by its declaration alone. The recorder runs where this package is not."""

import ast
import sys
from ctypes import sizeof
from pathlib import Path
from zlib import crc32

import pytest

import acl_runtime
from acl_runtime.abi import c
from acl_runtime.abi.conversions import StructByValue, Structs
from acl_runtime.boundary import acl_api
from aclnn.tools.conformance import kit
from aclnn.tools.conformance.recorder.calls import load
from tests.conformance import operators, runtime
from tests.conformance.__main__ import calls

OLDEST = (3, 7)
"""the Python that a host of a device may have"""


@pytest.mark.usefixtures("own_operators")
@pytest.mark.parametrize("name", ["aclnnAxpb", "aclnnDoubled"])
def test_an_operator_enters_by_its_declaration(name: str) -> None:
    """A good call that is launched, each needed object null, a call for each check."""
    assert name in operators.names()
    made = list(operators.calls(name))
    assert {call["function"] for call in made} == {name}
    about = [call["id"].removeprefix(f"{name}: ") for call in made]
    assert about[0] == "a good call"
    assert made[0]["launch"]
    assert any(each.endswith(" is null") for each in about)
    assert any(each.startswith("check ") for each in about)


def test_a_function_of_the_runtime_enters_by_its_declaration(monkeypatch: pytest.MonkeyPatch) -> None:
    @acl_api("acl/acl_rt.h", pyacl=None)
    def aclrtNovel(stream: c.aclrtStream, count: c.size_t, out: c.int32_t_p) -> c.aclError:
        """Novel.

        Returns:
            ACL_ERROR_INVALID_PARAM: out is null.
        """
        raise NotImplementedError

    monkeypatch.setattr(acl_runtime, "aclrtNovel", aclrtNovel, raising=False)
    monkeypatch.setattr(acl_runtime, "__all__", [*acl_runtime.__all__, "aclrtNovel"])
    assert "aclrtNovel" in {each.name for each in runtime.functions()}
    monkeypatch.setattr(runtime, "answered", lambda *_: 0)
    made = {call["id"]: call["arguments"] for call in runtime.calls(aclrtNovel.c)}
    good = [["stream"], ["u64", 64], ["host", 64]]
    assert made == {
        "aclrtNovel: arguments by their types": good,
        "aclrtNovel: stream is null": [None, *good[1:]],
        "aclrtNovel: out is null": [*good[:2], None],
    }


def test_each_function_of_the_runtime_has_calls() -> None:
    """Of a dozen functions here, of all when a kit is made."""
    for function in sorted(runtime.functions(), key=lambda each: crc32(each.name.encode()))[:12]:
        made = [call["id"] for call in runtime.calls(function)]
        assert made, function.name
        assert len(set(made)) == len(made)


def test_each_parameter_of_the_runtime_has_a_value_in_which_its_struct_fits() -> None:
    for function in runtime.functions():
        for name, ctype in function.parameters:
            argument = runtime.argument(ctype)
            if isinstance(ctype, Structs | StructByValue):
                assert argument is not None, (function.name, name)
                assert argument[1] >= sizeof(ctype.kind), (function.name, name)


def test_a_kit_repeats_and_holds_its_calls(tmp_path: Path) -> None:
    """The values of tensors, too: two kits of one checkout are the same file."""
    made = [list(calls(["aclnnAdd", "aclrtMalloc"])) for _ in range(2)]
    paths = [tmp_path / "one.pyz", tmp_path / "two.pyz"]
    for path, listed in zip(paths, made, strict=True):
        kit.write(path, listed)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert load(str(paths[0]))["calls"] == made[0]


@pytest.mark.parametrize("path", sorted(kit.SOURCES.glob("*.py")), ids=lambda each: each.name)
def test_the_recorder_needs_an_old_python_and_its_library_alone(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=OLDEST)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {each.name for each in node.names} <= sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom):
            assert node.level or (node.module or "").partition(".")[0] in sys.stdlib_module_names
