"""Functions `aclnnXxxGetMaxWorkspaceSize`: a first phase whose plan is that of the largest lengths.

A captured graph keeps its workspace, while updates change the lengths of its operators. So a program asks for the size
that all lengths need.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.function import CFunction
from acl_runtime.boundary import expose
from acl_runtime.objects.handle_table import IntArray
from aclnn.catalogue.evidence import level
from aclnn.catalogue.prototypes import OUT_POINTERS
from aclnn.engine.arguments import Arguments
from aclnn.engine.declaration import Op
from aclnn.engine.first_phase import decide, first_phase
from aclnn.engine.help import first_doc
from aclnn.engine.on_host.function import HostFunction
from aclnn.engine.operator import Operator
from aclnn.engine.plan_builder import PlanBuilder

SUFFIX: Final = "GetMaxWorkspaceSize"
Lengths = Callable[[Arguments], Mapping[str, Sequence[int]]]
"""function that returns the largest lengths of a call, by parameter"""


@dataclass(frozen=True)
class LargestWorkspace(HostFunction):
    """The function of an operator that asks for the largest workspace."""

    operator: Operator = field(kw_only=True)
    lengths: Lengths = field(kw_only=True)

    def _function(self, name: str) -> Callable[..., int]:
        """The first phase of the operator. The checks see the lengths of the call, the plan has the largest ones."""
        op = self.operator.declared(name.removesuffix(SUFFIX))

        def plan(call: Op, builder: PlanBuilder) -> None:
            for length, values in self.lengths(Arguments(call, builder.soc)).items():
                call.__dict__[length] = IntArray(tuple(values))
            self.operator.add_steps(call, builder)

        first = first_phase(op, plan, decide)
        first.__module__ = self.body.__module__
        parameters = (*((param.printed, param.ctype) for param in op.params), *OUT_POINTERS)
        doc = f"{self.doc}\n\n{first_doc(op)}"
        declared = CFunction(name, op.header, c.of(c.aclnnStatus), parameters, doc, closes=False)
        function = expose(declared, first, with_machine=True)
        function.level = level(name)
        return function


def largest_workspace(operator: Operator, lengths: Lengths) -> LargestWorkspace:
    """Declare the function of an operator that asks for the largest workspace."""
    names = tuple(f"{name}{SUFFIX}" for name in operator.names)
    return LargestWorkspace(names, operator.relations, lengths, operator=operator, lengths=lengths)
