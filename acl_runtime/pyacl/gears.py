"""`acl.mdl.get_input_dynamic_dims`, which returns a list of dicts: its length is an argument."""

import ctypes
from typing import Any, Final

from acl_runtime.headers.handles import aclmdlDesc
from acl_runtime.headers.statuses import SUCCESS
from acl_runtime.headers.structs import aclmdlIODims
from acl_runtime.pyacl.functions import describe, unparsed
from acl_runtime.pyacl.parameter_roles import counted_fields, word

MOST: Final = 1 << 16
"""ours: the most gears that a call may ask for"""
PARAMETERS: Final = ["model_desc", "index", "gear_count"]


def get_input_dynamic_dims(wrapped: Any) -> Any:
    """The function of pyACL for aclmdlGetInputDynamicDims."""

    def call(*args: Any) -> Any:
        if len(args) != len(PARAMETERS):
            raise unparsed(call, f"takes {len(PARAMETERS)} arguments, got {len(args)}")
        try:
            desc, index, count = map(word, args)
        except TypeError as error:
            raise unparsed(call, f"an argument is not {error}") from None
        gears = (aclmdlIODims * max(min(count, MOST), 1))()
        answer = wrapped(aclmdlDesc(desc), index, gears, count)
        status = 0 if answer is SUCCESS else answer
        return [counted_fields(gear) for gear in gears[:count]] if not ctypes.c_int(int(answer)).value else [], status

    return describe(call, "acl.mdl.get_input_dynamic_dims", PARAMETERS, "(dims, ret)", wrapped.c)
