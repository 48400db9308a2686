"""Ctrl-C in a thread that waits."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from acl_runtime.streams.waiters import Change
from tests.helpers.bounded import begun, comes, ended


def test_an_interrupt_between_the_release_of_the_lock_and_the_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread has the lock again, as the statements around the wait release it."""
    lock = threading.RLock()
    changed = Change(lock)
    release = changed._release_save  # type: ignore[attr-defined]

    def interrupted() -> None:
        release()
        raise KeyboardInterrupt

    monkeypatch.setattr(changed, "_release_save", interrupted)
    with pytest.raises(KeyboardInterrupt), lock:
        changed.wait(0)
    taken: list[bool] = []
    other = threading.Thread(target=lambda: taken.append(lock.acquire(blocking=False)))
    other.start()
    other.join()
    assert taken == [True], "the lock is free"


@pytest.mark.parametrize("notified", [False, True])
@pytest.mark.parametrize("sleeps", ["in the condition", "elsewhere"])
def test_an_interrupt_loses_no_change_for_another_thread(
    monkeypatch: pytest.MonkeyPatch, sleeps: str, *, notified: bool
) -> None:
    """The other thread sleeps for two changes. `notified`: the first one comes before the interrupt."""
    lock = threading.RLock()
    changed, seen, me = Change(lock), list[int](), threading.current_thread()
    release: Callable[[], object] = changed._release_save  # type: ignore[attr-defined]

    def other() -> None:
        with lock:
            for number in range(2):
                changed.wait()
                seen.append(number)

    def notify() -> None:
        with lock:
            changed.notify_all()

    def interrupted() -> None:
        if notified:
            notify()
            comes(lambda: seen == [0] and changed.sleepers == 1, "the other thread sleeps again")
        raise KeyboardInterrupt

    def interrupted_after_release() -> object:
        state = release()
        if threading.current_thread() is me:
            interrupted()
        return state

    monkeypatch.setattr(
        changed, "_release_save", interrupted_after_release if sleeps == "in the condition" else release
    )
    thread = begun(other)
    comes(lambda: changed.sleepers == 1, "the other thread sleeps")
    with pytest.raises(KeyboardInterrupt), lock:
        changed.wait(0) if sleeps == "in the condition" else changed.wait_in(interrupted, lambda: None)
    assert changed.sleepers == 1
    for number in range(notified, 2):
        comes(lambda number=number: len(seen) == number and changed.sleepers == 1, "the other thread sleeps")
        notify()
    ended(thread)
    assert seen == [0, 1]
