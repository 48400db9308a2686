"""hccl/hccl_comm.h: calls that belong together."""

from collections.abc import Callable

import acl_runtime.abi.c as c
from acl_runtime.api.hccl.checks import not_null, refuse
from acl_runtime.api.hccl.launching import Group, group
from acl_runtime.boundary import acl_api
from acl_runtime.collective.operation import Operation
from acl_runtime.errors import AclError, UndefinedBehaviour
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.machine.current import current

HEADER = "hccl/hccl_comm.h"


@acl_api(HEADER, pyacl=None)
def HcclGroupStart() -> c.HcclResult:
    """Begin a group of calls of this thread. Its communicators are made, and its operations meet other ranks, when the
    group ends. Groups may be nested; the outermost one counts.

    Returns:
        HCCL_SUCCESS: always.
    """
    running = group()
    if running is None:
        running = current().thread().group = Group()
    running.depth += 1


@acl_api(HEADER, resource=True, pyacl=None)
def HcclGroupEnd() -> c.HcclResult:
    """End the group of this thread. The operations of all ranks begin in the order of falling size, those with blocks
    of different sizes last. They do not wait for each other.

    Returns:
        HCCL_SUCCESS: ended.
        HCCL_E_NOT_SUPPORT: the thread is in no group.
        HCCL_E_PARA: the ranks ask for different things, or a communicator cannot be made.
        HCCL_E_TIMEOUT: a rank does not join a communicator in time.
    """
    running = group()
    if running is None:
        raise refuse(0, "depth", "HcclGroupStart before", HcclResult.HCCL_E_NOT_SUPPORT)
    running.depth -= 1
    if not running.depth:
        current().thread().group = None
        _run(running)


@acl_api(HEADER, pyacl=None)
def HcclGroupStatusGet(isGroup: c.bool_p) -> c.HcclResult:
    """Query whether this thread is in a group.

    Returns:
        HCCL_SUCCESS: written.
        HCCL_E_PTR: `isGroup` is null.
    """
    not_null(isGroup=isGroup)
    isGroup.store(group() is not None)


def _run(running: Group) -> None:
    """Begin all that the calls of a group left for its end. A call that fails does not keep back the others."""
    machine, failures = current(), list[BaseException]()
    for operation in sorted(running.operations, key=_order):
        operation.enter()
    running.scope.closed = True
    for operation in running.operations:
        _succeeds(operation.check, failures)
    machine.announce.met()
    machine.scheduler.happened()
    machine.scheduler.run_idle()
    begun = [later for later in running.later if _succeeds(later.begin, failures)]
    for later in begun:
        _succeeds(later.finish, failures)
    if failures:
        raise failures[0]


def _succeeds(step: Callable[[], None], failures: list[BaseException]) -> bool:
    try:
        step()
    except (AclError, UndefinedBehaviour) as error:
        failures.append(error)
        return False
    return True


def _order(operation: Operation) -> tuple[bool, int]:
    """A key for sorting: falling size; blocks of different sizes last; transfers stay in order."""
    kind, _, request = operation.items[0]
    varying = bool(request.sends or request.receives or kind)
    return varying, 0 if varying else -request.count * request.size
