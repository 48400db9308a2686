"""`python -m aclnn.tools.conformance.recorder record FILE -o REPORT.json`: the recorder without a kit."""

from __future__ import annotations

import sys

from .main import main

COMMAND = [sys.executable, "-m", "aclnn.tools.conformance.recorder"]

sys.exit(main(COMMAND, sys.argv[1:], ""))
