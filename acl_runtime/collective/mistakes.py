"""The findings of collective communication, and the faults of the tasks that they leave behind."""

from collections.abc import Sequence
from typing import Final, NoReturn

from acl_runtime.collective.meeting import Meeting
from acl_runtime.collective.ports import CollectiveMachine
from acl_runtime.collective.ranks import Communicator, Ranks
from acl_runtime.collective.requests import Request
from acl_runtime.errors import AclError, DeviceFault, Past
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_FFTS_PLUS_TIMEOUT
from acl_runtime.streams.stream import Task
from acl_runtime.text import Text

MISMATCH: Final = "collective-mismatch"
ABSENT: Final = "collective-absent"


def fault(machine: CollectiveMachine, ranks: Ranks, reason: Text | None = None) -> DeviceFault:
    """The fault of a task whose meeting does not take place. It is a consequence of the finding that broke the
    communicator, if there is one."""
    if reason is not None:
        return DeviceFault(ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, Item("EI0002", (reason,)))
    assert ranks.broken is not None
    error = DeviceFault(ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, ranks.broken)
    machine.consequences.taint(error, ranks.finding)
    return error


def absent(machine: CollectiveMachine, operation: Task, meeting: Meeting, missing: Sequence[int]) -> DeviceFault:
    """Report ranks that never come to an operation; the fault of the operation."""
    ranks = meeting.ranks
    came = sorted({party.request.rank for party in meeting.parties.values()})
    names = Text.chain("{one}, {others}", [str(rank) for rank in missing])
    what = Text(
        "{operation} in {stream} waits for rank {missing} of {ranks}, which never comes to it; ranks that came: "
        "{came}.",
        operation=operation.name,
        stream=operation.stream,
        missing=names,
        ranks=ranks,
        came=", ".join(map(str, came)),
    )
    broken = ranks.broken is not None
    break_(ranks, ABSENT, Item("EI0002", (what,)))
    if not broken:
        stories = [member.story() for rank in missing if (member := ranks.members.get(rank)) is not None]
        callers = [party.request.past() for party in meeting.parties.values()]
        machine.undefined(ABSENT, what, *callers, *stories)
    return fault(machine, ranks)


def never_joined(machine: CollectiveMachine, ranks: Ranks) -> AclError:
    """Report ranks that did not join a communicator; the error of the call of a rank that did."""
    missing = ", ".join(map(str, ranks.missing()))
    what = Text(
        "{ranks} has {size} ranks, and rank {missing} did not join it; ranks that came: {came}.",
        ranks=ranks,
        size=ranks.size,
        missing=missing,
        came=", ".join(map(str, sorted(ranks.members))),
    )
    first = ranks.refused is None
    ranks.refused = ranks.refused or Item("EI0015", (what,))
    ranks.finding = ABSENT
    if first:
        machine.undefined(ABSENT, what, *(member.creation for member in ranks.members.values()))
    return refusal(machine, ranks, HcclResult.HCCL_E_TIMEOUT)


def refusal(machine: CollectiveMachine, ranks: Ranks, status: int = HcclResult.HCCL_E_PARA) -> AclError:
    """The error of a rank whose communicator cannot be made."""
    assert ranks.refused is not None
    error = AclError(status, ranks.refused)
    if ranks.finding:
        machine.consequences.taint(error, ranks.finding)
    return error


def differing_ranks(machine: CollectiveMachine, communicator: Communicator, other: Ranks, what: Text) -> NoReturn:
    """Report ranks that disagree when they join one communicator."""
    text = Text(
        "{communicator} is created with another {what} than the ranks before.", communicator=communicator, what=what
    )
    other.refused, other.finding = Item("EI0005", (text,)), MISMATCH
    machine.undefined(MISMATCH, text, communicator.creation, *(each.creation for each in other.members.values()))
    raise refusal(machine, other)


def mismatch(machine: CollectiveMachine, meeting: Meeting, first: Request, second: Request, what: Text) -> NoReturn:
    """Report two ranks whose requests differ. The second call has no effect, and the communicator is broken."""
    low, high = sorted((first, second), key=lambda request: request.rank)
    ranks = meeting.ranks
    text = Text(
        "ranks {first} and {second} of {ranks} meet with different operations: rank {first} calls {one}, rank {second} "
        "calls {other}; {difference} differs.",
        first=low.rank,
        second=high.rank,
        ranks=ranks,
        one=low.text(),
        other=high.text(),
        difference=what,
    )
    broken = ranks.broken is not None
    break_(ranks, MISMATCH, Item("EI0005", (text,)))
    machine.scheduler.happened()
    if not broken:
        machine.undefined(MISMATCH, text, low.past(), high.past())
    assert ranks.broken is not None
    error = AclError(HcclResult.HCCL_E_PARA, ranks.broken)
    machine.consequences.taint(error, ranks.finding)
    raise error


def break_(ranks: Ranks, id: str, reason: Item) -> None:
    """No operation of these ranks can succeed any more."""
    if ranks.broken is None:
        ranks.broken, ranks.finding = reason, id


def foreign(machine: CollectiveMachine, communicator: Communicator, what: Text, *history: Past) -> AclError:
    """Report a stream or memory of another device than the communicator's; the error of the call."""
    machine.undefined("comm-foreign", what, *history, communicator.creation)
    error = AclError(HcclResult.HCCL_E_PARA, Item("EI9999", (what,)))
    machine.consequences.taint(error, "comm-foreign")
    return error
