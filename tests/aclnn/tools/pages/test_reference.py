"""Parts of the pages of functions and operators: parameters, examples, formulas, prototypes."""

from __future__ import annotations

import ast

import pytest

from aclnn.tools.exports import all_functions, operators
from aclnn.tools.pages import functions
from aclnn.tools.pages.examples import LONGEST, call, example
from aclnn.tools.pages.operators import computes, in_lines


@pytest.mark.parametrize(
    ("name", "parameter", "given"),
    [
        ("aclrtMalloc", "devPtr", "`byref` of `c_void_p`"),
        ("aclrtMalloc", "size", "an int"),
        ("aclrtMalloc", "policy", "a member, or an int"),
        ("aclrtMallocHostWithCfg", "cfg", "`byref` of `aclrtMallocConfig`"),
        ("aclrtMemcpyAsync", "src", "memory that is read: an array, `bytes`, an address"),
        ("aclrtMemcpyAsync", "stream", "`aclrtStream`"),
        ("aclCreateTensor", "viewDims", "a list, a tuple or an array"),
        ("aclInit", "configPath", "`str` or `bytes`"),
    ],
)
def test_what_python_gives_for_a_parameter(name: str, parameter: str, given: str) -> None:
    assert functions.argument_text(dict(all_functions()[name].parameters)[parameter]) == given


@pytest.mark.checkout("examples come from samples and tests")
def test_an_example_is_a_short_function_that_makes_the_call() -> None:
    found = {name: example(function) for name, function in all_functions().items() if "aclrt" in name}
    shown = {name: each for name, each in found.items() if each}
    assert len(shown) > 150
    for name, each in shown.items():
        assert each.source.count("\n") <= LONGEST
        assert f"{name}(" in each.source
        assert isinstance(ast.parse(each.source).body[0], ast.FunctionDef)


def test_a_call_makes_the_outputs_first() -> None:
    assert call(all_functions()["aclrtMalloc"]) == (
        "devPtr = c_void_p()\nstatus = aclrtMalloc(byref(devPtr), size, policy)\n"
    )


def test_only_code_is_shown_as_code() -> None:
    assert computes(operators()["aclnnAdd"]) == "```python\nout = self + alpha * other\n```"
    assert computes(operators()["aclnnRound"]) == "> out = self rounded to the nearest integer, half to even"
    formula, prose = computes(operators()["aclnnSoftmaxBackward"]).split("\n\n")
    assert formula.startswith("```python\nout = (gradOutput - ")
    assert prose.startswith("`output` need not be a softmax")


def test_a_long_prototype_has_a_line_for_each_parameter() -> None:
    for name in ("aclrtFree", "aclrtMemcpyAsync", "aclnnAddGetWorkspaceSize"):
        function = all_functions()[name]
        shown = in_lines(function)
        assert " ".join(shown.split()).replace("( ", "(") == f"{function.prototype};"
        assert shown.count("\n") == (0 if name == "aclrtFree" else len(function.parameters))


@pytest.mark.checkout("pages of findings are read there")
def test_findings_are_listed_for_the_functions_that_they_name() -> None:
    ids = {name: {id for id, _, _ in found} for name, found in functions.watched().items()}
    assert {"ws-freed-early", "io-freed-early"} <= ids["aclrtFree"]
    assert {"exec-reused", "ws-small"} <= ids["aclnnSoftmaxBackward"]
