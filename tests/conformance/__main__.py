"""`python -m tests.conformance KIT.pyz [NAME ...]`: the kit, with all functions or only these."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from aclnn.tools.conformance import kit
from tests.conformance import operators, runtime


class UnknownFunction(Exception):
    """No declared function has this name."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance")
    parser.add_argument("kit", type=Path)
    parser.add_argument("names", nargs="*", help="functions; all, if there are none")
    chosen = parser.parse_args()
    try:
        made = list(calls(chosen.names))
    except UnknownFunction as error:
        parser.error(str(error))
    kit.write(chosen.kit, made)
    print(f"{chosen.kit}: {len(made)} calls of {len({call['function'] for call in made})} functions")


def calls(names: Collection[str]) -> Iterator[dict[str, Any]]:
    """The calls of all functions, or of these. Each function has at least one."""
    listed = {each.name: partial(runtime.calls, each) for each in runtime.functions()}
    listed |= {name: partial(operators.calls, name) for name in operators.names()}
    unknown = [name for name in names if name not in listed]
    if unknown:
        raise UnknownFunction(f"there is no function {', '.join(unknown)}")
    for name in names or listed:
        made = list(listed[name]())
        assert made, f"{name} has no call"
        yield from made


if __name__ == "__main__":
    main()
