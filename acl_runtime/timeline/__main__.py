"""Draws traces that `machine.write_trace` wrote, or compares two.

python -m acl_runtime.timeline trace.json out.html [--start US] [--end US] [--lang zh]
python -m acl_runtime.timeline old.json new.json --compare
"""

import argparse
import json
import sys
from typing import Any

from acl_runtime.timeline.compare import compared
from acl_runtime.timeline.contents import part
from acl_runtime.timeline.read import read
from acl_runtime.timeline.write import write


def main(arguments: list[str] | None = None) -> int:
    """0, or 2 with a line on stderr if the file is no trace."""
    parser = argparse.ArgumentParser(prog="python -m acl_runtime.timeline", description="Draw a trace, or compare two.")
    parser.add_argument("trace", help="a file that machine.write_trace wrote")
    parser.add_argument("out", help="a page, or the SVG alone if the name ends in .svg; with --compare, another trace")
    parser.add_argument("--start", type=float, metavar="US", help="begin here, in simulated microseconds")
    parser.add_argument("--end", type=float, metavar="US", help="end here")
    parser.add_argument("--lang", choices=("en", "zh"), default="en", help="the language of the page")
    parser.add_argument("--compare", action="store_true", help="print how the second trace differs from the first")
    options = parser.parse_args(arguments)
    try:
        if options.compare:
            old, new = (part(read(_loaded(path)), options.start, options.end) for path in (options.trace, options.out))
            print(compared(old, new))
        else:
            write(_loaded(options.trace), options.out, options.start, options.end, options.lang)
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:  # for values that no machine writes
        print(f"{parser.prog}: this is no trace of machine.write_trace: {error!r}", file=sys.stderr)
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
