"""The reason why a documented function has no formula here: the first of the three below that applies.

`python -m aclnn.render` writes the table of the page families/index.
"""

import re
from collections.abc import Iterator
from typing import Final

from acl_runtime.headers.dtype_names import numpy_name
from acl_runtime.headers.enums import aclDataType
from aclnn.catalogue.facts import Facts, facts

SEVERAL_DEVICES: Final = "It communicates between devices, in a way that the emulator does not compute."
NO_NUMBERS: Final = "It needs a data type that neither numpy nor ml_dtypes has."
NO_CONTRACT: Final = "Its interface is documented. Its formula or its refusals are not public in full."

_OF_DEVICES: Final = re.compile(r"(group(Ep|Tp)?|commAlg|hcclComm|rankSize|(ep)?WorldSize|worldSize)$|commContext")
"""names of parameters that select devices, or give their number"""


def reason(name: str) -> str:
    """The reason for one function."""
    described = facts(name)
    if any(_OF_DEVICES.match(each) for each in _of_communication(described)):
        return SEVERAL_DEVICES
    if any(_without_numbers(param.dtypes) for param in described.params if param.is_tensor and not param.may_be_null):
        return NO_NUMBERS
    return NO_CONTRACT


def _of_communication(described: Facts) -> Iterator[str]:
    """The parameters that may name a group of devices: texts and numbers."""
    return (param.name for param in described.params if not param.is_tensor)


def _without_numbers(dtypes: tuple[aclDataType, ...] | None) -> bool:
    """True if no data type of these has a numpy type. INT4 is packed into bytes, so it needs none."""
    return bool(dtypes) and all(each != aclDataType.ACL_INT4 and numpy_name(each) is None for each in dtypes or ())
