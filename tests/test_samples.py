"""The samples run alone, print what their pages say, and call what the documents' C programs call.

The documents themselves are no part of this project: the environment variable ACLNN_DOCUMENTS names their folder.
"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "samples"

# operator: (file of its sample, what the sample prints)
EXPECTED = {
    "aclnnSoftmaxBackward": (
        "aclnn_softmax_backward.py",
        """\
result[0] is: -28.000000
result[1] is: -37.000000
result[2] is: -26.000000
result[3] is: -70.000000
result[4] is: -48.000000
result[5] is: -66.000000
result[6] is: -66.000000
result[7] is: -93.000000
""",
    ),
    "aclnnPreluBackward": (
        "aclnn_prelu_backward.py",
        """\
gradInput[0] is: 0.500000
gradInput[1] is: 1.000000
gradInput[2] is: 1.000000
gradInput[3] is: 1.000000
gradInput[4] is: 1.000000
gradInput[5] is: 1.000000
gradInput[6] is: 1.000000
gradInput[7] is: 1.000000
gradWeight[0] is: 0.000000
gradWeight[1] is: 0.000000
""",
    ),
    "aclnnBatchNormReduceBackward": (
        "aclnn_batch_norm_reduce_backward.py",
        """\
result[0] is: 7.000000
result[1] is: 8.000000
result[0] is: 21.000000
result[1] is: 30.000000
result[0] is: 21.000000
result[1] is: 30.000000
result[0] is: 7.000000
result[1] is: 8.000000
""",
    ),
    "aclnnCrossEntropyLossGrad": (
        "aclnn_cross_entropy_loss_grad.py",
        """\
result[0] is: -0.009063
result[1] is: 0.040937
result[2] is: 0.040937
result[3] is: -0.009063
result[4] is: 0.040937
result[5] is: 0.040937
""",
    ),
    "aclnnEmbeddingDenseBackward": (
        "aclnn_embedding_dense_backward.py",
        """\
resultData[0] is: 0.000000
resultData[1] is: 0.000000
resultData[2] is: 0.000000
resultData[3] is: 1.000000
resultData[4] is: 2.000000
resultData[5] is: 3.000000
resultData[6] is: 4.000000
resultData[7] is: 5.000000
resultData[8] is: 6.000000
resultData[9] is: 0.000000
resultData[10] is: 0.000000
resultData[11] is: 0.000000
""",
    ),
}
OURS = {"aclnnCrossEntropyLossGrad"}  # its document lost its C program, so there is nothing to compare with
PORTED = [operator for operator in EXPECTED if operator not in OURS]

# `aclTensor *out = nullptr;` is a declaration in C; its port, `out = aclTensor()`, only looks like a call.
HANDLES = {"aclTensor", "aclOpExecutor", "aclrtStream", "aclrtContext"}

# What a C text holds, comments and strings first, so that nothing inside them is taken for a call.
C_TOKEN = re.compile(
    r"""
      //[^\n]* | /\*.*?\*/
    | \bLOG_PRINT\(\s* (?P<format>"(?:[^"\\]|\\.)*")
    | "(?:[^"\\]|\\.)*"
    | \b(?P<call>acl\w*)\s*\(
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


def c_steps(program: str) -> list[str]:
    """Every call of an acl* function and every format printed by a C program, in text order."""
    steps = []
    for token in C_TOKEN.finditer(program):
        if token["call"]:
            steps.append(f"call {token['call']}")
        elif token["format"]:
            steps.append(f"print {ast.literal_eval(token['format'])!r}")
    return steps


def python_steps(program: str) -> list[str]:
    """The same of a Python program."""
    calls = [node for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Call)]
    steps = []
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        match call:
            case ast.Call(func=ast.Name(id="LOG_PRINT"), args=[ast.Constant(value=str(text)), *_]):
                steps.append(f"print {text!r}")
            case ast.Call(func=ast.Name(id=name)) if name.startswith("acl") and name not in HANDLES:
                steps.append(f"call {name}")
    return steps


def c_program(document: str) -> str:
    """The C text of a document, from its first #include to the last brace in column 0; empty if it has none."""
    _, include, rest = document.partition("\n#include ")
    return include + rest[: rest.rfind("\n}") + 2] if include else ""


@pytest.fixture(scope="module")
def documents() -> dict[str, str]:
    """The text of every document by the operator its first line names."""
    folder = os.environ.get("ACLNN_DOCUMENTS")
    if not folder:
        pytest.skip("ACLNN_DOCUMENTS does not name the folder of the documents")
    texts = [path.read_text(encoding="utf-8") for path in sorted(Path(folder).glob("*.txt"))]
    assert texts, f"ACLNN_DOCUMENTS names {folder}, which holds no document"
    return {text.split("\n", 1)[0].strip(): text for text in texts}


def source(operator: str) -> str:
    return (SAMPLES / EXPECTED[operator][0]).read_text(encoding="utf-8")


def test_every_sample_has_an_expected_output() -> None:
    assert {path.name for path in SAMPLES.glob("aclnn_*.py")} == {file for file, _ in EXPECTED.values()}


@pytest.mark.parametrize("operator", EXPECTED)
def test_a_sample_run_alone_prints_the_output_of_its_page(operator: str) -> None:
    file, output = EXPECTED[operator]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ACL_EMULATOR_")}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, str(SAMPLES / file)]
    run = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == output


@pytest.mark.parametrize("operator", PORTED)
def test_a_port_calls_and_prints_in_the_order_of_its_c_text(operator: str, documents: dict[str, str]) -> None:
    program = c_program(documents[operator])
    assert program, f"the document of {operator} has no C text"
    assert python_steps(source(operator)) == c_steps(program)


@pytest.mark.parametrize("operator", sorted(OURS))
def test_a_sample_of_ours_says_so_and_its_document_has_no_c_text(operator: str, documents: dict[str, str]) -> None:
    docstring = ast.get_docstring(ast.parse(source(operator))) or ""
    assert "It is ours" in docstring
    assert not c_program(documents[operator]), f"the document of {operator} has a C text: port it"
    pytest.skip(f"the document of {operator} has no C text to compare its sample with")


def test_the_steps_of_a_c_text_are_its_calls_and_formats_only() -> None:
    program = r"""
    #include "acl/acl.h"
    #define LOG_PRINT(message, ...) printf(message, ##__VA_ARGS__)
    // aclInComment() and "LOG_PRINT("not this")
    aclTensor* out = nullptr; /* aclAlsoInComment() */
    ret = aclrtMalloc(&address, Size(aclDataType::ACL_FLOAT), ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMalloc(\"%d\") failed\n", ret); return ret);
    *tensor = aclCreateTensor(aclFormat::ACL_FORMAT_ND, *deviceAddr);
    """
    assert c_steps(program) == ["call aclrtMalloc", "print 'aclrtMalloc(\"%d\") failed\\n'", "call aclCreateTensor"]


def test_the_steps_of_a_python_text_are_its_calls_and_formats_only() -> None:
    program = """
def Create(tensor):
    # aclInComment()
    if aclCreateTensor(aclDataType.ACL_FLOAT) != ACL_SUCCESS:
        LOG_PRINT("aclCreateTensor() failed %d\\n", ret)
out = aclTensor()
Create(pointer(out)); aclFinalize()
"""
    assert python_steps(program) == [
        "call aclCreateTensor",
        "print 'aclCreateTensor() failed %d\\n'",
        "call aclFinalize",
    ]
