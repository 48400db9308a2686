"""The title of a trace: the program, the schedule and the seed."""

import os
import sys
from collections.abc import Mapping
from typing import Final

from acl_runtime.own_rank import own_rank
from acl_runtime.process import process

TEST: Final = "PYTEST_CURRENT_TEST"
"""environment variable in which pytest stores the running test and its stage"""
EXECUTABLE: Final = "/proc/self/exe"


def about_run(schedule: str, seed: int | None) -> Mapping[str, object]:
    """The program, the schedule, the seed of a random schedule if one is set, and the rank of this process if it has
    one."""
    facts: dict[str, object] = {"program": program_name(), "schedule": schedule}
    if schedule == "random" and seed is not None:
        facts["seed"] = seed
    if (rank := own_rank()) is not None:
        facts["rank"] = rank
    return {key: value for key, value in facts.items() if value != ""}


def program_name() -> str:
    """The test, or the file name of the program; "" if neither is known, as with `python -c`. The name has no folder,
    so that a trace is the same in every folder."""
    if test := os.environ.get(TEST):
        return test.rpartition(" (")[0] or test
    if "ipykernel" in sys.modules:
        return "notebook"
    name = os.path.basename(sys.argv[0]) if sys.argv else ""
    if not name and process.program is not None:  # Python inside a C program has no arguments
        name = os.path.basename(os.path.realpath(EXECUTABLE)) if os.path.exists(EXECUTABLE) else ""
    return "" if name.startswith("-") else name
