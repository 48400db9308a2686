"""The peak of the memory that a call needs in addition to that of its caller, with the workspace, in its own process.

    python -m tests.benchmarks.peak CASE [--scale N]        prints {"peak": bytes, "workspace": bytes}

Every buffer of the caller's was written before, so it is resident. The kernel keeps the most that was ever resident
(VmHWM), and starts afresh when asked through clear_refs; what the call leaves behind, such as scratch that it keeps
for the next one, counts as well. Where the kernel cannot be asked, a thread looks every millisecond.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

from tests.benchmarks.cases import CASES, Case, named
from tests.benchmarks.ours import board, prepare
from tests.benchmarks.problems import Problem

ROOT = Path(__file__).resolve().parent.parent.parent
TIMEOUT = 900


class Peak(TypedDict):
    """Bytes of host memory."""

    peak: int
    workspace: int


def measure(case: Case, scale: int = 1) -> Peak:
    """The memory of a case, in a fresh process."""
    command = [sys.executable, "-m", "tests.benchmarks.peak", case.name, "--scale", str(scale)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, timeout=TIMEOUT)
    return json.loads(done.stdout)


def resident(field: str) -> int:
    """VmRSS (now) or VmHWM (the most) of this process, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def most_during(call: Callable[[], object]) -> int:
    """The peak of resident bytes during a call, minus those before it."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else freed memory that the C library keeps would hide a part of it
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return _watched(call)
    before = resident("VmRSS")
    call()
    return max(resident("VmHWM") - before, 0)


def _watched(call: Callable[[], object]) -> int:
    before, ended, most = resident("VmRSS"), threading.Event(), [0]

    def watch() -> None:
        while not ended.is_set():
            most[0] = max(most[0], resident("VmRSS"))
            time.sleep(0.001)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        call()
    finally:
        ended.set()
        thread.join()
    return max(most[0] - before, 0)


def tiny(case: Case) -> Problem:
    """The smallest problem of the same operator and data type: a tiny case, or the case with as few rows as can be. It
    is run first, so that imports and objects that are made once do not count."""
    alike = [each for each in CASES if (each.op, each.dtype, each.size) == (case.op, case.dtype, "tiny")]
    return alike[0].problem() if alike else case.problem(scale=max(case.shape))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case")
    parser.add_argument("--scale", type=int, default=1)
    given = parser.parse_args()
    case = named(given.case)
    with board():
        prepare(tiny(case)).call()
        prepared = prepare(case.problem(given.scale))
        for tensor in prepared.tensors.values():
            tensor.storage = tensor.storage[:0]  # the host's copy of the data
        print(json.dumps(Peak(peak=most_during(prepared.call), workspace=prepared.workspace_size)))


if __name__ == "__main__":
    main()
