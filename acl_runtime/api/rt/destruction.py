"""Announcements around the destruction of an object."""

from collections.abc import Generator
from contextlib import contextmanager

from acl_runtime.errors import AclError
from acl_runtime.machine.machine import Machine


@contextmanager
def destroying(machine: Machine, number: int) -> Generator[None]:
    """Announce to the checks that the `with` block destroys the object of this handle; if the block fails, announce
    that too."""
    machine.announce.destroying(number)
    try:
        yield
    except AclError as error:
        machine.announce.not_destroyed(number, error)
        raise
