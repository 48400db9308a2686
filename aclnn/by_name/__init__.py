"""Operators by their type name: what stands behind aclopCompileAndExecute and its relatives.

The interface before aclnn names an operator by a text, such as "Add", and describes tensors by descriptors and buffers.
Here such a call becomes a task like any other: its memory is judged, its accesses are ordered, it is in the trace.

- `table` says which module has which type. The rows of these modules are the table: a type, its inputs and outputs, the
  attributes with their defaults, and a plan.
- A plan mostly hands the tensors to a function of aclnn, or to several, one after the other. So the formulas are those
  of `aclnn.ops`, and so are the checks: a call that a function refuses cannot be compiled, which is 500002.
- `row` is the form of a row, `arguments` has the tensors of a call by name, `call` is what a plan sees of a call,
  `launching` makes the task. `shapes` has the shapes of results.

The functions of the C interface are in `acl_runtime.api.op`. They find this package by its name when they first need
it, as the runtime contains nothing about operators.

Rejected. A launch of aclnn for each function of a plan: a call by name would be several tasks, with other names than
the program's. Formulas of their own: there would be two for each operator, and one would be wrong.
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
    """The operator of a call, ready for its launch. AclError with 500002 if there is none, or it refuses the call."""
    row = row_of(operator.type)
    return CompiledOperator(machine, row, settled(row, operator, machine.soc))


def shapes(machine: Machine, operator: NamedOperator) -> list[Shape]:
    """The shapes of the outputs of a call, whose outputs need no shape. AclError with 500002 if it does not fit."""
    return inferred(row_of(operator.type), operator, machine.soc)
