"""The samples run alone, print the output on their pages, and make the calls of the documents' C programs.

The documents themselves are no part of this project: the environment variable ACLNN_DOCUMENTS names their folder.
"""

import ast
import os
import re
import runpy
import subprocess
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from acl_runtime import Machine
from acl_runtime.objects.options import Options
from aclnn.pyacl import run as run_program
from tests.helpers.forks import python
from tests.helpers.listing import assert_listed
from tests.helpers.patience import PATIENCE
from tests.helpers.places import ROOT

SAMPLES = ROOT / "samples"

# operator: (file of its sample, output of the sample)
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

# file: its output; samples of ours that show the runtime and belong to no operator
RUNTIME = {
    "streams_and_events.py": """\
one stream: 0.021680 ms
two streams: 0.014389 ms
result[0] is: -1.498535
result[1] is: -1.495605
result[1023] is: 1.498535
""",
    "train_a_classifier.py": """\
step  0: loss 1.7098, numpy's 1.7098
step 15: loss 0.8310, numpy's 0.8310
step 30: loss 0.5372, numpy's 0.5372
step 59: loss 0.3587, numpy's 0.3587
the losses of all steps differ by less than 0.0001
the parameters differ by less than 0.001
""",
    "asynchronous_copies.py": """\
one stream: 0.079457 ms
two streams: 0.047777 ms
batch 0: -0.499512 to 0.499512
batch 1: -0.999023 to 0.999023
batch 2: -1.498535 to 1.498535
batch 3: -1.998047 to 1.998047
batch 4: -2.497559 to 2.497559
batch 5: -2.997070 to 2.997070
""",
    "devices_and_threads.py": """\
devices: 2
row 0, of device 0: -0.437500 0.031250 0.140625 0.265625
row 1, of device 0: -0.875000 0.062500 0.281250 0.531250
row 2, of device 0: -1.312500 0.093750 0.421875 0.796875
row 3, of device 1: -1.750000 0.125000 0.562500 1.062500
row 4, of device 1: -2.187500 0.156250 0.703125 1.328125
row 5, of device 1: -2.625000 0.187500 0.843750 1.593750
""",
    "error_handling.py": """\
aclrtMalloc before aclrtSetDevice: 107002
    Invalid_Argument_API_Call_Sequence(EE1018): Memory allocation failed. Reason: thread MainThread has no valid context.
aclrtPeekAtLastError: 107002
aclrtGetLastError: 107002
aclrtGetLastError again: 0
aclrtSetDevice(99): 107001
    Invalid_Argument(EE1003): Setting the device of the current thread failed because value 99 for parameter deviceId is invalid. Expected value: [0, 1).
aclrtMalloc of 0 bytes: 100000
    Invalid_Argument(EH0007): aclrtMalloc failed: value 0 of parameter size is invalid; expected a value greater than 0.
aclnnSoftmaxBackwardGetWorkspaceSize: 161001
    AclNN_Parameter_Error(EZ1001): Expected a proper Tensor but got null for argument gradOutput.
aclrtSynchronizeStreamWithTimeout: 507046
    Execution_Error_Stream_Synchronize_Timeout(EE1002): Stream synchronisation timed out. Still queued: wait for event 1 in stream 1
aclrtSynchronizeStream after the record: 0
aclrtStreamWaitEventWithTimeout: 0
aclrtSynchronizeStream: 507047
    Execution_Error(EZ2001): A task failed on the device: a wait for event 2, which nobody has recorded, took longer than its timeout of 2 s
the exception callback got device 0, error 507047
aclrtSynchronizeStream again: 0
result: 7 7 7 7 7 7 7 7
aclrtDestroyStream again: 107017
    Invalid_Argument(EE1017): Stream destruction failed: parameter stream is invalid. Reason: it is no live stream.
aclrtResetDevice again: 507007
    Invalid_Argument_API_Call_Sequence(EE1018): Resetting the device failed. Reason: device 0 is not set: each aclrtResetDevice takes back one aclrtSetDevice.
""",  # noqa: E501
}
PYACL = {"pyacl_softmax_backward.py": EXPECTED["aclnnSoftmaxBackward"][1]}
"""those that say `import acl`"""
SCHEDULES = {
    "late": Options(),
    "eager": Options(schedule="eager"),
    "threads": Options(schedule="threads"),
    **{f"random-{seed}": Options(schedule="random", seed=seed) for seed in range(1, 11)},
}

# `aclTensor *out = nullptr;` is a declaration in C; its port, `out = aclTensor()`, only looks like a call.
HANDLES = {"aclTensor", "aclOpExecutor", "aclrtStream", "aclrtContext"}

# Tokens of a C text, comments and strings first, so that nothing inside them is taken for a call.
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
    files = {file for file, _ in EXPECTED.values()} | set(RUNTIME) | set(PYACL)
    there = {path.name for path in SAMPLES.glob("*.py")} - {"__main__.py"}
    assert_listed("EXPECTED, RUNTIME or PYACL above", files, there)


def run_alone(file: str, *how: str) -> str:
    """The output of a sample in a process of its own. It succeeds, and nothing is found when it ends."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("ACL_EMULATOR_", "ASCEND_"))
    }
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [*python(), *how, str(SAMPLES / file)]
    run = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False)
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    return run.stdout


@pytest.mark.fidelity("aclnnCrossEntropyLossGrad's sample")
@pytest.mark.parametrize("operator", EXPECTED)
def test_a_sample_run_alone_prints_the_output_of_its_page(operator: str) -> None:
    file, output = EXPECTED[operator]
    assert run_alone(file) == output


@pytest.mark.parametrize("file", RUNTIME)
def test_a_sample_of_the_runtime_run_alone_prints_its_output(file: str) -> None:
    assert run_alone(file) == RUNTIME[file]


@pytest.mark.parametrize("file", PYACL)
def test_a_sample_for_pyacl_prints_the_output_of_its_page(file: str) -> None:
    assert run_alone(file, "-m", "aclnn.pyacl") == PYACL[file]


@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random-1"])
@pytest.mark.parametrize("file", PYACL)
def test_a_sample_for_pyacl_under_every_schedule(file: str, schedule: str, capsys: pytest.CaptureFixture[str]) -> None:
    with Machine(**asdict(SCHEDULES[schedule])) as machine, pytest.raises(SystemExit, match=r"^0$"):
        run_program(SAMPLES / file)
    assert not machine.findings.worth_telling
    assert capsys.readouterr().out == PYACL[file]


def run_here(file: str, capsys: pytest.CaptureFixture[str], options: Options) -> str:
    """The output of a sample in a machine with these options."""
    program = runpy.run_path(str(SAMPLES / file), run_name="sample")
    with Machine(**asdict(options)) as machine:
        assert program["main"]() == 0
    assert not machine.findings.worth_telling
    return capsys.readouterr().out


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("file", RUNTIME)
def test_a_sample_of_the_runtime_prints_the_same_under_every_schedule(
    file: str, schedule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Results and simulated times are the same, because the samples forget no synchronisation."""
    options = replace(SCHEDULES[schedule], device_count=2 if "devices" in file else 1)
    assert run_here(file, capsys, options) == RUNTIME[file]


@pytest.mark.parametrize("devices", [1, 3, 4])
def test_the_sample_with_devices_takes_as_many_as_there_are(devices: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Other devices compute the rows, with the same results."""

    def results(output: str) -> list[str]:
        return [line.split(": ")[1] for line in output.splitlines()[1:]]

    file = "devices_and_threads.py"
    output = run_here(file, capsys, Options(device_count=devices))
    assert output.startswith(f"devices: {devices}\n")
    assert f"of device {devices - 1}: " in output
    assert results(output) == results(RUNTIME[file])


@pytest.mark.parametrize("file", [*RUNTIME, *PYACL])
def test_a_sample_of_the_runtime_says_that_it_is_ours(file: str) -> None:
    text = (SAMPLES / file).read_text(encoding="utf-8")
    assert "It is ours" in (ast.get_docstring(ast.parse(text)) or "")


@pytest.mark.parametrize("operator", PORTED)
def test_a_port_calls_and_prints_in_the_order_of_its_c_text(operator: str, documents: dict[str, str]) -> None:
    program = c_program(documents[operator])
    assert program, f"the document of {operator} has no C text"
    assert python_steps(source(operator)) == c_steps(program)


@pytest.mark.fidelity("aclnnCrossEntropyLossGrad's sample")
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
