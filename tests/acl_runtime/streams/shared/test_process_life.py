"""The life of a process: its end is looked for, as its descriptor may seem readable for another reason."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from acl_runtime.streams.shared.reader import ProcessLife


def test_a_process_that_lives_has_not_ended() -> None:
    """The reader thread wakes for a socket that is closed then; the life gets the number of its descriptor."""
    ends: list[str] = []
    life = ProcessLife(os.getpid(), lambda: ends.append("ended"))
    life.look()
    life.close()
    assert ends == []


def test_a_process_that_was_killed_has_ended() -> None:
    ends: list[str] = []
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        life = ProcessLife(child.pid, lambda: ends.append("ended"))
        life.look()
        assert ends == []
        child.send_signal(signal.SIGKILL)
        child.wait()
        life.look()
        life.close()
        life.look()  # two threads may wake for one end
    assert ends == ["ended"]
