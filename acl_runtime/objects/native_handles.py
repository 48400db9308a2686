"""The interface to handles that the library of a C program gives out without Python."""

from typing import NamedTuple, Protocol

from acl_runtime.objects.thing import Thing


class Contents(NamedTuple):
    """The contents of the handles of a call, as bytes."""

    key: bytes
    """all that a plan depends on, but the values of scalars"""
    scalars: bytes
    """the values of the scalars"""
    addresses: bytes
    """the addresses of the tensors"""


class NativeHandles(Protocol):
    """The descriptors of the library. They have numbers of the same sequence as the objects of Python."""

    def next_number(self) -> int:
        """A number for an object that Python makes."""
        ...

    def next_ordinal(self, thing: Thing) -> int:
        """The ordinal of an object that Python makes; 0 if the library makes none of its kind."""
        ...

    def end_of_numbers(self) -> int:
        """The number that comes next."""
        ...

    def object(self, number: int) -> Thing | None:
        """An object for the descriptor of a number, alive or destroyed. None if the library has none."""
        ...

    def contents(self, numbers: bytes) -> Contents | None:
        """The contents of these handles, 8 bytes each; None if one is dead, or if the object of a tensor exists."""
        ...

    def makes(self, kind: type[Thing]) -> bool:
        """True if a descriptor can be of this kind."""
        ...

    def unseen(self) -> list[int]:
        """The numbers of the live descriptors of which `object` has made no object."""
        ...

    def forget(self, thing: Thing) -> None:
        """Python has destroyed an object that `object` made."""
        ...

    def stop(self) -> None:
        """Leave all calls to Python from now on: the machine is closed."""
        ...
