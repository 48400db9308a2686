"""Which checks listen to a machine. A new one is a module of its own, and a line here."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from acl_runtime.checks.consequences import Consequences
from acl_runtime.checks.copies.copy_remarks import CopyRemarks
from acl_runtime.checks.copies.host_dtype import HostDtype
from acl_runtime.checks.host_access.watches import HostAccess
from acl_runtime.checks.lifetime.churn import Churn
from acl_runtime.checks.lifetime.teardown_order import Teardown
from acl_runtime.checks.ports import Scene
from acl_runtime.checks.races.event_reset import EventReset
from acl_runtime.checks.races.happens_before import HappensBefore
from acl_runtime.checks.races.races import Races
from acl_runtime.checks.uninitialised.unwritten import Uninitialised
from acl_runtime.checks.uses import Uses
from acl_runtime.streams.events import Events
from acl_runtime.streams.stream import Stream


class Listening(NamedTuple):
    """What a machine keeps of its checks."""

    consequences: Consequences
    order: HappensBefore
    """what is ordered before what; it knows nothing without the checks"""
    teardown: Teardown
    events: Events
    """announces what happens"""


def listening(scene: Scene, streams: Callable[[], Iterable[Stream]], *, on: bool) -> Listening:
    """The checks of a machine, in the order in which they hear what happens; none unless they are `on`."""
    order = HappensBefore(scene)
    consequences = Consequences(scene, order, streams)
    teardown = Teardown(scene, consequences)
    if not on:
        return Listening(consequences, order, teardown, Events())
    host = HostAccess(scene, order)
    uses = Races(scene, order), EventReset(scene), Uninitialised(scene), HostDtype(scene), host
    order.uses, consequences.changed = Uses(uses), host.changed
    listeners = (order, *uses, teardown, CopyRemarks(scene), Churn(scene))
    return Listening(consequences, order, teardown, Events(listeners))
