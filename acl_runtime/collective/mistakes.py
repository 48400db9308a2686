"""The findings of collective communication, and the errors of the calls and tasks that they concern."""

from collections.abc import Sequence
from typing import Final

from acl_runtime.collective.meeting import Meeting
from acl_runtime.collective.peers import Peer
from acl_runtime.collective.ports import CollectiveMachine
from acl_runtime.collective.ranks import Communicator, Ranks, Trouble
from acl_runtime.collective.requests import Request
from acl_runtime.errors import AclError, DeviceFault, Past
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_FFTS_PLUS_TIMEOUT
from acl_runtime.streams.stream import Task
from acl_runtime.text import Text

MISMATCH: Final = "collective-mismatch"
ABSENT: Final = "collective-absent"
LISTED: Final = 16
"""the most ranks in a text"""


def report(machine: CollectiveMachine, trouble: Trouble) -> None:
    """Report a trouble, if nobody has done it."""
    if trouble.finding and not trouble.reported:
        trouble.reported = True
        machine.undefined(trouble.finding, trouble.what, *trouble.history)


def fault(machine: CollectiveMachine, trouble: Trouble) -> DeviceFault:
    """The fault of a task whose meeting does not take place. It is a consequence of the finding."""
    report(machine, trouble)
    error = DeviceFault(ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, trouble.item)
    if trouble.finding:
        machine.consequences.taint(error, trouble.finding)
    return error


def refusal(machine: CollectiveMachine, trouble: Trouble) -> AclError:
    """The error of a call. It is a consequence of the finding."""
    report(machine, trouble)
    error = AclError(trouble.status, trouble.item)
    if trouble.finding:
        machine.consequences.taint(error, trouble.finding)
    return error


def absent(operation: object, stream: object, meeting: Meeting, missing: Sequence[int]) -> Trouble:
    """The trouble that ranks never come to an operation."""
    ranks = meeting.ranks
    came = sorted({party.request.rank for party in meeting.parties.values()})
    what = Text(
        "{operation} in {stream} waits for rank {missing} of {ranks}, which never comes to it; ranks that came: "
        "{came}.",
        operation=operation,
        stream=stream,
        missing=_listed(missing),
        ranks=ranks,
        came=_listed(came),
    )
    members = [ranks.members[rank] for rank in missing if rank in ranks.members]
    excused = len(members) == len(missing) and all(member.excused(meeting.key) for member in members)
    callers = [party.request.past() for party in meeting.parties.values()]
    last = [past for member in members for past in member.last_calls()]
    return Trouble("EI0002", what, "" if excused else ABSENT, (*callers, *last))


def never_joined(ranks: Ranks) -> Trouble:
    """The trouble that ranks did not join a communicator."""
    what = Text(
        "{ranks} has {size} ranks, and rank {missing} did not join it; ranks that came: {came}.",
        ranks=ranks,
        size=ranks.size,
        missing=_listed(ranks.missing()),
        came=_listed(sorted(ranks.members)),
    )
    return Trouble("EI0015", what, ABSENT, _creations(ranks), HcclResult.HCCL_E_TIMEOUT)


def ended_before(ranks: Ranks, rank: int, pid: int) -> Trouble:
    """The trouble that a process has ended, or given up, before all ranks had joined."""
    what = Text(
        "process {pid} of rank {rank} has left {ranks} before all of its ranks had joined.",
        pid=pid,
        rank=rank,
        ranks=ranks,
    )
    return Trouble("EI0015", what, ABSENT, _creations(ranks), HcclResult.HCCL_E_TIMEOUT)


def root_gone(ranks: Ranks) -> Trouble:
    """The trouble that nobody waits for ranks with a root information."""
    what = Text(
        "{ranks} cannot be made: the process that made its root information has ended, or all ranks have joined.",
        ranks=ranks,
    )
    return Trouble("EI0015", what, ABSENT, _creations(ranks), HcclResult.HCCL_E_TCP_CONNECT)


def differing_ranks(communicator: Peer, ranks: Ranks, what: Text) -> Trouble:
    """The trouble that ranks disagree when they join one communicator."""
    text = Text(
        "{communicator} is created with another {what} than the ranks before.", communicator=communicator, what=what
    )
    return Trouble("EI0005", text, MISMATCH, (communicator.creation, *_creations(ranks)))


def mismatch(meeting: Meeting, first: Request, second: Request, what: Text) -> Trouble:
    """The trouble that the requests of two ranks differ."""
    ranks = meeting.ranks
    low, high = sorted((first, second), key=lambda request: request.rank)
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
    members = [ranks.members[request.rank] for request in (low, high) if request.rank in ranks.members]
    excused = any(member.excused(meeting.key) for member in members)
    return Trouble("EI0005", text, "" if excused else MISMATCH, (low.past(), high.past()))


def destroyed(communicator: Communicator, operation: Task) -> Trouble:
    """The trouble that an operation is launched, perhaps by a model, whose communicator was destroyed."""
    what = Text(
        "{operation} uses {communicator}, which was destroyed.", operation=operation.name, communicator=communicator
    )
    if operation.execution is not None:
        what = Text(
            "{operation} of {model} uses {communicator}, which was destroyed.",
            operation=operation.name,
            model=operation.execution.model,
            communicator=communicator,
        )
    return Trouble("EI9999", what, "dead-handle", (operation.past(), *communicator.past()))


def foreign(machine: CollectiveMachine, communicator: Communicator, what: Text, *history: Past) -> AclError:
    """Report a stream or memory of another device than the communicator's; the error of the call."""
    machine.undefined("comm-foreign", what, *history, communicator.creation)
    error = AclError(HcclResult.HCCL_E_PARA, Item("EI9999", (what,)))
    machine.consequences.taint(error, "comm-foreign")
    return error


def two_streams(machine: CollectiveMachine, communicator: Communicator, operation: Task, other: Task) -> None:
    """Report two operations of one communicator that no event orders, once for each communicator."""
    if machine.consequences.first("comm-two-streams", communicator):
        what = Text(
            "{operation} in {stream} and {other} in {second} use {communicator}, and may run at the same time.",
            operation=operation.name,
            stream=operation.stream,
            other=other.name,
            second=other.stream,
            communicator=communicator,
        )
        machine.undefined("comm-two-streams", what, other.past())


def in_capture(machine: CollectiveMachine, capture: object, communicator: Communicator | None = None) -> None:
    """Report a communicator that is made, or called for the first time, during a capture."""
    call = machine.thread().call
    if communicator is None:
        what = Text("{call} makes a communicator during {capture}.", call=call, capture=capture)
        machine.undefined("comm-in-capture", what)
    elif machine.consequences.first("comm-in-capture", communicator):
        what = Text(
            "{call} is the first operation of {communicator}, and is called during {capture}.",
            call=call,
            communicator=communicator,
            capture=capture,
        )
        machine.undefined("comm-in-capture", what, communicator.creation)


def invalid(
    machine: CollectiveMachine, parameter: str, expected: str, value: object = "the given bytes",
    status: int = HcclResult.HCCL_E_PARA,
) -> AclError:  # fmt: skip
    """The error for an argument of the running call."""
    return AclError(status, Item("EI0003", (machine.thread().call, value, parameter, expected)))


def _creations(ranks: Ranks) -> tuple[Past, ...]:
    return tuple(member.creation for member in ranks.members.values())


def _listed(ranks: Sequence[int]) -> str:
    """Numbers of ranks for a text."""
    return ", ".join(map(str, ranks[:LISTED])) + (", ..." if len(ranks) > LISTED else "")
