"""The operator library: for each operator its two C functions.

    ops/     the operators, one file each: declaration, plan, formula
    engine/  makes the two functions of a declaration, and runs calls of them
    op       all names that the file of an operator imports
    tools/   the command, the toolkit for C and C++, pages and stubs made of the declarations

`Op`, `two_phase` and `kernel` are public. Your own operators import from `aclnn.op`, see `aclnn docs adding-an-op`.

Names are imported lazily: the module of a name is loaded at the first use of that name. `aclnn.ops.generated_index`,
which `python -m aclnn.render` makes, has the module of each operator.
"""

from typing import Final

from acl_runtime.generated_index import IN_ACLNN
from acl_runtime.on_demand import on_demand
from aclnn.ops import function, names

HOMES: Final = {
    "aclnn.engine.on_host.base": ("aclnnInit", "aclnnFinalize"),
    "aclnn.engine.declaration": ("Op",),
    "aclnn.engine.two_phase": ("two_phase",),
    "aclnn.engine.kernels": ("kernel",),
    "acl_runtime.version": ("__version__",),
    "acl_runtime": IN_ACLNN,
}
"""the public names that are no operators, by module"""

__getattr__, __dir__ = on_demand(__name__, HOMES, values=("acl_runtime",), more_names=names, make=function)
