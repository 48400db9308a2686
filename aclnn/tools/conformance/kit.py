"""The kit: the recorder and the calls in one file, which Python runs."""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from acl_runtime.version import __version__
from aclnn.tools.conformance import recorder
from aclnn.tools.conformance.recorder.calls import MEMBER

SOURCES: Final = Path(recorder.__file__).parent
MAIN: Final = """\
import os
import sys

from recorder.main import main

KIT = os.path.abspath(os.path.dirname(__file__))
sys.exit(main([sys.executable, KIT], sys.argv[1:], KIT))
"""
SHEBANG: Final = b"#!/usr/bin/env python3\n"


def write(path: Path, calls: Sequence[Any]) -> None:
    """Pack a kit with these calls. The same calls give the same bytes."""
    members = {f"recorder/{source.name}": source.read_text(encoding="utf-8") for source in sorted(SOURCES.glob("*.py"))}
    members["__main__.py"] = MAIN
    members[MEMBER] = json.dumps({"kit": __version__, "calls": list(calls)})
    with path.open("wb") as file:
        file.write(SHEBANG)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as kit:
            for name, text in members.items():
                kit.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    path.chmod(0o755)
