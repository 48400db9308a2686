"""acl/acl_op_compiler.h: options of the operator compiler. They are kept, and have no effect: nothing is compiled."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclCompileOpt
from acl_runtime.machine.current import current

HEADER: Final = "acl/acl_op_compiler.h"


@acl_api(HEADER, inert=True)
def aclSetCompileopt(opt: c.aclCompileOpt, value: c.const_char_p) -> c.aclError:
    """Set an option of the operator compiler. aclGetCompileopt returns the text; it has no other effect.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `value` is null, or `opt` is no aclCompileOpt.
    """
    _check(opt)
    if value is None:
        raise null("value")
    current().compile_options[opt] = value


@acl_api(HEADER, inert=True)
def aclGetCompileoptSize(opt: c.aclCompileOpt) -> c.size_t_result:
    """The size of the text of an option in bytes, the end zero included; 0 if `opt` is no aclCompileOpt."""
    return len(_text(opt)) if opt in tuple(aclCompileOpt) else 0


@acl_api(HEADER, inert=True)
def aclGetCompileopt(opt: c.aclCompileOpt, value: c.target_char_p, length: c.size_t) -> c.aclError:
    """Query the text of an option, with an end zero. An option that was never set has an empty text, except
    ACL_OP_JIT_COMPILE, which is "disable".

    Returns:
        ACL_SUCCESS: the text is written to `value`.
        ACL_ERROR_INVALID_PARAM: `value` is null, `opt` is no aclCompileOpt, or the text and its end zero have more than
            `length` bytes.
        ACL_ERROR_RT_PARAM_INVALID: `value` cannot be written (in a machine that only reports).
    """
    _check(opt)
    if not value.value:
        raise null("value")
    raw = _text(opt)
    if length < len(raw):
        raise invalid(length, "length", f"at least {len(raw)} bytes")
    store(value, raw, "value")


def _check(opt: int) -> None:
    if opt not in tuple(aclCompileOpt):
        raise invalid(opt, "opt", f"an aclCompileOpt, 0 to {max(aclCompileOpt)}")


def _text(opt: int) -> bytes:
    return current().compile_options.get(opt, "").encode(errors="surrogateescape") + b"\0"
