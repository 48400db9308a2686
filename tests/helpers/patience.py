"""The end of a hang."""

from __future__ import annotations

import os
from typing import Final

PATIENCE: Final = 300.0 * float(os.environ.get("ACLNN_PATIENCE", "1"))
"""real seconds after which a thread or a process counts as hanging, and its test fails. Only such a test waits so long:
on a computer that is busy with others, a process may get no processor for many seconds. On an emulated processor each
instruction takes longer: `.ci/aarch64` multiplies the seconds"""
