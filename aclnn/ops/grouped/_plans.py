"""The plan of grouped products whose groups a tensor has: a step that checks the groups, and the products."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from aclnn.op import Kernel, Operand, Planning
from aclnn.ops.grouped._kernels import by_groups, check_groups

Lists = Mapping[str, Sequence[Operand]]
"""the weights, and then the tensors of other roles, by role"""


def present(lists: Lists) -> Lists:
    """The lists that have tensors."""
    return {role: tensors for role, tensors in lists.items() if tensors}


def roles(lists: Lists) -> tuple[str, ...]:
    """The roles besides the weights."""
    return tuple(lists)[1:]


def plan_groups(
    p: Planning, x: Operand, groups: Operand, lists: Lists, outputs: Sequence[Operand], kernel: Kernel,
    attributes: Mapping[str, Any], *, name: str, kind: int, number: int,
) -> None:  # fmt: skip
    """Plans the products of the groups of rows of x. One output is for all groups; of several, each is for one.
    `attributes`: those of the kernel. `name`: the parameter that has the groups. `kind`: its groupListType. `number`:
    the number of groups."""
    p.builder.launch(check_groups, [groups], [], name=name, kind=kind, count=x.shape[0], number=number)
    tensors = list(lists.values())
    inputs = [x, groups, *chain(*tensors)]
    for index, target in enumerate(outputs):
        p.builder.launch(
            by_groups, inputs, [target], kind=kind, sizes=tuple(map(len, tensors)),
            stacked=len(tensors[0][0].shape) == 3, names=roles(lists), matrix=kernel, attributes=attributes,
            only=index if len(outputs) > 1 else None,
        )  # fmt: skip
