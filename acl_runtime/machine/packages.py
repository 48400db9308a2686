"""The installed packages of CANN and their versions, simulated or of a real installation."""

import os
import re
from typing import Final, NamedTuple

VERSION: Final = "9.1.0"
SIMULATED: Final = ("runtime", "compiler", "hccl", "toolkit", "opp", "opp_kernel", "driver")
STAGES: Final = {"alpha": -300, "beta": -200, "rc": -100}


def version_text(package: str) -> str | None:
    """The version of a package; "" if its file has none; None for a package that is not installed.

    "Read `<install>/share/info/<package>/version.info` (install from `ASCEND_HOME_PATH`)"; without such an
    installation, the version is simulated."""
    home = os.environ.get("ASCEND_HOME_PATH", "")
    packages = os.path.join(home, "share", "info")
    if not home or not os.path.isdir(packages):
        return VERSION if package in SIMULATED else None
    try:
        with open(os.path.join(packages, package, "version.info"), encoding="utf-8", errors="replace") as file:
            match = re.search(r"^\s*version\s*=(.*)$", file.read(), re.IGNORECASE | re.MULTILINE)
    except (OSError, ValueError):
        return None
    return match[1].strip() if match else ""


class Version(NamedTuple):
    """A version X.Y.Z, possibly with the suffix of a pre-release, such as 9.1.0-beta.2."""

    text: str
    major: str
    minor: str
    release: str
    stage: str
    """alpha, beta, rc, or empty"""
    serial: str
    """the number after the stage"""

    @property
    def patch(self) -> str:
        """The suffix of a pre-release, such as beta.2."""
        return self.text.partition("-")[2]

    @property
    def number(self) -> int:
        """ "X*10,000,000 + Y*100,000 + Z*1,000, pre-release suffix: alpha -300, beta -200, rc -100, plus its
        number"."""
        whole = int(self.major) * 10_000_000 + int(self.minor) * 100_000 + int(self.release) * 1000
        return whole + STAGES.get(self.stage, 0) + int(self.serial or 0)


def parse(text: str) -> Version | None:
    """The version that a text contains; None for "text that is not X.Y.Z"."""
    number = "([0-9]{1,3})"
    match = re.fullmatch(rf"{number}\.{number}\.{number}(?:-(alpha|beta|rc)\.?([0-9]{{0,3}}))?", text, re.IGNORECASE)
    if match is None:
        return None
    major, minor, release, stage, serial = match.groups(default="")
    return Version(text, major, minor, release, stage.lower(), serial)
