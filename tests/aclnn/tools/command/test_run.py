"""`aclnn run FILE.py` runs a program as Python does, with options for its machine; `aclnn samples` finds them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acl_runtime.objects.options import options
from aclnn.__main__ import main
from aclnn.tools.command import samples
from aclnn.tools.command.run import RunOptions
from tests.docs.test_samples import RUNTIME
from tests.helpers.forks import python
from tests.helpers.patience import PATIENCE
from tests.helpers.places import ROOT, SAMPLES

LEAVES_MEMORY = """\
import atexit, sys, threading
from ctypes import byref, c_void_p
from acl_runtime import *

def allocate():
    address = c_void_p()
    assert aclrtMalloc(byref(address), 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0

aclInit(None)
assert aclrtSetDevice(0) == 0
allocate()
assert aclrtResetDevice(0) == 0
assert aclFinalize() == 0
"""
RIGHT = LEAVES_MEMORY.replace("allocate()\nassert", "assert")


def run(folder: Path, program: str, *words: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """`aclnn run program.py WORDS` in a process of its own."""
    (folder / "program.py").write_text(program, encoding="utf-8")
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    command = [*python(), "-m", "aclnn", "run", *before, "program.py", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False
    )


def test_a_program_has_the_names_that_python_gives_it(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("NAME = 'beside'\n")
    program = """\
import sys, pickle
import beside
class Mine: pass
print(__name__, __file__, sys.argv, sys.modules["__main__"].Mine is Mine, beside.NAME)
print(sys.path[0], type(pickle.loads(pickle.dumps(Mine()))) is Mine, __spec__)
"""
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "program.py", "a", "--soc", "b"]
    here = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    there = run(tmp_path, program, "a", "--soc", "b")
    assert (there.returncode, there.stdout, there.stderr) == (0, here.stdout, "")


@pytest.mark.parametrize(
    "ending", ["sys.exit(3)", "sys.exit()", "sys.exit('why')", "1 / 0", "raise KeyError('x')", "0 ="]
)
def test_a_program_ends_as_under_python(ending: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(f"import sys\n{ending}\n")
    command = [sys.executable, "program.py"]
    here = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    there = run(tmp_path, f"import sys\n{ending}\n", "--findings", "error")
    last = here.stderr.splitlines()[-1:]
    assert (there.returncode, there.stderr.splitlines()[-1:]) == (here.returncode, last)
    assert "aclnn" not in there.stderr.replace(str(ROOT), "").split("Error")[0]


def test_findings_are_reported_at_the_end_with_the_lines_of_the_program(tmp_path: Path) -> None:
    done = run(tmp_path, LEAVES_MEMORY + "print('last line')")
    assert (done.returncode, done.stdout) == (0, "last line\n")
    assert "warning[mem-leaked]: 1 x 64 bytes" in done.stderr
    report = done.stderr.replace(f"{tmp_path}{os.sep}", "")
    assert "   |  allocated at program.py:7\n   |     called from program.py:11\n" in report
    assert done.stderr.endswith("\n0 errors, 1 warning, 0 advice\n")
    assert "aclnn" not in done.stderr, "who runs the program is not among the callers"


@pytest.mark.parametrize(
    ("program", "words", "status"),
    [
        (LEAVES_MEMORY, ("--findings", "error"), 86),
        (LEAVES_MEMORY, ("--findings", "report"), 0),
        (LEAVES_MEMORY + "sys.exit(0)", ("--findings=error",), 86),
        (LEAVES_MEMORY + "sys.exit(4)", ("--findings", "error"), 4),
        (LEAVES_MEMORY + "1 / 0", ("--findings", "error"), 1),
    ],
)
def test_findings_count_only_where_they_should(
    program: str, words: tuple[str, ...], status: int, tmp_path: Path
) -> None:
    done = run(tmp_path, program, *words)
    assert done.returncode == status
    assert "mem-leaked" in done.stderr


def test_the_environment_asks_for_status_86(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for a program in C. The option wins, and a misspelt value is refused: it would let each run pass."""
    monkeypatch.setenv("ACL_EMULATOR_FINDINGS", "error")
    assert run(tmp_path, LEAVES_MEMORY).returncode == 86
    assert run(tmp_path, LEAVES_MEMORY, "--findings", "report").returncode == 0
    monkeypatch.setenv("ACL_EMULATOR_FINDINGS", "errors")
    refused = run(tmp_path, "print('ran')")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "ACL_EMULATOR_FINDINGS='errors': report or error" in refused.stderr


def test_the_environment_allows_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id that does not exist is refused before the program runs."""
    monkeypatch.setenv("ACL_EMULATOR_ALLOW", "mem-leaked")
    done = run(tmp_path, LEAVES_MEMORY, "--findings", "error")
    assert done.returncode == 0
    assert done.stderr == (
        '0 errors, 0 warnings, 0 advice\nallowed[mem-leaked]: 1 time, "ACL_EMULATOR_ALLOW in the environment"\n'
    )
    monkeypatch.setenv("ACL_EMULATOR_ALLOW", "mem-leakt")
    refused = run(tmp_path, "print('ran')")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "ACL_EMULATOR_ALLOW: 'mem-leakt' is no finding" in refused.stderr


def test_an_error_raises_or_is_reported(tmp_path: Path) -> None:
    program = RIGHT.replace("assert aclrtResetDevice", """\
tensor = aclCreateTensor([1], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [1], 1, None)
aclDestroyTensor(tensor)
aclDestroyTensor(tensor)
print("went on")
assert aclrtResetDevice""")  # fmt: skip
    raised = run(tmp_path, program)
    assert (raised.returncode, raised.stdout) == (1, "")
    assert "UndefinedBehaviour: error[tensor-double-destroy]" in raised.stderr
    reported = run(tmp_path, program, before=("--findings", "report"))
    assert (reported.returncode, reported.stdout) == (0, "went on\n")
    assert "error[tensor-double-destroy]" in reported.stderr


def test_the_report_comes_after_the_last_thread_and_atexit_function(tmp_path: Path) -> None:
    """A thread that runs after the last line, and atexit functions, still have the machine."""
    program = (
        RIGHT.replace("assert aclFinalize() == 0\n", "")
        + """
started = threading.Event()
def late():
    started.wait()
    threading.main_thread().join()
    aclrtSetDevice(0); aclrtResetDevice(0); print("thread", flush=True)
def last():
    print("atexit", aclFinalize(), flush=True)
atexit.register(last)
threading.Thread(target=late).start()
started.set()
"""
    )
    done = run(tmp_path, program, "--findings", "error")
    assert (done.returncode, done.stdout) == (0, "thread\natexit 0\n")
    assert done.stderr == "0 errors, 0 warnings, 0 advice\n"


def test_the_machine_has_the_options_that_were_given(tmp_path: Path) -> None:
    program = RIGHT.replace("assert aclrtResetDevice", """\
from acl_runtime.machine.installation import installation
chosen = installation.default.options
print(aclrtGetSocName(), chosen.device_count, chosen.schedule, chosen.seed, chosen.on_undefined)
assert aclrtResetDevice""")  # fmt: skip
    words = "--soc Ascend310P3 --devices 2 --schedule random --seed 5 --findings raise".split()
    assert run(tmp_path, program, *words).stdout == "Ascend310P3 2 random 5 raise\n"
    assert run(tmp_path, program).stdout == "Ascend910B1 1 late None raise\n"


def test_a_trace_is_written_where_the_program_was_started(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    done = run(tmp_path, "import os\nos.chdir('elsewhere')\n" + RIGHT, "--trace", "out.json")
    assert done.returncode == 0, done.stderr
    events = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["traceEvents"]
    assert {"aclrtSetDevice", "aclFinalize"} <= {event["name"] for event in events}
    unwritten = run(tmp_path, "import os\nos.mkdir('out.json.d')\n" + RIGHT, "--trace", "out.json.d")
    assert "aclnn: the trace cannot be written: " in unwritten.stderr


def test_a_program_of_samples_prints_its_usual_output(tmp_path: Path) -> None:
    for file, words in (("streams_and_events.py", ()), ("devices_and_threads.py", ("--devices", "2"))):
        done = run(tmp_path, (ROOT / "samples" / file).read_text(encoding="utf-8"), *words)
        assert (done.returncode, done.stdout) == (0, RUNTIME[file])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--soc", "Ascend1", "FILE"], "soc='Ascend1' is unknown"),
        (["--schedule", "never", "FILE"], "schedule='never': late or eager"),
        (["--devices", "-1", "FILE"], "device_count=-1"),
        (["--with", "mine", "FILE"], "--with is for programs in C and C++"),
        (["-m", "pytest"], "give --npu too; else run python -m pytest"),
        (["--no-cache", "FILE"], "--no-cache is about torch_npu's memory: give --npu too"),
        (["FILE.txt"], "program.txt: the name of a program must end in .py, or in one of .c"),
    ],
)
def test_a_wrong_option_ends_with_status_2(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "program.py"
    for each in (file, file.with_suffix(".txt")):
        each.write_text("raise AssertionError('it was run')")
    paths = {"FILE": str(file), "FILE.txt": str(file.with_suffix(".txt"))}
    assert main(["run", *[paths.get(word, word) for word in words]]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no_such_program.py"], "aclnn: no_such_program.py: No such file or directory\n"),
        (["no_such_program.cpp"], "aclnn: no_such_program.cpp: No such file or directory\n"),
        (["."], "aclnn: .: Is a directory\n"),
        (
            ["--timeline", "nowhere/out.html", __file__],
            "aclnn: the timeline cannot be written: there is no directory nowhere\n",
        ),
    ],
)
def test_a_missing_file_ends_with_status_1(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", *words]) == 1
    assert capsys.readouterr().err == said


def test_a_timeline_is_drawn_of_a_program_that_a_finding_ends(tmp_path: Path) -> None:
    program = RIGHT.replace("assert aclrtResetDevice", """\
tensor = aclCreateTensor([1], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [1], 1, None)
aclDestroyTensor(tensor)
sys.stdout.close()
aclDestroyTensor(tensor)
assert aclrtResetDevice""")  # fmt: skip
    done = run(tmp_path, program, "--timeline", "out.html")
    assert done.returncode == 1
    page = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "error[tensor-double-destroy]" in page
    assert "program.py:" in page, "the lines of calls, as with trace=True"
    assert run(tmp_path, RIGHT + "1 / 0", "--timeline=out.svg").returncode == 1
    assert (tmp_path / "out.svg").read_text(encoding="utf-8").startswith("<svg ")


def test_ctrl_c_ends_a_program_as_under_python(tmp_path: Path) -> None:
    done = run(tmp_path, "def wait():\n    raise KeyboardInterrupt\nwait()\n")
    assert done.returncode == -signal.SIGINT
    frames = [line.strip() for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert [frame.partition(", line ")[2] for frame in frames] == ["3, in <module>", "2, in wait"], done.stderr


def test_options_that_are_not_given_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACL_EMULATOR_SCHEDULE", "eager")
    chosen = options(RunOptions(soc="Ascend310P1", findings="error").options())
    assert (chosen.soc, chosen.schedule, chosen.on_undefined) == ("Ascend310P1", "eager", "report")
    assert RunOptions().options() == {}


# samples


def test_one_sample_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["samples", "streams_and_events"]) == 0
    assert (
        capfd.readouterr().out == f"== streams_and_events\n{RUNTIME['streams_and_events.py']}streams_and_events ran\n"
    )


def test_a_closed_pipe_ends_the_command_quietly(tmp_path: Path) -> None:
    """As with `aclnn samples | head -1`: the first write already fails."""
    read, write = os.pipe()
    os.close(read)
    command = [*python(), str(ROOT / "samples"), "streams_and_events"]
    with os.fdopen(write, "wb") as unread:
        done = subprocess.run(command, stdout=unread, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_samples_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["samples", "--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed == sorted(path.stem for path in (ROOT / "samples").glob("*.py") if path.stem != "__main__")


def test_an_unknown_sample_ends_with_status_1(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["samples", "nonsense"]) == 1
    assert "streams_and_events" in capfd.readouterr().err


def test_samples_are_copied_but_not_over_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["samples", "--copy", str(tmp_path / "mine")]) == 0
    assert "`aclnn run --pyacl FILE` for pyacl_*.py" in capsys.readouterr().out
    copied = {path.name for path in (tmp_path / "mine").iterdir()}
    assert copied == {path.name for path in (ROOT / "samples").glob("*.py")}
    assert main(["samples", "--copy", str(tmp_path / "mine")]) == 1
    assert "streams_and_events.py" in capsys.readouterr().err


def test_samples_are_found_inside_the_package_beside_it_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a wheel the samples are the package `aclnn.samples`, which pyproject.toml makes from the folder."""
    assert samples.folder() == SAMPLES
    assert 'package-dir = { "aclnn.samples" = "samples" }' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    package = tmp_path / "aclnn"
    monkeypatch.setattr(samples, "HERE", package)
    with pytest.raises(FileNotFoundError, match="not installed"):
        samples.folder()
    for folder in (tmp_path / "samples", package / "samples"):
        folder.mkdir(parents=True)
        for name in ("__main__.py", "aclnn_softmax_backward.py"):
            (folder / name).write_text("")
        assert samples.folder() == folder


def test_a_program_that_uses_pyacl(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import acl\nclass Device:\n"
        "    def __init__(self):\n        print(acl.init(), acl.rt.set_device(0))\n"
        "    def __del__(self):\n        print(acl.rt.reset_device(0), acl.finalize())\n"
        "device = Device()\n"
    )
    command = [*python(), "-m", "aclnn", "run"]
    done = subprocess.run([*command, "--pyacl", str(program)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0 0\n0 0\n", "0 errors, 0 warnings, 0 advice\n")
    without = subprocess.run([*command, str(program)], capture_output=True, text=True, check=False)
    assert without.returncode == 1
    assert "aclnn run --pyacl" in without.stderr


HINTS = {
    "aclrtSetDevise(0)": "aclrtSetDevise: did you mean aclrtSetDevice, of acl_runtime?",
    "import acl_runtime\nacl_runtime.aclrtSetDevise(0)": "",  # the exception itself proposes a name
    "import aclnn\naclnn.aclrtSetDevise(0)": "aclrtSetDevise: did you mean aclrtSetDevice, of acl_runtime?",
    "aclnnSoftmaxBackward(None, 0, None, None)": "from aclnn import aclnnSoftmaxBackward",
    "from aclnn import aclnnSoftMaxBackward": "",  # the exception itself proposes a name
    "from aclnn import aclnnQqqq": "aclnnQqqq: there is no such operator; `aclnn ops` lists them",
    "nothing_like_it": "",
    "import numpy\nnumpy.zeros(2).nothing_like_it": "",
}


@pytest.mark.parametrize(("line", "hint"), HINTS.items(), ids=range(len(HINTS)))
def test_a_wrong_name_has_a_hint(tmp_path: Path, line: str, hint: str) -> None:
    """Python proposes no name if a module has more than 750."""
    done = run(tmp_path, f"from acl_runtime import *\n{line}\n")
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last) == (1, f"aclnn: {hint}") if hint else "aclnn: " not in done.stderr


def test_a_dereferenced_device_address_shows_its_line(tmp_path: Path) -> None:
    """The process dies of its signal, as on a real host, but with a message."""
    program = LEAVES_MEMORY.replace("== 0\n\naclInit", "== 0\n    print(string_at(address.value, 4))\n\naclInit")
    done = run(tmp_path, program.replace("import byref", "import string_at, byref"))
    assert done.returncode == -signal.SIGSEGV
    assert 'program.py", line 8 in allocate' in done.stderr


def test_a_traceback_ends_with_the_line_of_the_program(tmp_path: Path) -> None:
    twice = "aclDestroyTensor(tensor)\n" * 2
    program = f"tensor = aclCreateTensor([1], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [1], 1, None)\n{twice}"
    done = run(tmp_path, f"from acl_runtime import *\n{program}")
    assert done.stderr.startswith("Traceback")
    assert [line.partition(", line ")[2] for line in done.stderr.splitlines() if line.startswith("  File ")] == [
        "4, in <module>"
    ]
    assert done.stderr.count("error[tensor-double-destroy]: ") == 1
