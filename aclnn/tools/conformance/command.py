"""`aclnn conformance record` and `aclnn conformance compare`."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from aclnn.tools.command.help_text import Parser
from aclnn.tools.conformance import compare
from aclnn.tools.conformance.recorder import main as recorder
from aclnn.tools.conformance.recorder.calls import Unreadable

DIFFERENT = UNREADABLE = 1


def main(words: Sequence[str]) -> int:
    """Run a command and return its exit status, which is 1 if answers differ."""
    chosen = parser().parse_args(words)
    if chosen.command == "record":
        return recorder.run(list(compare.RECORDER), "", chosen)
    try:
        theirs = compare.load(chosen.report)
        ours = compare.here(chosen.report, chosen.soc or theirs["product"], chosen.libraries)
    except Unreadable as error:
        print(f"aclnn conformance: {error}", file=sys.stderr)
        return UNREADABLE
    except ValueError as error:
        return parser().error(str(error))
    functions = compare.compare(theirs, ours)
    if chosen.json:
        print(json.dumps(compare.facts(theirs, functions), indent=2))
    else:
        print("\n".join(compare.text(theirs, functions, whole=chosen.all)))
    return DIFFERENT if any(each.differences for each in functions) else 0


def parser() -> Parser:
    """The parser of both commands."""
    top = Parser(prog="aclnn conformance", description="The same calls on a real device and here.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    record = commands.add_parser("record", help="make the calls of a kit, and write a report")
    recorder.options(record)
    different = commands.add_parser("compare", help="show function by function what agrees with the emulator")
    different.add_argument("report", type=Path, metavar="REPORT.json")
    different.add_argument("--soc", metavar="CHIP", help="the chip here, if not that of the report")
    different.add_argument("--libraries", default="", metavar="DIR", help="lib64 of a toolkit of this emulator; "
                           "otherwise one is made")  # fmt: skip
    different.add_argument("--all", action="store_true", help="also list the functions that agree")
    different.add_argument("--json", action="store_true", help="print JSON, for programs")
    return top
