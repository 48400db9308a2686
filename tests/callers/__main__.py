"""`python -m tests.callers attributes|damaged|named [--seed S] [--seconds T] ...`; see `tests/callers/__init__.py`."""

import argparse
import faulthandler
import os
import sys

from tests.callers import attributes, damaged, named


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.callers", description=__doc__)
    parser.add_argument("caller", choices=("attributes", "damaged", "named"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.0, help="end after this time; 0: never")
    parser.add_argument("--log", default="", help="a file: each call is written there before it is made")
    parser.add_argument("--share", type=float, default=1.0, help="attributes, named: the share of the changes")
    parser.add_argument("--only", nargs="*", default=(), help="attributes, named: these operators")
    parser.add_argument("--calls", type=int, default=100_000, help="damaged")
    parser.add_argument("--schedule", default="late", choices=("late", "eager", "random", "threads"), help="damaged")
    parser.add_argument("--on-undefined", default="report", choices=("raise", "report"), help="damaged")
    parser.add_argument("--soc", default="Ascend910B1", help="damaged")
    parser.add_argument("--devices", type=int, default=1, help="damaged")
    parser.add_argument("--hosts", type=int, default=1, help="damaged: host threads that call")
    given = parser.parse_args()
    faulthandler.enable()
    with open(given.log or os.devnull, "w", encoding="utf-8", errors="replace") as file:
        log = file if given.log else None
        if given.caller != "damaged":
            caller = attributes if given.caller == "attributes" else named
            outcome = caller.run(
                given.seed, share=given.share, seconds=given.seconds, only=given.only, log=log, watched=True
            )
        else:
            outcome = damaged.run(
                given.calls, given.seed, seconds=given.seconds, hosts=given.hosts, watched=True, log=log,
                soc=given.soc, schedule=given.schedule, on_undefined=given.on_undefined, device_count=given.devices,
            )  # fmt: skip
    print(outcome)
    return 1 if outcome.strange else 0


if __name__ == "__main__":
    sys.exit(main())
