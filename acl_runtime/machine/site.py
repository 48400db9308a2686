"""Where in the user's code something happened."""

import sys
from typing import Final

OURS: Final = ("acl_runtime", "aclnn")


def here() -> str:
    """`file:line` of the innermost frame outside our own packages."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in OURS:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
