"""`--check`: runs a program and its port, and compares output, exit status and calls.

The calls are read from traces. In a trace of C, an argument that is an array of the host has the name of its parameter,
because C has only the address; such an argument agrees with every value.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aclnn.tools.port.python.printing import split

SHOWN: Final = 5
"""maximum number of differences that are printed"""


@dataclass(frozen=True)
class Outcome:
    """Status, output and calls of a program that ran."""

    status: int
    output: str
    calls: list[str]
    errors: str = ""


def differences(program: Outcome, port: Outcome) -> list[str]:
    """Differences between a port and its program; empty if both do the same."""
    differing: list[str] = []
    if program.status != port.status:
        differing.append(f"the program ends with {program.status}, the port with {port.status}")
    ours, its = program.output.splitlines(), port.output.splitlines()
    differing += [
        f"line {number} of the output: {left!r}, the port prints {right!r}"
        for number, (left, right) in enumerate(zip(ours, its, strict=False), 1) if left != right
    ]  # fmt: skip
    if len(ours) != len(its) or program.output.endswith("\n") != port.output.endswith("\n"):
        differing.append(f"the output has {len(ours)} lines, that of the port {len(its)}")
    differing += [
        f"call {number}: {left}, the port calls {right}"
        for number, (left, right) in enumerate(zip(program.calls, port.calls, strict=False), 1)
        if not same_call(left, right)
    ]  # fmt: skip
    if len(program.calls) != len(port.calls):
        differing.append(f"the program makes {len(program.calls)} calls, the port {len(port.calls)}")
    return differing


def same_call(program: str, port: str) -> bool:
    """True if two lines of C describe the same call."""
    if program == port:
        return True
    (name, ours, result), (other_name, its, returned) = _parts(program), _parts(port)
    if (name, result, len(ours)) != (other_name, returned, len(its)):
        return False
    return all(
        own == expected or (_array(own) and expected != "nullptr") for own, expected in zip(ours, its, strict=True)
    )


def _array(text: str) -> bool:
    """True for the name of a parameter, which a trace of C shows for an array of the host."""
    return text.isidentifier() and not text.isupper() and text not in ("nullptr", "true", "false")


def _parts(call: str) -> tuple[str, list[str], str]:
    """The function, the arguments and the result in a line of C."""
    head, _, result = call.rpartition(") = ")
    name, _, arguments = head.partition("(")
    return name, [each.strip() for each in split(arguments)], result


def calls(trace: Path) -> list[str]:
    """The calls in a trace, in their order; empty without a trace."""
    if not trace.exists():
        return []
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    records = [event["args"] for event in events if "call" in event.get("args", {})]
    return [record["call"] for record in sorted(records, key=lambda record: record["order"])]


def run(file: Path, trace: Path, timeout: float | None = None) -> Outcome:
    """Run a C++ or Python program with `aclnn run`."""
    command = [sys.executable, "-m", "aclnn", "run", "--findings", "report", "--trace", str(trace), str(file)]
    process = subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="backslashreplace", timeout=timeout, check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    return Outcome(process.returncode, process.stdout, calls(trace), process.stderr)


def report(file: Path, text: str) -> tuple[int, str]:
    """Run a program and the text of its port. Returns the exit status and the report of `aclnn port --check`."""
    with tempfile.TemporaryDirectory(prefix="aclnn-port-") as folder:
        port = Path(folder, file.stem + ".py")
        port.write_text(text, encoding="utf-8")
        program = run(file, Path(folder, "program.json"))
        ported = run(port, Path(folder, "port.json"))
    problems = differences(program, ported)
    if not problems:
        lines, count = len(program.output.splitlines()), len(program.calls)
        return 0, f"the same: exit status {program.status}, {lines} lines of output, {count} calls"
    more = f"\nand {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
    errors = "".join(f"\n{name}: {outcome.errors.strip()[-400:]}" for name, outcome in
                     (("stderr of the program", program), ("stderr of the port", ported))
                     if outcome.status and outcome.errors.strip())  # fmt: skip
    return 1, "\n".join(problems[:SHOWN]) + more + errors
