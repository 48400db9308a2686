"""The command line of a kit: `python3 conformance.pyz record -o report.json`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from .batches import Unusable, answers, work
from .calls import Unreadable, load

PATIENCE = 60.0
"""seconds without an answer after which a call counts as hanging"""


def main(command: list[str], words: Sequence[str], kit: str) -> int:
    """Run the command line and return the exit status. `command` starts this function in another process; `kit` is the
    file with the calls."""
    if words[:1] == ["work"]:
        source, first, count, folder, to = words[1:]
        work(source, int(first), int(count), folder, int(to))
        return 0
    top = argparse.ArgumentParser(prog="conformance", description="Record the answers of the libraries of CANN.")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    commands.required = True
    options(commands.add_parser("record", help="make the calls, and write a report"))
    chosen = top.parse_args(words)
    return run(command, kit, chosen)


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `record`."""
    parser.add_argument("calls", nargs="?", metavar="FILE", help="the kit or the report whose calls are made; not "
                        "needed where a kit itself is run")  # fmt: skip
    parser.add_argument("-o", "--output", required=True, metavar="REPORT.json", help="the file to write")
    parser.add_argument("--libraries", default="", metavar="DIR", help="the folder of libascendcl.so, if not that of "
                        "LD_LIBRARY_PATH")  # fmt: skip
    parser.add_argument("--python", default=sys.executable, metavar="FILE", help="the Python that makes the calls, if "
                        "not this one")  # fmt: skip
    parser.add_argument("--patience", type=float, default=PATIENCE, metavar="SECONDS",
                        help="a call without an answer for so long is ended; the default is %(default)s")  # fmt: skip


def run(command: list[str], kit: str, chosen: argparse.Namespace) -> int:
    """Record the answers, write the report, and return the exit status."""
    source = chosen.calls or kit
    try:
        if not source:
            raise Unreadable("name the kit, or the report, whose calls are made")
        _try_to_write(chosen.output)
        report = recorded([chosen.python, *command[1:]], source, chosen.libraries, chosen.patience)
    except (Unusable, Unreadable) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"conformance: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    with open(chosen.output, "w", encoding="utf-8") as file:
        json.dump(report, file)
    print(f"{chosen.output}: {len(report['answers'])} calls on {report['product']}")
    return 0 if len(report["answers"]) == len(load(source)["calls"]) else 1


def _try_to_write(path: str) -> None:
    """OSError if the report cannot be written. The check comes before the calls, which take long."""
    is_new = not os.path.exists(path)
    with open(path, "a", encoding="utf-8"):
        pass
    if is_new:
        os.remove(path)


def recorded(command: list[str], source: str, folder: str = "", patience: float = PATIENCE) -> dict[str, Any]:
    """The report: the kit's version and calls, the description of the device, and the answers. If the device or the
    user ends the record early, the report has only the calls with answers."""
    kit = load(source)
    calls = kit["calls"]
    lines = answers(command, source, len(calls), folder, patience, lambda done: _progress(done, len(calls)))
    described = next(lines)
    results: list[Any] = []
    try:
        results.extend(lines)
    except (Unusable, KeyboardInterrupt) as error:
        if not results:
            raise
        print(f"conformance: the record ends after {len(results)} of {len(calls)} calls: {error or 'stopped'}",
              file=sys.stderr)  # fmt: skip
    return {"kit": kit["kit"], **described, "calls": calls[: len(results)], "answers": results}


def _progress(done: int, count: int) -> None:
    if done % 100 == 0 or done == count:
        print(f"{done} of {count} calls", file=sys.stderr)
