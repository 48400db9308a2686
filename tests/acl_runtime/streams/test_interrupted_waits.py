"""Ctrl-C in a thread that waits."""

from __future__ import annotations

import threading

import pytest

from acl_runtime.streams.waiters import Change


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
