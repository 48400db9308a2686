"""`aclnn port`: a C++ host program as a Python program."""

import sys
from pathlib import Path

from acl_runtime.text import counted
from aclnn.tools.port.check import report
from aclnn.tools.port.cpp.limits import NotTranslated, decoded
from aclnn.tools.port.programs import port

NOT_DONE = 1


def run(file: Path, *, check: bool) -> int:
    """Print the port of a program, and on stderr each line without a translation. Returns 1 if there is such a line, or
    if the check finds a difference. OSError for a file that cannot be read, ImportError without the parser."""
    try:
        ported = port(decoded(file.read_bytes()), file.name)
    except NotTranslated as error:
        print(f"{file}:{error.line}: {error.reason}", file=sys.stderr)
        return NOT_DONE
    sys.stdout.write(ported.text)
    sys.stdout.flush()
    for line, reason in ported.problems:
        print(f"{file}:{line}: {reason}", file=sys.stderr)
    if ported.problems:
        places = counted(len(ported.problems), "place")
        print(f"aclnn port: {places} without a translation, marked TODO", file=sys.stderr)
    if not check:
        return NOT_DONE if ported.problems else 0
    if ported.problems:
        print("aclnn port: not checked, because the port is not complete", file=sys.stderr)
        return NOT_DONE
    status, text = report(file, ported.text)
    print(f"aclnn port: {text}", file=sys.stderr)
    return status
