"""The checks that listen to a machine, in their order. A new check is a new module, and a line here.

With `Machine(checks=False)` only the two listeners remain that find failures which the program ignored. Only reads of
an error text or of the last status are announced to them.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from acl_runtime.checks.access_listeners import AccessAnnouncer
from acl_runtime.checks.consequences import Consequences
from acl_runtime.checks.copies.copy_remarks import CopyRemarks
from acl_runtime.checks.copies.host_dtype import HostDtype
from acl_runtime.checks.formats.format_mismatch import FormatMismatch
from acl_runtime.checks.host_access.watches import EarlyReads, HostAccess
from acl_runtime.checks.lifetime.churn import Churn
from acl_runtime.checks.lifetime.model_memory import ModelMemory
from acl_runtime.checks.lifetime.teardown_order import Teardown
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.early_shapes import EarlyShapes
from acl_runtime.checks.races.event_reset import EventReset
from acl_runtime.checks.races.happens_before import HappensBefore
from acl_runtime.checks.races.races import Races
from acl_runtime.checks.races.repeated_models import RepeatedModels
from acl_runtime.checks.races.update_order import UpdateOrder
from acl_runtime.checks.uninitialised.unwritten import Uninitialised
from acl_runtime.streams.announcements import Announcer, Listener
from acl_runtime.streams.stream import Stream


class Listening(NamedTuple):
    """The parts of the checks that a machine uses."""

    consequences: Consequences
    order: HappensBefore
    """the vector clocks; they stay empty without checks"""
    teardown: Teardown
    announce: Announcer
    """makes the announcements to the listeners"""


def listening(
    machine: CheckedMachine, streams: Callable[[], Iterable[Stream]], statuses: tuple[Listener, ...], *, on: bool
) -> Listening:
    """The checks of a machine, in the order in which they get announcements. Checks of statuses always get them, the
    others if `on`."""
    order = HappensBefore(machine)
    consequences = Consequences(machine, streams)
    teardown = Teardown(machine)
    if not on:
        return Listening(consequences, order, teardown, Announcer(statuses))
    host = HostAccess(machine, order)
    access_listeners = (
        Races(machine, order), EventReset(machine), Uninitialised(machine), HostDtype(machine), FormatMismatch(machine),
        host,
    )  # fmt: skip
    memory = ModelMemory(machine)
    order.announce = AccessAnnouncer((UpdateOrder(machine, order), memory, *access_listeners))
    consequences.changed = host.changed
    remarks = EarlyShapes(machine, order), CopyRemarks(machine), Churn(machine)
    models = memory, RepeatedModels(order)
    listeners = (*models, order, EarlyReads(host), *access_listeners, consequences, teardown, *remarks, *statuses)
    return Listening(consequences, order, teardown, Announcer(listeners))
