"""The end of a hang."""

from __future__ import annotations

from typing import Final

PATIENCE: Final = 300.0
"""real seconds after which a thread or a process counts as hanging, and its test fails. Only such a test waits so long:
on a computer that is busy with others, a process may get no processor for many seconds"""
