"""python -m acl_runtime.timeline trace.json out.html [--start US] [--end US]: draws a trace that `machine.write_trace`
wrote."""

import argparse
import json
import sys

from acl_runtime.timeline.write import write


def main(arguments: list[str] | None = None) -> int:
    """0, or 2 with a line on stderr if the file is no trace."""
    parser = argparse.ArgumentParser(prog="python -m acl_runtime.timeline", description="Draw a trace.")
    parser.add_argument("trace", help="a file that machine.write_trace wrote")
    parser.add_argument("out", help="a page, or the SVG alone if the name ends in .svg")
    parser.add_argument("--start", type=float, metavar="US", help="begin here, in simulated microseconds")
    parser.add_argument("--end", type=float, metavar="US", help="end here")
    given = parser.parse_args(arguments)
    try:
        with open(given.trace, encoding="utf-8") as file:
            trace = json.load(file)
        write(trace, given.out, given.start, given.end)
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
