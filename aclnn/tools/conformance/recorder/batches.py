"""Makes the calls in separate processes, as a call may end its process, or never return."""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

from .calls import load
from .library import OpenDevice
from .performing import broken, perform

MOST = 200
"""maximum number of calls in one process"""
START = 300.0
"""seconds after which the libraries and the device have to be ready"""
BEGIN, END = "product", "end"
"""keys of the first line and of the last line of a process; the lines between are answers"""


class Unusable(Exception):
    """The libraries, or the device, do not work at all."""


def work(source: str, first: int, count: int, folder: str, to: int) -> None:
    """Make some calls, and write a line for each answer to the file descriptor `to`."""
    calls = load(source)["calls"][first : first + count]
    with os.fdopen(to, "w", encoding="utf-8") as out:

        def write(line: dict[str, Any]) -> None:
            out.write(json.dumps(line) + "\n")
            out.flush()

        device = OpenDevice(folder)
        write(device.describe())
        for call in calls:
            answer = perform(device, call)
            write(answer)
            if broken(answer) or call.get("alone"):
                break
        write({END: True})
        os._exit(0)  # without destructors of the libraries


def answers(
    command: list[str], source: str, count: int, folder: str, patience: float, progress: Callable[[int], None]
) -> Iterator[dict[str, Any]]:
    """The description of the device, then an answer for each call. A new process continues after the last answer."""
    done, described = 0, False
    while done < count:
        words = [*command, "work", source, str(done), str(min(MOST, count - done)), folder]
        for line in _lines(words, patience):
            if BEGIN not in line:
                done += 1
                progress(done)
            if BEGIN not in line or not described:
                yield line
            described = True


def _lines(command: list[str], patience: float) -> Iterator[dict[str, Any]]:
    """The lines of a process, except the last. If the last line is missing, the end of the process is an answer."""
    read, write = os.pipe()
    process = subprocess.Popen(
        [*command, str(write)], pass_fds=(write,), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    begun, rest, silent = False, b"", False
    try:
        while not silent:
            silent = not select.select([read], [], [], patience if begun else START)[0]
            data = b"" if silent else os.read(read, 1 << 16)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in map(json.loads, lines):
                if END in line:
                    return
                begun = True
                yield line
    finally:
        os.close(read)
        process.kill()  # it has ended, or hangs
        status = process.wait()
    if not begun:
        words = " ".join(map(shlex.quote, [*command, "1"]))  # shlex.join is newer than some hosts of devices
        raise Unusable(f"the libraries cannot be used; this command shows why: {words}")
    yield {"ended": "time-out" if silent else _end(status)}


def _end(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"
