"""The communicators that arguments name: the groups of operators that compute and communicate."""

from collections.abc import Hashable, Sequence
from typing import Any

from acl_runtime.collective.ranks import Communicator
from acl_runtime.machine.current import current
from aclnn.engine.arguments import Arguments
from aclnn.engine.declaration import Op


def group_of(a: Arguments, name: str) -> Communicator | None:
    """The communicator of the current device whose name an argument has; None if there is none. Without a context all
    devices are searched."""
    return _named(a[name])


def groups_of(op: type[Op], arguments: Sequence[Any]) -> tuple[Hashable, ...]:
    """The communicators that a call names, for the keys of caches: another communicator may get the same name later."""
    return tuple([_named(arguments[place]) for place in op.group_places])


def _named(name: str | None) -> Communicator | None:
    if name is None:
        return None
    from acl_runtime.api.hccl.checks import communicator_named  # late: few programs have ranks

    context = current().find_context()  # a later check refuses a call without a context
    return communicator_named(name, None if context is None else context.device)
