"""The command `aclnn`.

aclnn ops [--with MODULE ...]               the operators by product and data type
aclnn explain WHAT [--with MODULE ...]      a status, function, operator, finding: what it means, what to do
aclnn run [OPTION ...] FILE [ARGUMENT ...]  run a host program in Python, C or C++ under a machine of your choice
aclnn port FILE.cpp [--check]               a C++ host program as a Python program, line by line
aclnn samples [NAME ...]                    run the samples, or copy them
aclnn docs [PAGE]                           print a page of the documentation, or list them
aclnn doctor                                what is installed, and what is missing and for what
aclnn toolkit DIR [--with MODULE ...]       headers and libraries for C and C++ host programs
aclnn timeline TRACE ... OUT.html           a picture of a trace, or one of the traces of several ranks
aclnn conformance record|compare ...        the answers of a real device, and those of the emulator
"""

import argparse
import gc
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, Final

from acl_runtime.timeline.arguments import add_arguments
from acl_runtime.version import PROJECT, __version__
from aclnn.tools.command.help_text import MISUSED, Parser, other_words

NOT_DONE: Final = 1
INTERRUPTED: Final = 130
"""the exit status that shells use for Ctrl-C"""
Chosen = argparse.Namespace
RUN_OPTIONS: Final = ("--soc", "--devices", "--schedule", "--seed", "--findings", "--trace", "--timeline", "--with")
"""options that are followed by a value"""
RUN_FLAGS: Final = ("--pyacl", "--npu", "--no-cache")
"""options without a value"""
MODULE: Final = "-m"
RUN_USAGE: Final = """aclnn run [OPTION ...] FILE [ARGUMENT ...]
       aclnn run --npu [OPTION ...] -m MODULE [ARGUMENT ...]"""
RUN_END: Final = (
    "Options come before FILE or directly after it. Everything from the first other word on, or after `--`, is passed "
    "to the program. Instead of an option, the environment may say it: `aclnn docs cpp` lists the variables."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status.

    0: success. 1: something was not found or could not be done. 2: wrong usage (in most cases argparse itself ends the
    process). `run` returns the exit status of the program, or 86 with `--findings error` if there are findings.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words:
        parser().print_help(sys.stderr)
        return MISUSED
    if words[0] not in COMMANDS and not words[0].startswith("-"):
        print(f"aclnn: {_no_command(words[0])}", file=sys.stderr)
        return MISUSED
    own, program = split(words) if words[0] == "run" else (words, [])
    chosen, unknown = parser().parse_known_args(own)
    if unknown:
        # the parser of the subcommand shows the usage of the subcommand alone
        chosen.parser.error(_unknown(chosen.command, unknown))
    chosen.arguments = program
    if arguments is None and chosen.command not in ("run", "samples"):
        # Such a command makes thousands of functions and then ends, so garbage collection would only cost time.
        gc.disable()
    if chosen.command != "run" and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for a path or a word that the terminal cannot show
    try:
        status = COMMANDS[chosen.command](chosen)
        if chosen.command != "run":  # a program may have closed stdout
            sys.stdout.flush()
    except BrokenPipeError:  # `aclnn explain ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOT_DONE
    except KeyboardInterrupt:
        if chosen.command == "run":  # Ctrl-C is for the program, which ends as it does without the emulator
            raise
        return INTERRUPTED
    except subprocess.CalledProcessError as error:
        print(f"aclnn: the compiler failed ({error.returncode}): {' '.join(error.cmd)}", file=sys.stderr)
        return NOT_DONE
    except OSError as error:
        named = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
        print(f"aclnn: {named}", file=sys.stderr)
        return NOT_DONE
    except ImportError as error:
        print(f"aclnn: {error}", file=sys.stderr)
        return NOT_DONE
    return status


def _no_command(word: str) -> str:
    """The message for an unknown command. It proposes a similar command, or `aclnn explain`."""
    near = get_close_matches(word, COMMANDS, 1)
    proposal = "did you mean: aclnn {near}"
    listed = "`aclnn --help` lists them, `aclnn explain {plain}` may explain it"
    english = f"there is no command {{word}}; {proposal if near else listed}"
    return other_words().get(english, english).format(word=repr(word), plain=word, near="".join(near))


def _unknown(command: str, words: Sequence[str]) -> str:
    """The message for words that a command does not take."""
    message, names = f"unknown arguments: {' '.join(words)}", " ".join(w for w in words if not w.startswith("-"))
    return f"{message}; `aclnn explain {names}` explains a name" if command == "ops" and names else message


def split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments of `aclnn run` itself, and those of the program."""
    index, file = 1, False
    while index < len(words):
        word = words[index]
        if word.partition("=")[0] in RUN_OPTIONS:
            index += 1 if "=" in word else 2
        elif word in RUN_FLAGS:
            index += 1
        elif file or word == "--":
            break
        elif word == MODULE:  # as in Python, all words after the module's name are for the program
            index += 2
            break
        else:
            file = not word.startswith("-")
            index += 1
    program = list(words[index:])
    return list(words[:index]), program[1:] if program[:1] == ["--"] else program


def parser() -> Parser:
    """The parser of all commands and their options."""
    top = Parser(prog="aclnn", description="Ascend host programs with no NPU.", allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"{PROJECT} {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, does: str, **more: Any) -> Parser:
        subparser = commands.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.", **more)
        subparser.set_defaults(parser=subparser)
        return subparser

    ops = command("ops", "list the operators by category, level, product and data type")
    ops.add_argument("--category", default="", metavar="CATEGORY", help="only these, such as nn_activation")
    ops.add_argument("--level", default="", metavar="LEVEL", help="exact, computed, catalogued or own")
    ops.add_argument("--product", default="", metavar="PRODUCT", help="a series or a chip, such as A2 or Ascend310P3")
    ops.add_argument("--dtype", default="", metavar="TYPE", help="a data type of some tensor, such as FLOAT16")
    explain = command("explain", "explain the statuses and names in a text: meaning, who returns them, what to do")
    explain.add_argument(
        "what", nargs="*", metavar="WHAT",
        help="a number, a name or parts of one, a chip, a variable, lines of a log; `-` or nothing: read stdin",
    )  # fmt: skip
    explain.add_argument("--all", action="store_true", help="all details, even if they are longer than a screen")
    run = command("run", "run a host program in Python, C or C++", allow_abbrev=False, usage=RUN_USAGE, epilog=RUN_END)
    _add_run_options(run)
    port = command("port", "print a C++ host program as a Python program, line by line")
    port.add_argument("file", type=Path, metavar="FILE.cpp")
    port.add_argument(
        "--check", action="store_true", help="also run both, and compare output, exit status and calls (on stderr)"
    )
    samples = command("samples", "run the samples, or copy them to a directory")
    samples.add_argument("names", nargs="*", metavar="NAME", help="run only these")
    samples.add_argument("--list", action="store_true", help="list the names and run nothing")
    samples.add_argument("--copy", type=Path, metavar="DIR", help="copy the programs and run nothing")
    docs = command("docs", "print a page of the documentation, or list the pages")
    docs.add_argument("page", nargs="?", metavar="PAGE", help="such as testing, or findings/mem-leaked")
    docs.add_argument("--path", action="store_true", help="print the path of the file")
    doctor = command("doctor", "show what is installed, and what is missing and for what")
    toolkit = command("toolkit", "write headers and libraries for C and C++ host programs")
    toolkit.add_argument("directory", type=Path, metavar="DIR")
    add_arguments(command("timeline", "draw a trace, or the traces of several ranks in one picture"))
    conformance = command("conformance", "record the answers of a device, and compare them with the emulator's")
    conformance.add_argument(
        "words", nargs=argparse.REMAINDER, metavar="record|compare ...", help="each of the two has a --help"
    )
    for subcommand in (ops, explain, doctor):
        subcommand.add_argument("--json", action="store_true", help="print JSON, for programs")
    for subcommand in (ops, explain, run, toolkit):
        for_c = "" if subcommand in (ops, explain) else ", for a program in C or C++"
        where = "beside the program, in the current folder" if subcommand is run else "in the current folder"
        subcommand.add_argument(
            "--with", dest="modules", action="append", default=[], metavar="MODULE",
            help=f"a Python module with operators of your own{for_c}: {where}, or installed",
        )  # fmt: skip
    return top


def _add_run_options(run: argparse.ArgumentParser) -> None:
    """The options of `aclnn run`."""
    run.add_argument("file", type=Path, metavar="FILE", nargs="?")
    run.add_argument(
        MODULE, dest="module", metavar="MODULE", help="with --npu: a module, such as pytest, as the program"
    )
    run.add_argument("--soc", metavar="CHIP", help="the chip, such as Ascend310P3")
    run.add_argument("--devices", type=int, metavar="N", help="number of devices")
    run.add_argument("--schedule", metavar="WHEN", help="when queued work runs: late, eager, threads, random")
    run.add_argument("--seed", type=int, metavar="N", help="seed of --schedule random")
    run.add_argument(
        "--findings", choices=("raise", "report", "error"),
        help="raise: an error ends a Python program at the call; report: all findings are reported at the end; "
        "error: like report, and the exit status is 86 if there are errors or warnings",
    )  # fmt: skip
    run.add_argument("--pyacl", action="store_true", help="`import acl` in the Python program imports the emulator's")
    run.add_argument(
        "--npu", action="store_true", help="for a Python program that loads the C libraries, as PyTorch with torch_npu"
    )
    run.add_argument(
        "--no-cache", action="store_true",
        help="with --npu: torch_npu allocates and frees each block of memory itself, so the checks see each block",
    )  # fmt: skip
    run.add_argument("--trace", type=Path, metavar="FILE.json", help="write calls and tasks for Perfetto")
    run.add_argument(
        "--timeline", type=Path, metavar="FILE.html", help="draw calls and tasks; FILE.svg: the picture alone"
    )


# Each command imports its modules lazily: `--help` needs none of them, and `doctor` must work without numpy.


def _ops(chosen: Chosen) -> int:
    from aclnn.tools.command import ops
    from aclnn.tools.command.user_modules import modules

    filter_ = ops.Filter(chosen.category, chosen.level, chosen.product, chosen.dtype)
    try:
        understood = filter_.understood()
    except ValueError as error:
        return chosen.parser.error(str(error))
    text = ops.listing if any(filter_) else ops.text
    return _print_answer(ops.facts(modules(chosen.modules), understood), partial(text, words=other_words()), chosen)


def _explain(chosen: Chosen) -> int:
    from aclnn.tools.command import explain
    from aclnn.tools.command.user_modules import modules

    lang = _language(chosen)
    word = " ".join(chosen.what) if chosen.what and chosen.what != ["-"] else _piped(chosen)
    most = None if chosen.all or chosen.json else explain.SCREEN  # a screen has no room for more reasons
    facts = explain.facts(word, modules(chosen.modules), most)
    _print_answer(facts, partial(explain.text, whole=chosen.all, lang=lang), chosen)
    return 0 if explain.is_answered(facts) else NOT_DONE


def _language(chosen: Chosen) -> str:
    """The language of the answer. A wrong value of ACL_EMULATOR_LANG is a usage error."""
    from acl_runtime.objects.options import language

    try:
        return language()
    except ValueError as error:
        return chosen.parser.error(f"ACL_EMULATOR_LANG: {error}")


def _piped(chosen: Chosen) -> str:
    """The text on stdin. It is an error if stdin is a terminal or empty."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a log may have any encoding
    word = "" if sys.stdin is None or (not chosen.what and sys.stdin.isatty()) else sys.stdin.read()
    if not word.strip():
        chosen.parser.error("nothing to explain: give WHAT, or a text on stdin")
    return word


def _run(chosen: Chosen) -> int:
    from aclnn.tools.command.run import RunOptions, run, run_module

    choice = RunOptions(
        chosen.soc, chosen.devices, chosen.schedule, chosen.seed, chosen.findings, chosen.trace, chosen.timeline,
        chosen.modules, chosen.pyacl, chosen.npu, chosen.no_cache,
    )  # fmt: skip
    try:
        if chosen.module is not None:
            return run_module(chosen.module, chosen.arguments, choice)
        if chosen.file is None:
            return chosen.parser.error("the following arguments are required: FILE")
        return run(chosen.file, chosen.arguments, choice)
    except (TypeError, ValueError) as error:
        print(f"aclnn run: {error}", file=sys.stderr)
        return MISUSED


def _port(chosen: Chosen) -> int:
    from aclnn.tools.command import port

    return port.run(chosen.file, check=chosen.check)


def _samples(chosen: Chosen) -> int:
    from aclnn.tools.command import samples

    if chosen.list:
        print("\n".join(samples.names()))
        return 0
    if chosen.copy is None:
        return samples.run(chosen.names)
    print(samples.copy(chosen.copy))
    return 0


def _docs(chosen: Chosen) -> int:
    from aclnn.tools.command import docs

    if chosen.page is None:
        print(docs.folder() if chosen.path else docs.contents(other_words()))
    else:
        page = docs.page(chosen.page, _language(chosen))
        print(page if chosen.path else page.read_text(encoding="utf-8"), end="\n" if chosen.path else "")
    return 0


def _doctor(chosen: Chosen) -> int:
    from aclnn.tools.command import doctor

    answer = doctor.facts()
    _print_answer(answer, partial(doctor.text, words=other_words()), chosen)
    return 0 if answer["works"] else NOT_DONE


def _toolkit(chosen: Chosen) -> int:
    from aclnn.tools.command.toolkit import toolkit

    print(toolkit(chosen.directory, chosen.modules))
    return 0


def _timeline(chosen: Chosen) -> int:
    from acl_runtime.timeline.__main__ import run

    return run(chosen, chosen.parser.prog)


def _conformance(chosen: Chosen) -> int:
    from aclnn.tools.conformance.command import main

    return main(chosen.words or ["--help"])


def _print_answer(facts: Any, text: Callable[[Any], str], chosen: Chosen) -> int:
    print(json.dumps(facts, indent=2) if chosen.json else text(facts))
    return 0


COMMANDS: Final[dict[str, Callable[[Chosen], int]]] = {
    "ops": _ops, "explain": _explain, "run": _run, "port": _port, "samples": _samples, "docs": _docs,
    "doctor": _doctor, "toolkit": _toolkit, "timeline": _timeline, "conformance": _conformance,
}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
