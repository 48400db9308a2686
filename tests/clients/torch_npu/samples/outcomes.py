"""The outcome of a sample, by its exception and by what was written on stderr."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple


class Outcome(str, Enum):
    """Each sample has one of these."""

    RIGHT = "right"
    DIFFERS = "differs"
    NOT_COMPARED = "not compared"
    """the values differ, and PyTorch's own test does not compare them"""
    FOUND = "found"
    """right, but the emulator reported an error or a warning"""
    FAILED = "failed"
    """a status that is no refusal of arguments, a crash, or a hang"""
    NO_KERNEL = "no kernel"
    FELL_BACK = "on the CPU"
    """the plugin computed it on the CPU"""
    REFUSED = "refused"
    """the plugin refused the call before it called a function"""
    REFUSED_BY_FUNCTION = "refused by contract"
    """an aclnn function refused its arguments"""


FAILED_CALL = re.compile(r"call (aclnn\w+) failed, error code is (\d+)|(aclnn\w+).{0,80}error code is (\d+)", re.DOTALL)
FINDING = re.compile(r"^(?:error|warning)\[([\w-]+)\]: (.*)$", re.MULTILINE)
FALLBACK = re.compile(r"fall ?back to (?:run on the )?CPU", re.IGNORECASE)
REFUSALS = {"161001", "161002", "561002"}
NO_KERNEL = "561003"
LONGEST = 240
"""characters of a reason"""


class Result(NamedTuple):
    """The outcome of a sample, and why."""

    outcome: Outcome
    reason: str = ""


def short(text: object) -> str:
    """One line, cut."""
    return " ".join(str(text).split())[:LONGEST]


def of_exception(error: BaseException) -> Result:
    """The meaning of an exception of the call on the device."""
    text = str(error)
    call = FAILED_CALL.search(text)
    if call is None:
        return Result(Outcome.REFUSED, short(f"{type(error).__name__}: {text}"))
    name, status = call[1] or call[3], call[2] or call[4]
    if status == NO_KERNEL:
        return Result(Outcome.NO_KERNEL, name)
    said = re.search(r"E[A-Z]\d{4}\W.*", text, re.DOTALL)
    reason = short(f"{name} {status} {said[0] if said else text[call.end() :]}")
    return Result(Outcome.REFUSED_BY_FUNCTION if status in REFUSALS else Outcome.FAILED, reason)


def of_stderr(written: str) -> Result | None:
    """The text that was written while the call ran: a finding, or that the plugin computed on the CPU."""
    if finding := FINDING.search(written):
        return Result(Outcome.FOUND, short(f"{finding[1]}: {finding[2]}"))
    return Result(Outcome.FELL_BACK) if FALLBACK.search(written) else None
