"""`aclnn port`: a program and its port print the same, end with the same status and make the same calls.

Each program of `programs` is named by the construct of C++ that it is about.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from aclnn.tools.port.check import Outcome, calls, differences
from aclnn.tools.port.programs import port
from aclnn.tools.toolkit.session import TRACE
from tests.cpp.conftest import ROOT, Run, compiled
from tests.docs.test_samples import EXPECTED, PORTED, SAMPLES, c_program, documents  # noqa: F401 (a fixture)
from tests.helpers.patience import PATIENCE

pytest.importorskip("tree_sitter_cpp", reason="the extra `port` is not installed")
PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.cpp"))
FLAGS = ("-std=c++17", "-O0", "-w")


def of_program(source: Path, cpp: list[str], toolkit: Path, run: Run, folder: Path) -> Outcome:
    """Run a program under the toolkit."""
    done = compiled(cpp, source, toolkit, folder / "program", *FLAGS)
    assert done.returncode == 0, done.stderr
    ran = run(folder / "program", environment={TRACE: folder / "program.json"})
    return Outcome(ran.returncode, ran.stdout, calls(folder / "program.json"), ran.stderr)


def of_port(text: str, folder: Path, environment: Mapping[str, str] | None = None) -> Outcome:
    """Run a port."""
    file = folder / "port.py"
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "aclnn", "run", "--findings", "report", "--trace", "port.json", str(file)]
    given = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **(environment or {})}
    ran = subprocess.run(
        command, cwd=folder, env=given, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False
    )
    return Outcome(ran.returncode, ran.stdout, calls(folder / "port.json"), ran.stderr)


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_a_port_does_what_its_program_does(
    source: Path, cpp: list[str], toolkit: Path, run: Run, tmp_path: Path
) -> None:
    made = port(source.read_text(encoding="utf-8"), source.name)
    assert made.problems == []
    program = of_program(source, cpp, toolkit, run, tmp_path)
    ported = of_port(made.text, tmp_path)
    assert differences(program, ported) == [], ported.errors
    assert program.calls, "the program makes no calls"


@pytest.mark.parametrize("operator", PORTED)
def test_the_program_of_a_document_ports_without_a_hand(
    operator: str,
    documents: dict[str, str],  # noqa: F811
    cpp: list[str],
    toolkit: Path,
    run: Run,
    tmp_path: Path,
) -> None:
    """The port also is our sample, but for comments and empty lines."""
    source = tmp_path / "program.cpp"
    source.write_text(c_program(documents[operator]), encoding="utf-8")
    made = port(source.read_text(encoding="utf-8"), source.name)
    assert made.problems == []
    ported = of_port(made.text, tmp_path)
    assert differences(of_program(source, cpp, toolkit, run, tmp_path), ported) == []
    assert len(ported.calls) > 20
    sample = (SAMPLES / EXPECTED[operator][0]).read_text(encoding="utf-8")
    assert _code(made.text) == _code(sample)


def _code(text: str) -> list[str]:
    """The lines without the docstring of the file, comments and empty lines."""
    _, _, rest = text.split('"""', 2)
    return [line for line in rest.splitlines() if line.strip() and not line.lstrip().startswith("#")]
