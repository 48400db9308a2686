"""Threads that may never end if the code is wrong: the test fails then, and does not hang."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

TURN: Final = 0.001
"""seconds for which the test gives way to the other threads"""
TURNS: Final = 20_000
"""how often. The turns are counted, not the time: a process that is stopped, or that shares its cores, has as many"""


def begun(body: Callable[[], object]) -> threading.Thread:
    """A thread that runs the body. It keeps no process alive."""
    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    return thread


def ended(thread: threading.Thread) -> None:
    """Assert that a thread ends."""
    comes(lambda: not thread.is_alive(), "the thread ends")


def comes(condition: Callable[[], bool], what: str) -> None:
    """Assert that something becomes true by what other threads do."""
    turn = threading.Event()  # nothing sets it
    for _ in range(TURNS):
        if condition():
            return
        turn.wait(TURN)
    raise AssertionError(f"it never comes that {what}")


def bounded(body: Callable[[], object]) -> threading.Thread:
    """Run the body on a thread, and assert that it ends. Its exception is raised here."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            body()
        except BaseException as error:
            raised.append(error)

    thread = begun(run)
    ended(thread)
    if raised:
        raise raised[0]
    return thread
