"""The base class of the objects behind handles."""

from types import CodeType

from acl_runtime.errors import Past
from acl_runtime.source.frames import site_of, trail
from acl_runtime.source.site import Site, Trail
from acl_runtime.text import Text


class Thing:
    """The base class of all objects with a handle. It keeps where the object was created and destroyed."""

    kind = Text("object")
    destroyer = ""
    """the C function that destroys it"""
    renamed = False
    """True if its text changes after it was destroyed. The text is kept when that happens"""
    number = 0
    ordinal = 0
    taint: frozenset[str] | set[str] = frozenset()
    """the findings that were reported about it, as `checks.consequences` marks them"""
    gone: tuple[str, str, Trail] | None = None
    """the text if `renamed`, the verb for its end, and the trail of that; None while it lives"""
    native = False
    """True if the library of a C program made the handle"""
    _ended = ""
    _end: Past | None = None

    def __init__(self, creation: Trail | None = None) -> None:
        self._made = trail() if creation is None else creation

    def __str__(self) -> str:
        return self.kind + f" {self.ordinal}"  # to format a `Text` costs a call

    @property
    def label(self) -> str:
        """The name in a trace."""
        return str(self)

    @property
    def made(self) -> Site:
        """The place where it was created."""
        return site_of(self._made)

    @property
    def origin(self) -> object:
        """A key that is equal for objects of one loop: the trail to the line that created it. The object itself in C,
        where only one line is known, which may be a constructor that creates all objects of a kind."""
        return self._made if self._made and isinstance(self._made[0], CodeType) else self

    @property
    def ended(self) -> str:
        """`destroyed at FILE:LINE`; empty while it lives."""
        return f"{self.gone[1]} at {site_of(self.gone[2])}" if self.gone is not None else self._ended

    @ended.setter
    def ended(self, verb: str) -> None:
        self._ended = verb

    @property
    def end(self) -> Past | None:
        """The end as the history of a finding; None while it lives."""
        if self.gone is None:
            return self._end
        name, verb, trail = self.gone
        return Past(Text("{thing} was {how}", thing=name or self, how=verb), site_of(trail))

    @end.setter
    def end(self, past: Past) -> None:
        self._end = past

    def ends(self, end: tuple[str, str, Trail]) -> None:
        """Remember its end, an empty name with verb and trail; the text is made lazily."""
        self.gone = (str(self), *end[1:]) if self.renamed else end

    def past(self) -> tuple[Past, ...]:
        """The history for a finding: where it was created, and its end if it has one."""
        creation, end = Past(Text("{thing} was created", thing=self), self.made), self.end
        return (creation,) if end is None else (creation, end)

    def history(self) -> str:
        """The history in one text: `created at FILE:LINE, destroyed at FILE:LINE`."""
        return f"created at {self.made}" + (f", {self.ended}" if self.ended else "")
