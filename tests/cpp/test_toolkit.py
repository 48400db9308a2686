"""C++ programs against a generated toolkit: they print what the Python ports print, and go wrong as they ought to.

They are compiled, which takes its time, and so are run by name only: pytest tests/cpp.
"""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from aclnn.tools.toolkit.session import FAILED
from tests.cpp.conftest import FLAGS, HERE, Build, Ran, Run, compiled, line_of
from tests.docs.test_samples import EXPECTED, PORTED, c_program, documents, run_alone  # noqa: F401 (a fixture)

ABORTED, SEGMENT = -signal.SIGABRT, -signal.SIGSEGV
GOOGLETEST = Path("/usr/include/gtest/gtest.h")


def good(ran: Ran, output: str | None = None) -> None:
    """The program succeeded without findings."""
    assert (ran.returncode, "error[" in ran.stderr, "warning[" in ran.stderr) == (0, False, False), ran.stderr
    assert output is None or ran.stdout == output


@pytest.mark.parametrize("operator", EXPECTED)
def test_a_sample_prints_what_its_python_port_prints(operator: str, build: Build, run: Run) -> None:
    file, _ = EXPECTED[operator]
    ran = run(build(f"sample_{Path(file).stem.removeprefix('aclnn_')}"))
    assert ran.stderr == ""
    good(ran, run_alone(file))


@pytest.mark.parametrize("operator", PORTED)
def test_the_program_of_a_document_prints_what_its_port_prints(
    operator: str,
    documents: dict[str, str],  # noqa: F811
    cpp: list[str],
    toolkit: Path,
    run: Run,
    tmp_path: Path,
) -> None:
    """Its text is not changed."""
    program = c_program(documents[operator])
    assert program, f"the document of {operator} has no C text"
    source = tmp_path / "program.cpp"
    source.write_text(program, encoding="utf-8")
    done = compiled(cpp, source, toolkit, tmp_path / "program", "-std=c++17", "-O0")
    assert (done.returncode, done.stderr) == (0, "")
    good(run(tmp_path / "program"), run_alone(EXPECTED[operator][0]))


@pytest.mark.parametrize("tests", ["emulator_tests", "streams_and_events", "copies", "callbacks"])
def test_the_tests_in_c_plus_plus_pass(tests: str, build: Build, run: Run) -> None:
    """All tests that the source has."""
    ran = run(build(tests))
    names = [line[5:-1] for line in (HERE / f"{tests}.cpp").read_text().splitlines() if line.startswith("TEST(")]
    assert ran.stdout.splitlines() == [f"passed {name}" for name in names], ran.stderr
    assert ran.returncode == 0


def test_the_test_main_reports_failures(cpp: list[str], toolkit: Path, run: Run, tmp_path: Path) -> None:
    """Each kind of check, an unexpected finding, and a name that no test has."""
    source = tmp_path / "failing.cpp"
    source.write_text(
        '#include "test_main.h"\n'
        "TEST(compares) { EXPECT_EQ(1, 2); }\n"
        "TEST(looks) { EXPECT(1 > 2); }\n"
        'TEST(reads) { EXPECT_TEXT("one", "two"); EXPECT_TEXT(nullptr, "two"); }\n'
        'TEST(survives) { EXPECT_DEATH((void)0, ""); }\n'
        'TEST(says_something_else) { EXPECT_DEATH(_exit(1), "a reason"); }\n'
        "TEST(leaves_a_device) { aclInit(nullptr); aclrtSetDevice(0); aclFinalize(); }\n"
        "TEST(is_right) { EXPECT_EQ(1, 1); }\n"
    )
    done = compiled(cpp, source, toolkit, tmp_path / "failing", *FLAGS)
    assert done.returncode == 0, done.stderr
    ran = run(tmp_path / "failing")
    assert ran.returncode == 1
    assert [line.split()[0] for line in ran.stdout.splitlines()] == ["FAILED"] * 6 + ["passed"]
    for text in (":2: 1: 1 is not 2", ":3: 1 > 2 is false", ":4: one", ":4: (null)", "did not die", "a reason",
                 "leaves_a_device:0: 1 finding(s)"):  # fmt: skip
        assert text in ran.stderr
    assert run(tmp_path / "failing", "is_right").returncode == 0
    assert run(tmp_path / "failing", "is_nowhere").returncode == 1


def test_threads_keep_their_device_and_their_error_text(build: Build, run: Run) -> None:
    ran = run(build("threads"), "24", "2", environment={"ACL_EMULATOR_DEVICE_COUNT": "2"})
    good(ran, "48 of 48 threads on 2 devices\n")


def test_short_lived_threads(build: Build, run: Run) -> None:
    good(run(build("threads"), "2", "150"), "300 of 300 threads on 1 devices\n")


def test_the_first_call_comes_from_many_threads_at_once(build: Build, run: Run) -> None:
    good(run(build("first_calls")), "16 of 16\n")


ENDINGS = {
    "fork-before-the-first-call": (0, "both called, the child ended with 0\n"),
    "thread-local-destructor": (0, 2 * "called in a thread_local destructor\n"),
    "static-destructor": (0, "cleaned up in a static destructor\n"),
    "atexit": (0, "cleaned up in atexit\n"),
    "exit-in-a-thread": (7, "cleaned up in a static destructor\n"),
    "quick-exit": (5, "cleaned up in quick_exit\n"),
    "detached-threads": (0, ""),
    "uncaught-exception": (ABORTED, ""),
    "exception-in-a-callback": (ABORTED, ""),
}


@pytest.mark.fidelity("aclFinalize in the destructor of a static object")
@pytest.mark.parametrize("how", ENDINGS)
def test_a_program_ends_as_it_would(how: str, build: Build, run: Run) -> None:
    ran = run(build("endings"), how)
    assert (ran.returncode, ran.stdout) == ENDINGS[how], ran.stderr
    assert "error" not in ran.stderr.replace("runtime_error", "")
    assert ("terminate called" in ran.stderr) == (ran.returncode == ABORTED)


@pytest.mark.parametrize(("findings", "status"), [("report", 0), ("error", FAILED)])
def test_threads_that_still_call_lose_no_report(findings: str, status: int, build: Build, run: Run) -> None:
    ran = run(build("endings"), "exit-beside-calling-threads", environment={"ACL_EMULATOR_FINDINGS": findings})
    assert ran.returncode == status, ran.stderr
    assert ran.stderr.count("warning[mem-leaked]") == 1
    assert ran.stderr.endswith("aclnn emulator: 2 errors or warnings\n")


def test_leftovers_of_an_early_exit_are_reported_in_one_line(build: Build, run: Run) -> None:
    """As after `sys.exit(1)`: the program did not reach its clean-up."""
    ran = run(build("endings"), "exit-1")
    assert ran.returncode == 1
    assert ran.stderr.startswith("left behind as the program ended there: device-not-reset 1x\n"), ran.stderr
    assert "warning[" not in ran.stderr


def test_the_reason_of_the_last_failure_is_reported(build: Build, run: Run) -> None:
    """A program returns the number of failures."""
    ran = run(build("endings"), "failed-call")
    assert ran.returncode == 3
    assert "aclrtSetDevice failed with ACL_ERROR_RT_INVALID_DEVICEID (107001), and nobody read why" in ran.stderr
    assert "endings.cpp:" in ran.stderr
    assert "value 99 for parameter deviceId is invalid" in ran.stderr
    # it did not reach its clean-up: leftovers are reported in one line
    assert "left behind as the program ended there: device-not-reset 1x\n" in ran.stderr
    assert "[device-not-reset]: " not in ran.stderr
    assert '\n   |      if (how == "failed-call") return aclrtSetDevice(99)' in ran.stderr


def test_an_error_text_becomes_an_exception(build: Build, run: Run) -> None:
    ran = run(build("endings"), "caught-exception")
    assert ran.returncode == 0
    assert "caught: " in ran.stdout
    assert "aclrtMalloc" in ran.stdout


def test_a_forked_child_gets_an_error_that_it_has_no_machine(build: Build, run: Run) -> None:
    ran = run(build("endings"), "fork-after-the-first-call")
    assert (ran.returncode, ran.stdout) == (0, "the child ended with 9\n")
    assert ran.stderr.count("error[fork-after-init]") == 1
    assert "endings.cpp:" in ran.stderr
    ran = run(build("endings"), "fork-after-the-first-call", environment={"ACL_EMULATOR_FINDINGS": "error"})
    assert (ran.returncode, ran.stdout) == (0, f"the child ended with {FAILED}\n")  # the parent did nothing wrong


def test_children_are_forked_while_other_threads_call(build: Build, run: Run) -> None:
    ran = run(build("endings"), "fork-beside-calling-threads")
    assert (ran.returncode, ran.stdout) == (0, "20 of 20 children were refused\n")


DEREFERENCED = {
    "device-pointer-read": ("lies 8 bytes inside the 32 bytes", "allocated at", "aclrtMemcpy"),
    "device-pointer-copied": ("lies 8 bytes inside the 32 bytes", "allocated at", "aclrtMemcpy"),
    "device-pointer-written": ("lies 8 bytes inside the 32 bytes", "allocated at", "aclrtMemcpy"),
    "freed-device-pointer": ("the 64 bytes at device 0 + 0x0 were freed", "allocated at", "freed at"),
    "handle": ("a handle: it is tensor 1 (DT_FLOAT [4, 2])", "created at"),
    "stream-handle": ("a handle: it is stream 1", "created at"),
}


@pytest.mark.parametrize("what", DEREFERENCED)
def test_a_dereferenced_address_is_explained(what: str, build: Build, run: Run) -> None:
    ran = run(build("wrong_use"), what)
    assert ran.returncode == SEGMENT
    assert "aclnn emulator: the host program dereferenced 0x" in ran.stderr
    for text in (f"  --> {line_of('wrong_use.cpp', what)}\n", *DEREFERENCED[what]):
        assert text in ran.stderr


def test_other_bad_pointers_are_the_programs_own(build: Build, run: Run) -> None:
    ran = run(build("wrong_use"), "null-pointer")
    assert (ran.returncode, ran.stderr) == (SEGMENT, "")


FOUND = [
    "tensor-double-destroy",
    "ws-freed-early",
    "io-freed-early",
    "read-before-sync",
    "pinned-reuse",
    "data-freed-under-tensor",
    "exec-reused",
    "mem-leaked",
]  # fmt: skip
WITH_WORKSPACE = {"ACL_EMULATOR_MIN_WORKSPACE": "512"}


@pytest.mark.parametrize(("what", "offset"), [("pinned-memory-read", "0x8"), ("pinned-memory-copied", "0x0")])
def test_pinned_memory_that_is_read_too_early_is_reported_with_the_line(
    what: str, offset: str, build: Build, run: Run
) -> None:
    """Also for a read by memcpy: the line is that of the program, not one of the C library."""
    ran = run(build("wrong_use"), what)
    assert (ran.returncode, ran.stdout) == (0, "0\n"), ran.stderr
    assert f"error[read-before-sync]: the host reads pinned host memory 1 (32 bytes) + {offset}, which" in ran.stderr
    assert f"  --> {line_of('wrong_use.cpp', what)}, in the host's own code" in ran.stderr


@pytest.mark.fidelity("undefined behaviour", "exit status of a program in which something was found")
@pytest.mark.parametrize("id", FOUND)
def test_a_finding_names_the_line_and_fails_the_program_if_asked(id: str, build: Build, run: Run) -> None:
    asked = WITH_WORKSPACE if id in ("ws-freed-early", "exec-reused") else {}
    failing = {**asked, "ACL_EMULATOR_FINDINGS": "error"}
    ran = run(build("wrong_use"), id, environment=asked)
    assert ran.returncode == 0, ran.stderr
    assert f"[{id}]: " in ran.stderr
    assert line_of("wrong_use.cpp", id) in ran.stderr
    assert f"to allow it: ACL_EMULATOR_ALLOW={id}\n" in ran.stderr
    assert run(build("wrong_use"), id, environment=failing).returncode == FAILED
    allowed = run(build("wrong_use"), id, environment={**failing, "ACL_EMULATOR_ALLOW": f"{id},churn"})
    assert (allowed.returncode, allowed.stderr) == (0, "")


READS_ALLOWANCES = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 cannot read TOML")


@READS_ALLOWANCES
@pytest.mark.fidelity("what a file of allowances lets pass")
def test_a_file_allows_findings_of_a_program_and_counts_them(build: Build, run: Run, tmp_path: Path) -> None:
    """Findings beyond `most` and those of no row fail the program as before; advice is only counted."""
    file = tmp_path / "allowed.toml"
    row = '[[allow]]\nid = "tensor-double-destroy"\norigin = "{0}"\nmost = 9\nreason = "r"\nexplanation = "e.md"\n'
    file.write_text('client = "wrong_use"\n' + row.format("wrong_use.cpp") + row.format("elsewhere.cpp"))
    asked = {"ACL_EMULATOR_ALLOWANCES": str(file), "ACL_EMULATOR_FINDINGS": "error"}
    allowed = run(build("wrong_use"), "tensor-double-destroy", environment=asked)
    assert allowed.returncode == 0, allowed.stderr
    summary = "allowed tensor-double-destroy (wrong_use.cpp) 1x; unused tensor-double-destroy (elsewhere.cpp)"
    assert allowed.stderr == f"aclnn emulator: allowances of wrong_use: {summary}\n"
    file.write_text('client = "wrong_use"\n' + row.format("elsewhere.cpp"))
    assert run(build("wrong_use"), "tensor-double-destroy", environment=asked).returncode == FAILED


def test_the_reason_is_reported_where_the_finding_is_allowed(build: Build, run: Run) -> None:
    """The synchronise failed as well, and nothing else explains it."""
    line, reason = line_of("wrong_use.cpp", "index-range"), "indices[3] is 4, legal values are 0 to 3"
    found = run(build("wrong_use"), "index-range")
    assert (found.returncode, found.stderr.count(reason)) == (0, 1), found.stderr
    assert f"error[index-range]: {reason}" in found.stderr
    allowed = run(build("wrong_use"), "index-range", environment={"ACL_EMULATOR_ALLOW": "index-range"})
    assert "aclrtSynchronizeStream failed with ACL_ERROR_RT_VECTOR_CORE_EXCEPTION (507035), and nobody read why" in (
        allowed.stderr
    )
    assert f"  --> {line}\n" in allowed.stderr
    assert f"   |  A task failed on the device: {reason}" in allowed.stderr
    assert allowed.stderr.count(reason) == 1


@pytest.mark.fidelity("exit status of a program in which something was found")
def test_a_right_program_is_not_failed(build: Build, run: Run) -> None:
    asked = {**WITH_WORKSPACE, "ACL_EMULATOR_FINDINGS": "error"}
    good(run(build("wrong_use"), "none", environment=asked), "")


@pytest.mark.fidelity("undefined behaviour")
def test_a_machine_that_raises_aborts_at_the_call(build: Build, run: Run) -> None:
    ran = run(build("wrong_use"), "tensor-double-destroy", environment={"ACL_EMULATOR_ON_UNDEFINED": "raise"})
    assert ran.returncode == ABORTED
    assert "error[tensor-double-destroy]" in ran.stderr


def test_pointers_that_are_not_handles_are_refused(build: Build, run: Run) -> None:
    ran = run(build("wrong_use"), "foreign-pointers")
    assert (ran.returncode, ran.stdout) == (0, "all refused\n")


def test_without_debug_information_the_function_is_reported_for_the_line(build: Build, run: Run) -> None:
    ran = run(build("wrong_use", "-g0", "-rdynamic"), "device-pointer-written")
    assert ran.returncode == SEGMENT
    assert "(main)" in ran.stderr


def test_without_debug_information_the_report_says_how_to_get_lines(build: Build, run: Run) -> None:
    """Once, before the last line. With debug information nothing needs to be said."""
    ran = run(build("wrong_use", "-g0"), "tensor-double-destroy")
    assert ran.stderr.count("to see lines here, compile the program with -g") == 1, ran.stderr
    assert "to see lines" in ran.stderr.splitlines()[-2]
    assert "to see lines" not in run(build("wrong_use"), "tensor-double-destroy").stderr


@pytest.mark.parametrize(
    ("faults", "output"),
    [
        ("aclrtMalloc:2=207001", "0\n207001 and null\n0\n"),
        ("aclrtMalloc=ACL_ERROR_RT_MEMORY_ALLOCATION ; aclrtMalloc:3=107000", "207001 and null\n0\n107000 and null\n"),
        ("aclrtMalloc:3", "0\n0\n207001 and null\n"),
        ("", "0\n0\n0\n"),
    ],
)
def test_faults_of_the_environment(faults: str, output: str, build: Build, run: Run) -> None:
    ran = run(build("faults"), environment={"ACL_EMULATOR_FAULTS": faults})
    assert (ran.returncode, ran.stdout) == (0, output), ran.stderr


@READS_ALLOWANCES
def test_a_clean_run_with_allowances_of_ours_prints_nothing(build: Build, run: Run) -> None:
    ours = {"ACL_EMULATOR_ALLOWANCES": "ggml-0.3.36"}
    assert run(build("faults"), environment=ours).stderr == ""
    listed = run(build("faults"), environment={**ours, "ACL_EMULATOR_REPORT_ALLOWED": "1"}).stderr
    assert listed == "aclnn emulator: allowances of ggml of llama-cpp-python 0.3.36: allowed nothing\n"


def test_threads_have_the_names_of_the_program(build: Build, run: Run) -> None:
    """ "main", that of pthread_setname_np, or the number of the thread."""
    lines = run(build("thread_names")).stdout.splitlines()
    found = {line.partition(":")[0]: line for line in lines if ": " in line and line[0] in "mnu"}
    names = re.findall(r"Reason: thread (\w+) has no valid context", "\n".join(lines))
    assert (names, set(found)) == (["main", "loader", "3"], {"main", "named", "unnamed"})


def test_an_unknown_variable_is_answered_once(build: Build, run: Run) -> None:
    environment = {"ACL_EMULATOR_SCHEDUEL": "eager", "ACL_EMULATOR_FAULTS": "aclrtMalloc"}
    ran = run(build("faults"), environment=environment)
    sentence = "ACL_EMULATOR_SCHEDUEL is no variable of the emulator; did you mean ACL_EMULATOR_SCHEDULE?"
    assert ran.stderr.splitlines().count(f"aclnn emulator: {sentence}") == 1
    assert ran.stderr.count("SCHEDUEL") == 1
    assert ran.stdout == run(build("faults"), environment={"ACL_EMULATOR_FAULTS": "aclrtMalloc"}).stdout


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ACL_EMULATOR_FAULTS", "aclrtMallok"),
        ("ACL_EMULATOR_FAULTS", "aclrtMalloc:x"),
        ("ACL_EMULATOR_FAULTS", "aclrtMalloc=ACL_NOTHING"),
        ("ACL_EMULATOR_SOC", "Ascend1"),
        ("ACL_EMULATOR_DEVICE_COUNT", "many"),
        ("ACL_EMULATOR_ALLOW", "mem-leakt"),
        pytest.param("ACL_EMULATOR_ALLOWANCES", "no-such-client", marks=READS_ALLOWANCES),
        ("ACL_EMULATOR_FINDINGS", "errors"),
        ("ACL_EMULATOR_LANG", "de"),
    ],
)
def test_a_wrong_environment_is_reported_in_one_line_and_no_call_succeeds(
    variable: str, value: str, build: Build, run: Run
) -> None:
    ran = run(build("faults"), environment={variable: value})
    message, *rest = ran.stderr.splitlines()
    assert ran.returncode != 0
    assert message.startswith("aclnn emulator: ")
    assert message.endswith("every call fails with 500000")
    assert value.partition("=")[2] or value.partition(":")[0] in message
    assert [line.startswith("faults.cpp") or "faults.cpp:" in line for line in rest] == [True]
    assert ran.stdout == ""


def test_a_trace_file(build: Build, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    good(run(build("sample_softmax_backward"), environment={"ACL_EMULATOR_TRACE_FILE": path}))
    names = {event["name"] for event in json.loads(path.read_text(encoding="utf-8"))["traceEvents"]}
    assert {"aclInit", "aclnnSoftmaxBackwardGetWorkspaceSize", "aclnnSoftmaxBackward", "aclFinalize"} <= names


@pytest.mark.parametrize("suffix", ["txt", "json", "sarif"])
def test_a_report(suffix: str, build: Build, run: Run, tmp_path: Path) -> None:
    path = tmp_path / f"report.{suffix}"
    ran = run(build("wrong_use"), "tensor-double-destroy", environment={"ACL_EMULATOR_REPORT": path})
    assert ran.returncode == 0
    text = path.read_text(encoding="utf-8")
    assert suffix == "txt" or json.loads(text)
    assert "tensor-double-destroy" in text
    assert "wrong_use.cpp" in text


SANITIZERS = {"address": "Address", "undefined": "runtime error", "thread": "Thread", "leak": "Leak"}


@pytest.fixture(params=SANITIZERS)
def sanitizer(request: pytest.FixtureRequest, cpp: list[str], tmp_path: Path) -> str:
    """A value of -fsanitize that the compiler supports, and with which programs run."""
    name: str = request.param
    source, program = tmp_path / "empty.cpp", tmp_path / "empty"
    source.write_text("int main() { return 0; }\n")
    command = [*cpp, f"-fsanitize={name}", str(source), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{cpp[0]} has no -fsanitize={name}: {done.stderr.strip().splitlines()[-1]}")
    ran = subprocess.run([program], capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip(f"programs with -fsanitize={name} do not run here: {ran.stderr.strip()[:200]}")
    return name


def sanitized(build: Build, program: str, sanitizer: str) -> Path:
    return build(program, f"-fsanitize={sanitizer}", "-fno-sanitize-recover=undefined")


def test_a_sanitizer_is_silent_about_a_right_program(sanitizer: str, build: Build, run: Run) -> None:
    sample = run(sanitized(build, "sample_prelu_backward", sanitizer))
    assert (sample.returncode, sample.stderr) == (0, "")
    assert sample.stdout == EXPECTED["aclnnPreluBackward"][1]
    if sanitizer in ("undefined", "leak"):
        return  # which the address sanitizer includes, or which has nothing to do with threads
    good(run(sanitized(build, "threads", sanitizer), "8", "2"), "16 of 16 threads on 1 devices\n")
    ran = run(sanitized(build, "endings", sanitizer), "exit-in-a-thread")
    assert (ran.returncode, ran.stdout, ran.stderr) == (7, "cleaned up in a static destructor\n", "")


OWN = {
    "address": {
        "leak": "12345 byte(s) leaked",
        "use-after-free": "heap-use-after-free",
        "stack-overflow": "stack-overflow",
    },
    "leak": {"leak": "12345 byte(s) leaked"},
    "undefined": {"overflow": "signed integer overflow"},
    "thread": {"race": "data race"},
}


def test_a_sanitizer_reports_the_defects_of_the_program(sanitizer: str, build: Build, run: Run) -> None:
    for what, report in OWN[sanitizer].items():
        ran = run(sanitized(build, "own_defects", sanitizer), what)
        assert ran.returncode != 0, what
        assert report in ran.stderr
        assert "own_defects.cpp:" in ran.stderr


def test_a_sanitizer_lets_a_dereference_be_explained(sanitizer: str, build: Build, run: Run) -> None:
    ran = run(sanitized(build, "own_defects", sanitizer), "device-pointer")
    assert ran.returncode != 0
    assert "aclnn emulator: the host program dereferenced 0x" in ran.stderr
    assert "own_defects.cpp:" in ran.stderr
    assert "allocated at" in ran.stderr


def test_googletest_with_death_tests(build: Build, run: Run) -> None:
    if not GOOGLETEST.exists():
        pytest.skip(f"googletest is not installed: there is no {GOOGLETEST} (Debian, Ubuntu: libgtest-dev)")
    program = build("gtest_tests", libraries="-lgtest -lgtest_main")
    ran = run(program)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    count = (HERE / "gtest_tests.cpp").read_text().count("TEST_F(")
    assert f"[  PASSED  ] {count} tests." in ran.stdout
    again = run(program, "--gtest_repeat=3", "--gtest_shuffle")
    assert again.returncode == 0, again.stdout + again.stderr
