"""`python -m tests.oracle [NAME ...] [--write]`: the worst errors of functions against the bounds.

Without torch, functions that only torch computes are skipped. So is the row of a function that torch computes as well:
a row names all ways of the route, and it is written only if all of them ran.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from aclnn.catalogue.evidence import FILE
from tests.oracle import named_operators
from tests.oracle.evidence import Evidence, evidence
from tests.oracle.levels import PAGE, SENTENCE, counted
from tests.oracle.route import Route, has_torch
from tests.oracle.routes import compared, route_of


def unnoticed(found: Evidence) -> str:
    return f"  not noticed: {', '.join(found.missed)}" if found.missed else ""


def lacks_torch(route: Route, *, write: bool) -> bool:
    """Whether the function is skipped, as torch is not installed."""
    return not has_torch() and (route.needs_torch or (write and route.torch is not None))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a function, such as aclnnAdd; all by default")
    parser.add_argument("--write", action="store_true", help=f"write {Path(FILE).name}; rows of other functions stay")
    asked = parser.parse_args()
    if others := [name for name in asked.names if name not in compared()]:
        parser.error(f"these are compared by their own tests, or compute nothing: {', '.join(others)}")
    rows = {row["function"]: row for row in json.loads(Path(FILE).read_text())} if Path(FILE).exists() else {}
    bad: list[str] = []
    skipped: list[str] = []
    for name in asked.names or compared():
        route = route_of(name)
        if lacks_torch(route, write=asked.write):
            print(f"{name:40} skipped: {route.named} needs torch, which is not installed")
            skipped.append(name)
            continue
        try:
            found = evidence(name, route)
        except Exception as error:  # a route that does not fit is a row of the table, and the others still run
            print(f"{name:40} {route.named:32} FAILED  {type(error).__name__}: {str(error).splitlines()[:1]}")
            bad.append(name)
            continue
        worst = " ".join(f"{dtype}:{value:.2f}" for dtype, value in found.errors.items())
        verdict = "ok" if found.good else "FAILED"
        print(f"{name:40} {found.route:32} {verdict}  {worst}{unnoticed(found)}")
        if found.good:
            rows[name] = found.row()
        else:
            bad.append(name)
            rows.pop(name, None)
    if not asked.names and has_torch():
        bad += named_operators.main()
    if asked.write:
        kept = [rows[name] for name in compared() if name in rows]
        Path(FILE).write_text("[\n" + ",\n".join(json.dumps(row) for row in kept) + "\n]\n", encoding="utf-8")
        PAGE.write_text(SENTENCE.sub(counted(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    counts = f"{len(bad)} of {len(asked.names or compared())} failed, {len(skipped)} skipped"
    print(counts + (f": {', '.join(bad)}" if bad else ""))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
