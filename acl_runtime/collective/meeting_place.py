"""The port of collective communication: the place where ranks find each other.

The functions of HCCL and the tasks in streams use a `MeetingPlace`. `local_place.LocalPlace` is the place of ranks that
are threads of this process. A place for ranks of several processes has the same methods; it adds to the following:

Ranks. `Ranks.members` has a `Peer` for each rank that has joined. A rank of another process answers `waits`, `alive`,
`excused`, `last_calls` and `chip` from what its messages said. A rank that left is in `Ranks.left`.

Operations. The ranks of one operation find each other by the communicator and by a key of integers, which each rank
counts on its own: `(number,)`, or `(sender, receiver, number)`. A rank of another process is a party of the meeting
from the message on with which it arrived (`LocalPlace.enter` with `peers.Arrived`).

Arrival and demand. A rank arrives when its stream has reached the operation. The stream gets there only if something
needs it: under `late`, a wait of the host. So `arrived` is called once, under the machine's lock, when this rank needs
the others, and its bytes do not change any more. That is the moment to send the request (`Request.packed`) and the
bytes (`Request.send`). The message is also the demand: the receiver runs its own streams up to the meeting
(`scheduler.advance(meeting.sources)`), and remembers the demand for a call that comes later.

Bytes. `Request.send` of a rank of another process has the bytes that its message brought (`buffers.Received`), and its
`Request.recv` is None. The steps of the meeting write the results of the ranks of this process; then `over` is called.

Failures that are found later. A message may bring bad news: requests that differ, a process that died. The place then
calls `Ranks.break_` with a `Trouble` (or sets `Ranks.refused`, before all ranks have joined), and
`scheduler.happened`. The next call or task that depends on it reports the trouble, once, and fails. Meetings that were
complete before still take place. `Meeting.fail` does the same for one meeting, without a finding.

Waiting. No local thread may be able to help a rank that waits for another process. `Peer.alive` keeps such a wait from
being a deadlock until the time-outs of HCCL; `Ranks.elsewhere` does the same for ranks that have not joined.
"""

from typing import Protocol

from acl_runtime.collective.meeting import Keeper
from acl_runtime.collective.operation import Entrance
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.settings import Settings
from acl_runtime.streams.stream import Device


class MeetingPlace(Entrance, Keeper, Protocol):
    """All communicators of a machine. `Entrance` is what the tasks in streams need, `Keeper` what meetings need. Each
    method is called under the machine's lock."""

    def root_info(self) -> bytes:
        """New root information: bytes that the program gives to all ranks of one communicator."""
        ...

    def join(self, root: bytes, size: int, rank: int, device: Device, settings: Settings) -> Communicator:
        """Register a rank. Its communicator is complete when all ranks have joined; `wait_for` waits for that."""
        ...

    def wait_for(self, communicator: Communicator) -> None:
        """Let the host wait until all ranks have joined; an error if they do not."""
        ...

    def open(
        self, identity: str, size: int, rank: int, device: Device, settings: Settings, ids: tuple[int, ...] = ()
    ) -> Communicator:
        """The communicator of a rank, without a wait, as all ranks are known. The n-th one with this identity belongs
        to the n-th of each other rank. `ids`: the ranks of the communicator of which it is a part."""
        ...

    def alone(self, devices: list[Device]) -> list[Communicator]:
        """The communicators of all ranks, one for each device."""
        ...

    def leave(self, communicator: Communicator) -> None:
        """A rank of this process has destroyed its communicator: operations that wait for it never take place."""
        ...

    # the end of the machine

    def end(self) -> None:
        """Leave the other processes."""
        ...

    def forked(self) -> None:
        """Close what only the parent of this forked process needs."""
        ...
