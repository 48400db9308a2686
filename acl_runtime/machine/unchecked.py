"""The statuses of failed calls that the program has not looked at yet: at the end, the finding `ignored-ret`."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any, Final, NamedTuple

from acl_runtime.machine.findings import Allowance, Findings
from acl_runtime.machine.site import here
from acl_runtime.statuses import Status

MOST: Final = 10_000
"""ours: a program that never looks must not fill the memory"""


def _looking(method: Callable[..., Any]) -> Any:
    """The method, which tells each status it meets that it was looked at."""

    def looks(*statuses: Any) -> Any:
        for each in statuses:
            if isinstance(each, Returned):
                each.looked_at()
        return method(*statuses)

    return looks


class Returned(Status):
    """The status of one failed call. Whatever asks for its value through a method of its type has looked at it: all
    that is below. Python reads the digits of an `int` without asking in `"%d" % status`, `table[status]`,
    `Enum.MEMBER == status`, json, struct and ctypes; no class can see that."""

    def __new__(cls, status: int, looked_at: Callable[[], object]) -> "Returned":
        made = super().__new__(cls, status)
        made.looked_at = looked_at
        return made

    looked_at: Callable[[], object]

    # to compare: the reflected method comes first for a subclass, so `ACL_SUCCESS == status` gets here as well
    __eq__ = _looking(int.__eq__)
    __ne__ = _looking(int.__ne__)
    __lt__ = _looking(int.__lt__)
    __le__ = _looking(int.__le__)
    __gt__ = _looking(int.__gt__)
    __ge__ = _looking(int.__ge__)
    __hash__ = _looking(int.__hash__)
    # to convert
    __bool__ = _looking(int.__bool__)
    __int__ = _looking(int.__int__)
    __float__ = _looking(int.__float__)
    __round__ = _looking(int.__round__)
    # to show
    __repr__ = _looking(Status.__repr__)
    __str__ = _looking(Status.__str__)
    __format__ = _looking(Status.__format__)
    # to collect, as in `ret |= aclrtFree(x)` and `sum(statuses)`
    __or__ = _looking(int.__or__)
    __ror__ = _looking(int.__ror__)
    __and__ = _looking(int.__and__)
    __rand__ = _looking(int.__rand__)
    __xor__ = _looking(int.__xor__)
    __rxor__ = _looking(int.__rxor__)
    __add__ = _looking(int.__add__)
    __radd__ = _looking(int.__radd__)
    __sub__ = _looking(int.__sub__)
    __rsub__ = _looking(int.__rsub__)
    __mul__ = _looking(int.__mul__)
    __rmul__ = _looking(int.__rmul__)
    __floordiv__ = _looking(int.__floordiv__)
    __rfloordiv__ = _looking(int.__rfloordiv__)
    __truediv__ = _looking(int.__truediv__)
    __rtruediv__ = _looking(int.__rtruediv__)
    __mod__ = _looking(int.__mod__)
    __rmod__ = _looking(int.__rmod__)
    __divmod__ = _looking(int.__divmod__)
    __rdivmod__ = _looking(int.__rdivmod__)
    __pow__ = _looking(int.__pow__)
    __rpow__ = _looking(int.__rpow__)
    __neg__ = _looking(int.__neg__)
    __pos__ = _looking(int.__pos__)
    __abs__ = _looking(int.__abs__)
    __invert__ = _looking(int.__invert__)

    def __reduce_ex__(self, protocol: Any) -> tuple[type[Status], tuple[int]]:
        """A copy, or what goes to another process, is a plain status: who gets it may look there."""
        return Status, (int(self),)


class FailedCall(NamedTuple):
    """A call whose status nobody has looked at."""

    function: str
    site: str
    status: Status
    allowance: Allowance | None
    """that of the time of the call"""


class Unchecked:
    """The failures of a machine that nobody has looked at, in order; the oldest 10,000."""

    def __init__(self) -> None:
        self._pending: dict[int, FailedCall] = {}
        self._numbers = count()

    def returned(self, function: str, status: int, allowance: Allowance | None) -> Status:
        """What a failed call returns: a status that remembers whether it was looked at. No lock is needed for that,
        as one operation on a dict is not interrupted."""
        if len(self._pending) >= MOST:
            return Status(status)
        number = next(self._numbers)
        self._pending[number] = FailedCall(function, here(), Status(status), allowance)
        return Returned(status, partial(self._pending.pop, number, None))

    def tell(self, findings: Findings) -> None:
        """The machine ends: a finding for each line and function, with the statuses that it ignored."""
        groups: dict[tuple[str, str], Counter[Status]] = {}
        for failure in list(self._pending.values()):
            if failure.allowance is not None:
                failure.allowance.meet()
            else:
                groups.setdefault((failure.function, failure.site), Counter())[failure.status] += 1
        for (function, site), statuses in groups.items():
            several = statuses.total() > 1
            listed = ", ".join(
                f"{times} x {status!r}" if several else repr(status) for status, times in statuses.items()
            )
            what = f"{function} returned {listed}, and nobody looked at {'them' if several else 'it'}."
            findings.add("ignored-ret", what, call=function, site=site)
