"""Does what the blocks of the documentation say: writes and changes files, runs programs and commands, and compares
their output with the output on the page. `tests/helpers/doc_blocks.py` lists the kinds of blocks."""

from __future__ import annotations

import os
import re
import shlex
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from acl_runtime import *
from acl_runtime import Machine
from aclnn.__main__ import main
from tests.helpers.doc_blocks import Block
from tests.helpers.forks import python
from tests.helpers.places import ROOT

CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
CLONES = (".", "PATH/OF/THE/CLONE", "git+https://ADDRESS/OF/THE/CLONE")
"""how pages name a clone of this project for pip, as no registry has it"""
SETS_UP = re.compile(r"python3 -m venv \.venv|\. \.venv/bin/activate|mkdir [\w-]+|(\.venv/bin/)?pip install .*")
EXPLAINS = re.compile(r"aclnn (explain|ops)( [\w.-]+)*")
"""commands that run in this process, which is faster"""
FAILED = re.compile(r"^acl_runtime\.errors\.UndefinedBehaviour: |\b\d+ (failed|errors?)\b.* in [\d.]+s\b", re.MULTILINE)
"""the end of the output of a command that failed"""


class Reader:
    """Goes through blocks from top to bottom in a folder of its own."""

    def __init__(self, folder: Path, pytest_here: Callable[[list[str]], tuple[int, str]] | None = None) -> None:
        """`pytest_here` runs pytest in this process: exit status and output."""
        self.folder = folder
        self.pytest_here = pytest_here
        self.printed = ""
        self.names: set[str] = set()
        for command in ("aclnn", "pytest", "python"):
            self.command(command)

    def command(self, name: str) -> None:
        """Make a command, as in an environment in which the package is installed."""
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        module = "" if name == "python" else f"-m {name}"
        path.write_text(f'#!/bin/sh\nexec {shlex.join(python())} {module} "$@"\n', encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def read(self, block: Block, shown: str = "") -> None:
        """Do what a block says. `shown` is the output that the page shows for it."""
        match block.kind:
            case "file":
                self.write(block.file, block.code)
                if block.language == "yaml":
                    for line in steps(block.file, block.code):
                        self.run(line)
            case "change":
                self.change(block.code)
            case "program":
                self.printed = run_python(block.code)
            case "commands":
                self.run(block.code, shown)
            case "output":
                assert_printed(block.code, self.printed)
            case "tree":
                missing = [path for path in tree(block.code) if not (ROOT / path).exists()]
                assert not missing, f"there is no {missing}"

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.names.add(name)

    def change(self, diff: str) -> None:
        """Apply each hunk (between lines with @@) to the one file that contains its old lines."""
        for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE):
            lines = [line if line.strip() else " \n" for line in hunk.splitlines(keepends=True)]
            old, new = ("".join(line[1:] for line in lines if line[0] in marks) for marks in (" -", " +"))
            texts = {name: (self.folder / name).read_text(encoding="utf-8") for name in sorted(self.names)}
            having = [name for name, text in texts.items() if text.count(old) == 1]
            assert len(having) == 1, f"{having} have once:\n{old}"
            self.write(having[0], texts[having[0]].replace(old, new))

    def run(self, script: str, shown: str = "") -> None:
        """Run all commands, except those that set up an environment. They must fail if the page shows a failure."""
        script = "".join(
            line for line in script.splitlines(keepends=True) if not sets_up(line.partition("#")[0].strip())
        )
        lines = script.splitlines()
        self.printed = ""
        if self.pytest_here and all(line.startswith("pytest") for line in lines):
            status = 0
            for line in lines:
                failed, printed = self.pytest_here(line.split()[1:])
                status, self.printed = status or failed, f"{self.printed}{printed}\n"
        elif lines and all(map(EXPLAINS.fullmatch, lines)):
            status, self.printed = explained(lines)
        elif lines:
            status, self.printed = self.shell("\n".join(lines))
        else:
            return
        self.printed = self.printed.replace(f"{self.folder}/", "")
        assert (status != 0) == bool(FAILED.search(shown)), f"exit status {status}\n{self.printed}"

    def shell(self, script: str) -> tuple[int, str]:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "ACL_EMULATOR_"))},
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.folder),
        }
        done = subprocess.run(
            ["bash", "-euc", script], cwd=self.folder, env=environment, text=True, check=False, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.returncode, done.stdout


def explained(commands: list[str]) -> tuple[int, str]:
    """The worst exit status of commands `aclnn`, and what they print."""
    printed = StringIO()
    with redirect_stdout(printed):
        status = max(main(command.split()[1:]) for command in commands)
    return status, printed.getvalue()


def run_python(code: str) -> str:
    """Run a program and its tests, and return the output. The program gets a machine with device 0 set, unless it makes
    a machine itself."""
    names: dict[str, object] = {"__name__": "documentation"}
    program = compile(code, "program.py", "exec")
    printed = StringIO()
    with redirect_stdout(printed):
        if "with Machine" in code:
            exec(program, names)
        else:
            with Machine():
                aclrtSetDevice(0)
                exec(program, names)
        for name, value in list(names.items()):
            if name.startswith("test_") and callable(value):
                value()
    return printed.getvalue()


def same_always(line: str) -> str:
    """A line without the time of pytest, which differs from run to run."""
    return re.sub(r" in [\d.]+s\b|=+$|^=+", "", line).strip() if re.search(r" in [\d.]+s\b", line) else line


def assert_printed(shown: str, printed: str, *, in_order: bool = True) -> None:
    """Each line on the page was printed; a line `...` on the page stands for any lines."""
    lines = [same_always(line) for line in printed.splitlines()]
    rest = iter(lines)
    for line in map(same_always, shown.splitlines()):
        if line.strip() != "...":
            assert line in (rest if in_order else lines), f"not printed, or not here: {line}\n{printed}"


def sets_up(line: str) -> bool:
    """True for a command that sets up an environment. It is not run, as it needs a network.

    Instead its text is checked: it must install this project from a clone, or pytest. Commands after the installation
    must be commands of `.ci/run`.
    """
    first, *others = line.split(" && ")
    if not SETS_UP.fullmatch(first):
        return False
    for command in others:
        if not re.fullmatch(r"cd [\w-]+|\. \.venv/bin/activate|(\.venv/bin/)?pip install .*", command):
            assert command in map(str.strip, CI.replace("$python", ".venv/bin/python").splitlines()) or (
                line.endswith("pytest -n auto") and "grep -m1 'pytest -n auto$'" in CI
            ), command
    for names in re.findall(r"pip install (?:-q )?(?:-e )?(.*?)(?= &&|$)", line):
        for wanted in names.split():
            found = re.fullmatch(rf"'?(?:pytest|{'|'.join(map(re.escape, CLONES))})(?:\[([\w,]+)\])?'?", wanted)
            assert found, f"pip install {wanted}"
            assert set(filter(None, (found[1] or "").split(","))) <= extras(), wanted
    return True


def extras() -> set[str]:
    """The extras of the package for pip."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = project.partition("[project.optional-dependencies]\n")[2].partition("\n\n")[0]
    return set(re.findall(r"^([\w-]+) = ", listed, re.MULTILINE))


def steps(file: str, workflow: str) -> Iterator[str]:
    """The commands of a file for CI, for each value of its matrix."""
    assert "\t" not in workflow
    on_github = file.startswith(".github/")
    for key in ("on:", "jobs:", "runs-on:", "steps:", "uses: actions/checkout@") if on_github else ():
        assert key in workflow, key
    matrix = {
        name: values.split(", ") for name, values in re.findall(r"^[ -]+(\w+): \[(.*)\]$", workflow, re.MULTILINE)
    }
    commands = r"^ +- run: (.*)$" if on_github else r"^ +- ((?:pip|pytest) .*)$"
    variable = r"\$\{\{ matrix\.(\w+) \}\}" if on_github else r"\$(\w+)"
    for line in re.findall(commands, workflow, re.MULTILINE):
        variables = re.findall(variable, line)
        assert len(variables) <= 1
        for value in matrix[variables[0]] if variables else [""]:
            yield re.sub(variable, value, line)


def tree(text: str) -> Iterator[Path]:
    """The files and folders of a tree: names, then two spaces and words about them."""
    folders: list[tuple[int, Path]] = []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        while folders and folders[-1][0] >= indent:
            folders.pop()
        for name in re.split(r" {2,}", line.strip())[0].split():
            path = (folders[-1][1] if folders else Path()) / name
            yield path
            if name.endswith("/"):
                folders.append((indent, path))
