"""The toolkit of `aclnn run --npu` in the user's cache, so that only the first run compiles it."""

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from aclnn.tools.toolkit.build import build
from aclnn.tools.toolkit.c_stubs import stubs
from aclnn.tools.toolkit.directory import links, texts
from aclnn.tools.toolkit.exported_functions import declarations, exported
from aclnn.tools.toolkit.headers import headers
from aclnn.tools.toolkit.library import SOURCES


def cached_toolkit() -> Path:
    """The toolkit of this package and this Python. The name of its folder is a hash of its contents, so a changed
    package gets another folder."""
    folder = _cache() / _contents()
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.mkdtemp(dir=folder.parent)
        build(Path(temporary))
        with suppress(OSError):  # another process was faster
            os.rename(temporary, folder)
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "aclnn-emulator", "toolkits")


def _contents() -> str:
    """The name of the folder: a hash of everything that is written or compiled."""
    declared = declarations()
    digest = sha256(stubs(exported(declared)).encode())
    for source in SOURCES:
        digest.update(source.read_bytes())
    for name, text in (*headers(declared).items(), *texts(Path(), (), ()), *links()):
        digest.update(f"{name}\0{text}\0".encode())
    return f"{sys.implementation.cache_tag}-{digest.hexdigest()[:16]}"
