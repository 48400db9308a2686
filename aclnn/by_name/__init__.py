"""Operators by their type name: the implementation of aclopCompileAndExecute and related functions.

The interface before aclnn names an operator by a text, such as "Add", and describes tensors by descriptors and buffers.
Here such a call becomes a task like any other: its memory is checked, its accesses are ordered, and the trace has it.

- `table` collects the rows of the modules. A row has a type, its inputs and outputs, the attributes with their
  defaults, and a plan.
- Most plans pass the tensors to one function of aclnn, or to several in turn. So formulas and checks are those of
  `aclnn.ops`. A call that such a function refuses cannot be compiled: 500002.
- `row` declares a row, `arguments` has the tensors of a call by name, `call` has the methods that a plan uses,
  `launching` makes the task. `shapes` has the shapes of results.

The functions of the C interface are in `acl_runtime.api.op`. They import this package by its name at their first use,
as the runtime contains nothing about operators.

Rejected. A launch of aclnn for each function of a plan: a call by name would be several tasks, with other names than
the program's. A second set of formulas: two formulas for one operator would differ sooner or later.
"""

from acl_runtime.headers.dtypes import Shape
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.named_operators import NamedOperator
from aclnn.by_name.launching import CompiledOperator
from aclnn.by_name.shapes import inferred, settled
from aclnn.by_name.table import row_of, rows


def exists(type: str) -> bool:
    """True if the table has this type."""
    return type in rows()


def compiled(machine: Machine, operator: NamedOperator) -> CompiledOperator:
    """The operator of a call, ready for its launch. AclError with 500002 if it is absent or refuses the call."""
    row = row_of(operator.type)
    return CompiledOperator(machine, row, settled(row, operator, machine.soc))


def shapes(machine: Machine, operator: NamedOperator) -> list[Shape]:
    """The inferred shapes of the outputs of a call. AclError with 500002 if the call does not fit the operator."""
    return inferred(row_of(operator.type), operator, machine.soc)
