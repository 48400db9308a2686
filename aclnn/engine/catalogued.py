"""Documented functions without a formula. Their first phase checks the call by the catalogue. Their launch returns
561003, because there is no kernel. A user can provide a kernel (`aclnn.engine.kernels`).

The checks are null pointers, the product, and the relations that the facts state (`aclnn.engine.words.stated`). The
relations of a contract (`aclnn.ops.contracts`), which the facts cannot state, come last.
"""

from collections.abc import Sequence
from typing import Final

from acl_runtime.headers.statuses import ACLNN_ERR_INNER_FIND_KERNEL_ERROR
from aclnn.catalogue.facts import facts
from aclnn.engine.on_host.function import HostCall, HostFunction
from aclnn.engine.op_errors import without_kernel
from aclnn.engine.operator import Operator
from aclnn.engine.relation import Relation
from aclnn.engine.words.stated import relations

DOC: Final = (
    "This emulator has no kernel for {0}, so its launch fails. `aclnn docs my-operator-is-missing` shows how\n"
    'to give it one: @aclnn.kernel("{0}") above a function of numpy arrays, or machine.kernels["{0}"] = function.'
)


def doc(name: str) -> str:
    """The docstring of a documented function without a formula."""
    return (unknown.__doc__ or "") if facts(name).phases == 1 else DOC.format(name)


def catalogued(name: str, contract: Sequence[Relation] = ()) -> Operator | HostFunction:
    """The functions of a documented name, without a kernel. `contract` has relations that the facts do not state."""
    its_facts = facts(name)
    if its_facts.phases == 1:
        return HostFunction((name,), tuple(relations(its_facts)), unknown, ACLNN_ERR_INNER_FIND_KERNEL_ERROR)
    return Operator((name,), (*relations(its_facts), *contract), None, doc(name), __name__)


def unknown(call: HostCall) -> None:
    """This emulator does not compute the results of this function: it only has its interface."""
    raise without_kernel(call.machine, call.op.c_name(), first_only=True)
