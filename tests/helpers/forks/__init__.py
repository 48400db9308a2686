"""A fast stand-in for `sys.executable`, for tests of programs that print, and end with a status.

    server    imports the emulator once, and forks for each program
    client    runs in place of the interpreter, and hands its arguments and files to the server

Tests of what the import itself does, and of options of the interpreter, use `sys.executable`."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

CLIENT = Path(__file__).parent / "client.py"
SERVER = "import sys; from tests.helpers.forks.server import main; main(sys.argv[1])"
POLL = 0.005


@cache
def python() -> list[str]:
    """The beginning of a command, in place of `[sys.executable]`. One server for this process is started by the first
    call. Elsewhere than on Linux it is the interpreter itself."""
    if not hasattr(os, "pidfd_open"):
        return [sys.executable]
    folder, owner = tempfile.mkdtemp(prefix="forks"), os.getpid()
    path = os.path.join(folder, "server")
    command = [sys.executable, "-c", SERVER, path]
    # (pipes, as those of most programs: what Python makes of its files depends on their kind)
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=CLIENT.parents[3])

    def stop() -> None:
        if os.getpid() == owner:  # a child of multiprocessing runs atexit, too
            server.communicate()  # closes its stdin
            shutil.rmtree(folder)

    atexit.register(stop)
    while not os.path.exists(path):
        assert server.poll() is None, "the server of forks has ended"
        time.sleep(POLL)
    return [sys.executable, "-I", "-S", str(CLIENT), path]
