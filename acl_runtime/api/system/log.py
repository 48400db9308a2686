"""acl/acl_base_rt.h: the log."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.printf import printf
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclLogLevel
from acl_runtime.headers.statuses import Status
from acl_runtime.machine.current import current

LOGGER: Final = "acl_runtime.app"
LEVELS: Final[dict[int, int]] = {
    aclLogLevel.ACL_DEBUG: 10, aclLogLevel.ACL_INFO: 20, aclLogLevel.ACL_WARNING: 30, aclLogLevel.ACL_ERROR: 40,
}  # fmt: skip
"""levels of Python's logging"""
LONGEST: Final = 1024
"""bytes of a message; the rest is cut"""


@acl_api("acl/acl_base_rt.h")
def aclAppLog(
    logLevel: c.aclLogLevel,
    func: c.const_char_p,
    file: c.const_char_p,
    line: c.uint32_t,
    fmt: c.const_char_p,
    args: c.variadic,
) -> c.void_result:
    """Log a message, formatted as printf does, of at most 1024 bytes.

    The message goes to the logger "acl_runtime.app" of Python's logging; without a handler it is dropped. A format that
    does not fit its arguments is logged without them. A level that is no aclLogLevel logs nothing.
    """
    for value in args.value:
        if isinstance(value, Status):
            int(value)  # logging a status counts as checking it
    import logging  # imported late: few programs need it, and it takes a tenth of the emulator's import time

    logger = logging.getLogger(LOGGER)
    level = LEVELS.get(logLevel, 0)
    if fmt is None or not level or not logger.hasHandlers() or not logger.isEnabledFor(level):
        return
    text = _readable(printf(fmt, args.value))[:LONGEST].decode(errors="ignore")
    names = [_readable(name or "").decode() for name in (file, func)]
    record = logger.makeRecord(LOGGER, level, names[0], line, text, (), None, names[1])
    with current().calling_out():  # a handler is code of the host program
        logger.handle(record)


def _readable(text: str) -> bytes:
    """The text as UTF-8: bytes that are not UTF-8 would make a handler fail that prints or sends the record."""
    return text.encode(errors="replace")
