"""Draws traces that `machine.write_trace` wrote, or compares two. `aclnn timeline` does the same.

python -m acl_runtime.timeline trace.json out.html [--start US] [--end US] [--lang zh]
python -m acl_runtime.timeline trace.rank0.json trace.rank1.json out.html
python -m acl_runtime.timeline old.json new.json --compare
"""

import argparse
import json
import sys
from typing import Any

from acl_runtime.timeline.arguments import add_arguments
from acl_runtime.timeline.compare import compared
from acl_runtime.timeline.contents import part
from acl_runtime.timeline.read import read
from acl_runtime.timeline.write import write


def main(arguments: list[str] | None = None) -> int:
    """Run the command; its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m acl_runtime.timeline", description="Draw a trace, or those of several ranks; or compare two."
    )
    add_arguments(parser)
    return run(parser.parse_args(arguments), parser.prog)


def run(options: argparse.Namespace, program: str) -> int:
    """0, or 2 with a line on stderr if a file is no trace. `program`: the command, for this line."""
    try:
        if options.compare and len(options.trace) > 1:
            raise ValueError("--compare is for two traces")
        if options.compare:
            old, new = (part(read(_loaded(path)), options.start, options.end) for path in (*options.trace, options.out))
            print(compared(old, new))
        else:
            traces = [_loaded(path) for path in options.trace]
            write(traces if len(traces) > 1 else traces[0], options.out, options.start, options.end, options.lang)
    except (OSError, ValueError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:  # for values that no machine writes
        print(f"{program}: this is no trace of machine.write_trace: {error!r}", file=sys.stderr)
        return 2
    return 0


def _loaded(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)
        except RecursionError:
            raise ValueError(f"{path}: it is nested too deeply for a trace") from None


if __name__ == "__main__":
    sys.exit(main())
