"""Exceptions of kernels: the finding `kernel-raised`, and the failure of the task."""

import traceback
from collections.abc import Callable
from typing import Any, Final

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION
from acl_runtime.machine.machine import Machine
from acl_runtime.text import Text

LAST: Final = 6
"""the innermost frames that a report shows"""


def called(function: Callable[..., Any]) -> str:
    """The name of a user's function."""
    return getattr(function, "__name__", type(function).__name__)


def kernel_of(function: Callable[..., Any], operator: str) -> Text:
    """The name of a user's function that replaces the kernel of an operator."""
    return Text("the kernel {function} of {operator}", function=called(function), operator=operator)


def kernel_raised(
    machine: Machine, kernel: str, error: Exception, *, why: str = "", note: str = "", hint: Text | None = None
) -> DeviceFault:
    """The fault of a task whose kernel raised `error`. Reports the finding.

    `why`: a text instead of the traceback. `note`: a line after the traceback. `hint`: the advice; by default that of
    the catalogue, which is about a user's kernel."""
    frames = error.__traceback__.tb_next if error.__traceback__ is not None else None  # without the catching frame
    frames_text = "".join(traceback.format_exception(type(error), error, frames, limit=-LAST)).rstrip()
    text = (
        Text("{kernel} failed: {why}.", kernel=kernel, why=why)
        if why
        else Text("{kernel} failed:\n{shown}", kernel=kernel, shown=f"{frames_text}{note}")
    )
    finding = machine.undefined("kernel-raised", text, hint=hint)
    fault = DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (f"{kernel} failed: {why or repr(error)}",)))
    machine.consequences.taint(fault, finding)
    return fault
