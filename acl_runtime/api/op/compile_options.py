"""acl/acl_op_compiler.h: options of the operator compiler. They have no effect: no kernel is compiled."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.refusals import null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclCompileOpt
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_API_NOT_SUPPORT,
    ACL_ERROR_FAILURE,
    ACL_ERROR_FEATURE_UNSUPPORTED,
    ACL_ERROR_INTERNAL_ERROR,
)
from acl_runtime.machine.current import current

HEADER: Final = "acl/acl_op_compiler.h"
JIT: Final = aclCompileOpt.ACL_OP_JIT_COMPILE
DEFAULT: Final = "disable"
"""our choice: the answer of aclGetCompileopt for JIT_COMPILE on every chip, whatever the program set"""
READABLE: Final = (JIT, aclCompileOpt.ACL_OP_DEBUG_OPTION)


@acl_api(HEADER, inert=True)
def aclSetCompileopt(opt: c.aclCompileOpt, value: c.const_char_p) -> c.aclError:
    """Set an option of the operator compiler.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `value` is null.
        ACL_ERROR_FEATURE_UNSUPPORTED: `opt` is ACL_AUTO_TUNE_MODE, which the library refuses.
        ACL_ERROR_INTERNAL_ERROR: `opt` is no aclCompileOpt.
    """
    if value is None:
        raise null("value")
    if opt == aclCompileOpt.ACL_AUTO_TUNE_MODE:
        raise _refused(ACL_ERROR_FEATURE_UNSUPPORTED, opt, "the library does not offer it any more")
    if opt not in tuple(aclCompileOpt):
        raise _refused(ACL_ERROR_INTERNAL_ERROR, opt, f"an aclCompileOpt is 0 to {max(aclCompileOpt)}")
    current().compile_options[opt] = value


@acl_api(HEADER, inert=True)
def aclGetCompileoptSize(opt: c.aclCompileOpt) -> c.size_t_result:
    """The size of the text of an option in bytes, including the NUL at its end; 0 for an option that was not set, and
    for a number that is no aclCompileOpt."""
    text = _text(opt)
    return 0 if text is None else len(text)


@acl_api(HEADER, inert=True)
def aclGetCompileopt(opt: c.aclCompileOpt, value: c.target_char_p, length: c.size_t) -> c.aclError:
    """Query the text of an option, with a NUL at its end. Only ACL_OP_JIT_COMPILE and ACL_OP_DEBUG_OPTION can be read.
    ACL_OP_JIT_COMPILE is always "disable", even after the program set it.

    Returns:
        ACL_SUCCESS: the text is written to `value`.
        ACL_ERROR_INVALID_PARAM: `value` is null.
        ACL_ERROR_API_NOT_SUPPORT: the option cannot be read.
        ACL_ERROR_FAILURE: the text and its NUL have more than `length` bytes.
        ACL_ERROR_RT_PARAM_INVALID: `value` cannot be written (only if the machine reports findings instead of raising
            them).
    """
    if not value.value:
        raise null("value")
    if opt not in READABLE:
        raise _refused(ACL_ERROR_API_NOT_SUPPORT, opt, "only ACL_OP_JIT_COMPILE and ACL_OP_DEBUG_OPTION can be read")
    raw = _text(opt) or b"\0"
    if length < len(raw):
        raise _refused(ACL_ERROR_FAILURE, opt, f"its text has {len(raw)} bytes, and length is {length}")
    store(value, raw, "value")


def _refused(status: int, opt: int, why: str) -> AclError:
    return AclError(status, Item("EH0009", (opt, "opt", why)))


def _text(opt: int) -> bytes | None:
    text = DEFAULT if opt == JIT else current().compile_options.get(opt)
    return None if text is None else text.encode(errors="surrogateescape") + b"\0"
