"""The command `aclnn`.

aclnn toolkit DIR [--with MODULE ...]       headers and libraries for C and C++ host programs
aclnn run FILE [ARGUMENT ...]               compile a C or C++ host program and run it here
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0, or 1 for what could not be done; argparse ends with 2 for what it does not understand."""
    parser = argparse.ArgumentParser(prog="aclnn", description="Ascend host programs with no NPU.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    toolkit = commands.add_parser("toolkit", help="write headers and libraries for C and C++ host programs")
    toolkit.add_argument("directory", type=Path, metavar="DIR")
    run = commands.add_parser("run", help="compile a C or C++ host program and run it in this process")
    for each in (toolkit, run):
        each.add_argument(
            "--with", dest="modules", action="append", default=[], metavar="MODULE",
            help="a Python module with operators of your own",
        )  # fmt: skip
    run.add_argument("file", type=Path, metavar="FILE")
    run.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT")
    given = parser.parse_args(arguments)
    from aclnn.toolkit.build import NoCompiler, build  # late: `--help` needs none of it

    try:
        if given.command == "run":
            from aclnn.toolkit.run import run as run_program

            run_program(given.file, given.arguments, given.modules)
        print(_written(given.directory, build(given.directory, given.modules)))
    except NoCompiler as error:
        print(f"aclnn: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"aclnn: the compiler failed ({error.returncode}): {' '.join(error.cmd)}", file=sys.stderr)
        return 1
    except (ImportError, OSError) as error:
        print(f"aclnn: {error}", file=sys.stderr)
        return 1
    return 0


def _written(directory: Path, count: int) -> str:
    from aclnn.toolkit.layout import libpython

    lines = [f"{directory}: headers and library with {count} functions", f"source {directory}/set_env.sh, then build"]
    if not libpython():
        lines.append(
            f"{sys.executable} has no shared library: programs do not start by themselves, `aclnn run FILE` works. "
            "(Debian: apt install libpython3-dev; pyenv: PYTHON_CONFIGURE_OPTS=--enable-shared)"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
