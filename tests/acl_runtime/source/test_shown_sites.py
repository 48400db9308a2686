"""How reports show sites: a path relative to the current folder, a notebook's cell by its number, the line of code."""

import linecache
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import Finding, Past
from acl_runtime.source.site import Site, pointer, shown
from tests.helpers.own_process import OTHERS

WRONG = "aclDestroyTensor(aclTensor(5))"


def test_a_path_below_the_current_folder_is_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other paths stay absolute: `../..` would be harder to read."""
    monkeypatch.chdir(tmp_path)
    assert shown(f"{tmp_path}/host/main.py:7") == "host/main.py:7"
    assert shown(f"{tmp_path}2/main.py:7") == f"{tmp_path}2/main.py:7"
    assert shown("/usr/lib/x.py:7") == "/usr/lib/x.py:7"
    assert shown("interpreter exit") == "interpreter exit"
    monkeypatch.chdir("/")
    assert shown("/usr/lib/x.py:7") == "/usr/lib/x.py:7"


def test_without_a_current_folder_paths_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert shown(f"{gone}/main.py:7") == f"{gone}/main.py:7"


def test_a_site_is_data_and_shown_in_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`str` gives the full path, so that sites compare equal in any folder; an f-string gives the form for people."""
    monkeypatch.chdir(tmp_path)
    site = Site(f"{tmp_path}/main.py:7")
    assert (str(site), f"{site}", str(Past("it was made", site))) == (
        f"{tmp_path}/main.py:7", "main.py:7", "it was made at main.py:7",
    )  # fmt: skip


CELLS = {
    "<ipython-input-3-0b1c2d3e4f5a>:2": "cell 3, line 2",
    "/tmp/ipython-input-12-314159.py:1": "cell 12, line 1",
    "/tmp/ipykernel_4711/2718281828.py:5": "a cell, line 5",
    "/tmp/ipykernel_4711/2718281828.py": "a cell",
    "/home/me/ipykernel_notes/main.py:5": "/home/me/ipykernel_notes/main.py:5",
}


@pytest.mark.parametrize("site", CELLS)
def test_a_notebook_cell_is_shown_by_its_number(site: str) -> None:
    """IPython puts the number into the name of the file; ipykernel a hash of the code."""
    assert shown(site) == CELLS[site]


def test_the_number_of_a_cell_comes_from_ipython(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that IPython does not know has no number."""
    file = "/tmp/ipykernel_4711/2718281828.py"

    class Shell:
        compile: Any

        def format_code_name(self, name: str) -> tuple[str, str] | None:
            return ("Cell", "In[7]") if name == file else None

    shell = Shell()
    shell.compile = shell
    module = type(sys)("IPython")
    module.get_ipython = lambda: shell  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", module)
    assert shown(f"{file}:5") == "cell 7, line 5"
    assert shown("/tmp/ipykernel_4711/1.py:5") == "a cell, line 5"


def run_in(file: str, source: str, module: str = "__main__") -> Finding:
    """The finding of a piece of code that is compiled under the name of a file, and run by code of `module`."""
    runner: dict[str, Any] = {"__name__": module}
    exec(compile("def run(code, names): exec(code, names)", f"/site-packages/{module}.py", "exec"), runner)
    names: dict[str, Any] = {"aclDestroyTensor": aclDestroyTensor, "aclTensor": aclTensor, "__name__": "__main__"}
    with Machine(on_undefined="report") as machine:
        runner["run"](compile(source, file, "exec"), names)
    return machine.findings[0]


@pytest.mark.parametrize("module", ["IPython.core.interactiveshell", "ipykernel.zmqshell"])
def test_the_frames_that_run_a_cell_are_not_the_users(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = "<ipython-input-3-0b1c2d3e4f5a>"
    lines = ["def wrong():\n", f"    {WRONG}\n", "wrong()\n"]
    monkeypatch.setitem(linecache.cache, file, (len("".join(lines)), None, lines, file))
    finding = run_in(file, "".join(lines), module)
    assert str(finding).splitlines()[1:4] == [
        "  --> cell 3, line 2, in aclDestroyTensor",
        f"   |      {WRONG}",
        "      called from cell 3, line 3",
    ]


def test_the_line_of_code_stands_under_the_arrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the present line: a file that was changed is read again."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "host.py"
    path.write_text(f"if True:\n    {WRONG}\n", encoding="utf-8")
    finding = run_in(str(path), path.read_text(encoding="utf-8"))
    assert f"\n  --> host.py:2, in aclDestroyTensor\n   |      {WRONG}\n" in str(finding)
    path.write_text("\nchanged = 'and longer than before'\n", encoding="utf-8")
    assert pointer(f"{path}:2") == ["  --> host.py:2", "   |      changed = 'and longer than before'"]


def test_a_site_without_code_is_shown_without_a_line_of_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is gone, or too short; there is no line; the code is of `-c`; a file of this name is on `sys.path`."""
    monkeypatch.chdir(tmp_path)
    for site in (f"{tmp_path}/gone.py:1", f"{__file__}:999999", "interpreter exit", "<string>:1", "contextlib.py:1"):
        assert pointer(site) == [f"  --> {shown(site)}"]
    assert pointer(f"{os.path.abspath(__file__)}:1", "aclrtFree")[1].startswith('   |      """How reports show sites')


@pytest.mark.skipif(find_spec("IPython") is None, reason="IPython is not installed (pip install ipython)")
def test_a_real_ipython_shows_its_cells_only(tmp_path: Path) -> None:
    """Sites have IPython's cell numbers, and none of its frames."""
    cells = ["from acl_runtime import *", f"def wrong():\n    {WRONG}", "wrong()"]
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance(colors='NoColor')\n"
        f"for cell in {cells!r}:\n    shell.run_cell(cell, store_history=True)\n"
    )
    home = {"IPYTHONDIR": str(tmp_path), "HOME": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", code], env=OTHERS | home, capture_output=True, text=True, check=False)
    report = (
        f"  --> cell 2, line 2, in aclDestroyTensor\n   |      {WRONG}\n      called from cell 3, line 1\n   = help: "
    )
    assert report in run.stdout, run.stdout + run.stderr
