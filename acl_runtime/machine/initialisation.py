"""The state of aclInit: the number of calls, the configuration, and the callbacks that it runs."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from threading import get_ident

from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_INTERNAL_ERROR,
    ACL_ERROR_INVALID_PARAM,
    ACL_ERROR_REPEAT_FINALIZE,
    ACL_ERROR_REPEAT_INITIALIZE,
)
from acl_runtime.machine.configuration import Configuration, configuration, read
from acl_runtime.machine.init_callbacks import Callbacks
from acl_runtime.streams.stream import Stream
from acl_runtime.text import Text


class InitialisationLock:
    """The lock for initialisation and finalisation, "serialised by a recursive lock": other threads wait."""

    def __init__(self) -> None:
        self.owner: int | None = None

    def __str__(self) -> str:
        return Text("the initialisation or finalisation that another thread is at")

    def reached(self) -> bool:
        """True if the calling thread may continue."""
        return self.owner in (None, get_ident())

    def time(self) -> float:
        """Time 0, as initialisation takes no simulated time."""
        return 0.0

    def streams(self) -> Iterable[Stream]:
        """No streams, as initialisation needs none."""
        return ()


class Initialisation:
    """The counter of aclInit and the configuration of the process."""

    def __init__(self) -> None:
        self.count = 0
        self.site = ""
        """the line of the first aclInit"""
        self.turn = InitialisationLock()
        self.configuration = Configuration()
        self.on_init = Callbacks()
        self.on_finalize = Callbacks()
        self._finalised: bool = False
        self._text: str | None = None
        """the configuration of the first successful aclInit"""

    @property
    def errors_per_process(self) -> bool:
        """True if all threads share one error record."""
        return self.configuration.errors_per_process

    @property
    def default_device(self) -> int | None:
        """The device of threads that have no context."""
        return self.configuration.default_device

    @contextmanager
    def begin(self, path: str | None, site: str, devices: int) -> Generator[Configuration, None, None]:
        """The block of an aclInit. Inside the block the process is initialised; an exception there undoes this.

        "Called again while initialised: counter + 1, returns 100002 [...] nothing is added to the error text"."""
        if self.count:
            self.count += 1
            raise AclError(ACL_ERROR_REPEAT_INITIALIZE)
        configured = self._configured(path, devices)
        previous, finalised = self.configuration, self._finalised
        self.configuration, self.count, self._finalised = configured, 1, False
        try:
            yield configured
        except BaseException:
            self.configuration, self.count, self._finalised = previous, 0, finalised
            raise
        self._text, self.site = configured.text, self.site or site

    def _configured(self, path: str | None, devices: int) -> Configuration:
        text = read(path)
        settings = configuration(path, text, devices)
        if self._text is not None and text != self._text:  # "No path and an empty file count as the empty text"
            reason = "it differs from the configuration of the first aclInit, which holds for the life of the process"
            raise AclError(ACL_ERROR_INVALID_PARAM, Item("EH0004", (path or "(none)", reason)))
        if not devices:
            raise AclError(ACL_ERROR_INTERNAL_ERROR, Item("EH9999", ("there is no known chip: the host has no NPU",)))
        return settings

    def end(self) -> None:
        """Undo all calls of aclInit, for aclFinalize. Without aclInit it "succeeds (0) the first time"."""
        if self._finalised:
            raise _finalised_already()
        self.count, self._finalised = 0, True

    def end_one(self) -> bool:
        """Undo one call of aclInit, for aclFinalizeReference; True for the last call. "Count 0: 100037"."""
        if not self.count:
            raise _finalised_already()
        if self.count > 1:
            self.count -= 1
            return False
        self.end()
        return True


def _finalised_already() -> AclError:
    text = "aclFinalize has nothing to undo: there was no aclInit since the last one"
    return AclError(ACL_ERROR_REPEAT_FINALIZE, Item("EH9999", (text,)))
