"""The simulated AscendCL runtime. `from acl_runtime import *` stands for the `#include "acl/acl.h"` of a C program.

headers/ abi/                 numbers and texts of the C headers; C types in Python
objects/ memory/ streams/     the objects that the functions use
checks/                       the checks, which find mistakes of the host program
machine/                      the `Machine`, which is made of these parts
boundary api/                 the code from a Python call to a C function; the C functions, a module for each chapter

`aclnn docs architecture` lists all packages and their allowed imports. Names are imported lazily. `generated_index`,
which `python -m aclnn.render` makes, has the module of each name.
"""

from typing import Final

from acl_runtime.generated_index import HOMES
from acl_runtime.on_demand import on_demand

OURS: Final = {
    "acl_runtime.api.kernel.signature": ("Block", "Kernel", "Reads", "Updates", "Writes"),
    "acl_runtime.errors": ("Finding", "UndefinedBehaviour"),
    "acl_runtime.machine.machine": ("Machine",),
    "acl_runtime.version": ("__version__",),
}
"""the public names that no C header has, by module"""
VALUES: Final = ("acl_runtime.headers.handles",)
STARRED: Final = (
    "acl_runtime.headers.enums",
    "acl_runtime.headers.statuses",
    "acl_runtime.headers.structs",
    "acl_runtime.headers.hccl",
)

__getattr__, __dir__ = on_demand(__name__, {**HOMES, **OURS}, VALUES, STARRED)
