"""The arguments of the two commands that draw traces: `python -m acl_runtime.timeline` and `aclnn timeline`."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser of a command."""
    parser.add_argument(
        "trace", nargs="+", metavar="TRACE", help="a file that machine.write_trace wrote, or those of several ranks"
    )
    parser.add_argument(
        "out", metavar="OUT", help="a page, or the SVG alone if the name ends in .svg; with --compare, another trace"
    )
    parser.add_argument("--start", type=float, metavar="US", help="begin here, in simulated microseconds")
    parser.add_argument("--end", type=float, metavar="US", help="end here")
    parser.add_argument("--lang", choices=("en", "zh"), default="en", help="the language of the page")
    parser.add_argument("--compare", action="store_true", help="print how the second trace differs from the first")
