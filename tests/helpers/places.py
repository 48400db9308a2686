"""The folder of the project, and the folder of its packages. In a checkout they are the same; in an environment with a
wheel (`python -m tests.installed`) the packages are among its site-packages."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import acl_runtime

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = Path(acl_runtime.__file__ or "").resolve().parents[1]
CHECKOUT: Final = PACKAGES == ROOT
DOCS: Final = ROOT / "docs" if CHECKOUT else PACKAGES / "aclnn" / "docs"
SAMPLES: Final = ROOT / "samples" if CHECKOUT else PACKAGES / "aclnn" / "samples"
"""those that the commands show"""


def home(path: str) -> Path:
    """The file or folder with this path in a checkout."""
    return (PACKAGES if path.partition("/")[0] in ("acl_runtime", "aclnn") else ROOT) / path


def module_files(*rooms: str) -> list[Path]:
    """The Python files of the packages, or of some folders of them, without the samples, which a wheel also has."""
    files = (path for room in rooms or ("acl_runtime", "aclnn") for path in (PACKAGES / room).rglob("*.py"))
    return sorted(path for path in files if path.relative_to(PACKAGES).parts[:2] != ("aclnn", "samples"))
