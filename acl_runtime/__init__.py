"""The simulated AscendCL runtime. `from acl_runtime import *` stands for the `#include "acl/acl.h"` of a C program.

headers/ abi/                 numbers and texts of the C headers; C types in Python
objects/ memory/ streams/     the objects that the functions work on
checks/                       the checks, which find mistakes of the host program
machine/                      the `Machine`, which is made of all these
boundary api/                 from a Python call to a C function; the C functions, one file for each chapter

`aclnn docs architecture` lists all packages, and which may import which.

Names are imported lazily. `generated_index`, which `python -m aclnn.render` makes, has the module of each.
"""

from typing import Final

from acl_runtime.generated_index import HOMES
from acl_runtime.on_demand import on_demand

OURS: Final = {
    "acl_runtime.errors": ("Finding", "UndefinedBehaviour"),
    "acl_runtime.machine.machine": ("Machine",),
    "acl_runtime.version": ("__version__",),
}
"""the public names that no C header has, by module"""
VALUES: Final = ("acl_runtime.headers.handles", "acl_runtime.headers.hccl")
STARRED: Final = ("acl_runtime.headers.enums", "acl_runtime.headers.statuses", "acl_runtime.headers.structs")

__getattr__, __dir__ = on_demand(__name__, {**HOMES, **OURS}, VALUES, STARRED)
