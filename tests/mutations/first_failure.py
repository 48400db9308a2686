"""A plugin of pytest that writes the id of the first test that fails to the file that the environment names."""

import os
from pathlib import Path
from typing import Final

import pytest

VARIABLE: Final = "FIRST_FAILURE"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    path = Path(os.environ[VARIABLE])
    if report.failed and not path.exists():
        path.write_text(report.nodeid, encoding="utf-8")
