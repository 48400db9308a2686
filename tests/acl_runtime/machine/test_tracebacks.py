"""The traceback of a user's mistake has no frames of the emulator, in a plain Python program too (ours)."""

from __future__ import annotations

import sys
import threading
from traceback import extract_tb

import pytest

from acl_runtime import Machine
from acl_runtime.machine.tracebacks import shorten_tracebacks
from tests.helpers.own_process import program

MISTAKES = {
    "a chip that does not exist": ("Machine(soc='nope')", "ValueError: soc='nope' is unknown"),
    "a wrong type": ("aclrtMalloc(c_void_p(), 16, 0)", "TypeError: aclrtMalloc: parameter devPtr"),
    "a machine that is entered twice": (
        "with (machine := Machine()):\n        with machine: pass", "RuntimeError: this Machine is already entered",
    ),
    "a function that does not exist": (
        "with Machine() as machine: machine.fail('aclrtMaloc')", "ValueError: 'aclrtMaloc' is no function",
    ),
    "an operator that does not exist": ("from aclnn import aclnnAdx", "ImportError: cannot import name 'aclnnAdx'"),
    "a kernel for no operator": ("import aclnn; aclnn.kernel('aclnnAdx')(print)", "ValueError: 'aclnnAdx' is no"),
    "a finding": ("with Machine(): aclDestroyTensor(aclTensor(64))", "UndefinedBehaviour: error[tensor-double-"),
    "a finding in a thread": (
        "from threading import Thread\n"
        "    def mistaken(): aclDestroyTensor(aclTensor(64))\n"
        "    thread = Thread(target=mistaken); thread.start(); thread.join(); raise SystemExit(1)",
        "UndefinedBehaviour: error[tensor-double-destroy]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_shows_the_frames_of_the_program(name: str) -> None:
    code, text = MISTAKES[name]
    run = program(f"def mistaken():\n    {code}\nmistaken()")
    assert run.returncode == 1
    assert text in run.stderr
    assert "in mistaken" in run.stderr
    assert "acl_runtime/" not in run.stderr
    assert "aclnn/" not in run.stderr


def test_a_hook_of_the_program_gets_the_short_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: lengths.append(len(extract_tb(trace))))
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    shorten_tracebacks()
    with pytest.raises(ValueError, match="nope") as refused:
        Machine(soc="nope")
    assert len(extract_tb(refused.value.__traceback__)) > 1
    sys.excepthook(ValueError, refused.value, refused.value.__traceback__)
    assert lengths == [1]


def test_a_defect_keeps_its_frames() -> None:
    """An exception that the emulator does not raise by itself may be its own fault."""
    run = program("Machine.__init__.__globals__['Workers'] = None\nMachine()")
    assert "machine.py" in run.stderr
