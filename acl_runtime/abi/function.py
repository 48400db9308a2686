"""The declaration of an API function: prototype, help, the order of arguments, the error text for a wrong argument."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from keyword import iskeyword
from typing import Any, Final

import acl_runtime.headers.statuses as statuses
from acl_runtime.abi.c import CType, HcclComm, Result, aclOpExecutor_p, of
from acl_runtime.abi.conversions import Variadic
from acl_runtime.headers.editions import edition_note
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.headers.unconfirmed import note
from acl_runtime.text import counted

STATUS: Final = r"ACL\w+|HCCL\w+|-1"
"""the names of statuses in a docstring; -1 is a status of the profiling library without a name"""


def value_of(status: str) -> int:
    """The number of a status in a docstring."""
    names = HcclResult.__members__ if status.startswith("HCCL") else vars(statuses)
    if status not in names and status != "-1":
        raise ValueError(f"{status} stands in a docstring: acl_runtime/headers/ has no status of this name")
    return int(names.get(status, status))


def in_python(name: str) -> str:
    """The name of a parameter as a Python keyword argument: `from_` for `from`, which Python reserves."""
    return f"{name}_" if iskeyword(name) else name


@dataclass(eq=False)
class CFunction:
    """The declaration of an API function, with the texts that are derived from it."""

    name: str
    header: str
    result: Result
    parameters: tuple[tuple[str, CType], ...]
    doc: str
    closes: bool = True
    """True if a failing runtime call appends its closing line ("not the device allocation family")"""
    also: tuple[tuple[str, str], ...] = ()
    """statuses that the function shares with other functions, with their reasons"""
    harmless: Collection[int] = ()
    """failures that a program may ignore without a finding"""
    resource: bool = False
    """True if the function submits, synchronises, allocates or frees, so that callbacks of streams must not call it"""
    products: tuple[str, ...] = ()
    """lines of the help of a runtime function that list the products"""
    inert: bool = False
    """True if the function checks its arguments and has no effect on the results of a program"""
    pyacl: str | None = ""
    """the name in pyACL without `acl.`; empty if it follows from the name in C; None if pyACL lacks the function"""

    def __post_init__(self) -> None:
        self.doc = "\n".join([_with_reason(line) for line in self.doc.split("\n")])

    @cached_property
    def variadic(self) -> bool:
        """True if the parameters end in `...`."""
        return bool(self.parameters) and isinstance(self.parameters[-1][1], Variadic)

    @cached_property
    def executor(self) -> int | None:
        """The index of the executor among the parameters; None if there is none."""
        executor = of(aclOpExecutor_p)
        return next((i for i, (_, ctype) in enumerate(self.parameters) if ctype is executor), None)

    @cached_property
    def exclusive(self) -> int | None:
        """The index of the parameter that one thread at a time may use: an executor, or the communicator of an
        operation. None if there is none."""
        if self.executor is not None or not (self.resource and self.header.startswith("hccl/")):
            return self.executor
        communicator = of(HcclComm)
        return next((i for i, (_, ctype) in enumerate(self.parameters) if ctype is communicator), None)

    @cached_property
    def prototype(self) -> str:
        """The prototype in C, such as `aclError aclrtFree(void *devPtr)`."""
        parameters = ", ".join(ctype.declare(name) for name, ctype in self.parameters)
        return self.result.declare(f"{self.name}({parameters})")

    @cached_property
    def statuses(self) -> tuple[int, ...]:
        """The failures that the help lists: the table under "Returns:", and `also`."""
        _, _, table = self.doc.partition("Returns:")
        names = re.findall(rf"^    ({STATUS}):", table, re.MULTILINE) + [name for name, _ in self.also]
        values = [value_of(name) for name in names]
        return tuple(dict.fromkeys(value for value in values if value != statuses.ACL_SUCCESS))

    @cached_property
    def reasons(self) -> tuple[tuple[int, str], ...]:
        """Each status that the help lists, including success, with its reason."""
        _, _, table = self.doc.partition("Returns:")
        rows = re.findall(rf"^    ({STATUS}):[ ]*((?:.*)(?:\n {{8}}.*)*)", table, re.MULTILINE)
        return tuple((value_of(name), reason) for name, reason in (*rows, *self.also))

    @property
    def help(self) -> str:
        """The prototype, the docstring with the number of each status beside its name, and the products."""
        lines = [self.prototype, "", *self.doc.split("\n"), *(f"    {name}: {meaning}" for name, meaning in self.also)]
        lines += ["", "Accepted, without effect."] if self.inert else []
        for sentence in filter(None, (note(self.name), edition_note(self.name))):
            lines += ["", sentence]
        lines += ["", *self.products] if self.products else []
        return "\n".join([_numbered(line) if line.startswith(("    ACL", "    HCCL")) else line for line in lines])

    def arrange(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in the order of the prototype; TypeError if arguments are missing or too many."""
        names = [in_python(name) for name, _ in self.parameters]
        rest = dict(kwargs)
        taken = list(args)
        if self.variadic and len(args) >= len(names) - 1:
            taken[len(names) - 1 :] = [args[len(names) - 1 :]]
        for name in names[len(args) :]:
            if name not in rest:
                break
            taken.append(rest.pop(name))
        if rest or len(taken) != len(names):
            missing = f"missing {', '.join(names[len(taken) :])}" if len(taken) < len(names) else ""
            extra = f"unexpected {', '.join(rest)}" if rest else ""
            mistakes = "; ".join(filter(None, (f"got {len(args) + len(kwargs)}", missing, extra)))
            raise TypeError(f"{self.name} takes {counted(len(names), 'argument')}, {mistakes}\n    {self.prototype}")
        return tuple(taken)

    def blame(self, args: tuple[Any, ...]) -> TypeError:
        """The error for the first argument that cannot be converted, with its parameter and the expected type."""
        for (name, ctype), value in zip(self.parameters, args, strict=True):
            try:
                ctype.convert(value)
            except TypeError as error:
                return TypeError(
                    f"{self.name}: parameter {name} ({ctype.spelling}) expects {error}; got {_shown(value)}\n"
                    f"    {self.prototype}"
                )
        return TypeError(self.name)


def _with_reason(line: str) -> str:
    """Add the usual reason to a row that is only the name of a status."""
    reason = statuses.USUAL_REASONS.get(line.strip())
    return f"{line}: {reason}" if reason else line


def _numbered(line: str) -> str:
    """Add the number to a line with the name of a status. It uses no regex, as it is called 200 times at import."""
    name, colon, meaning = line.partition(":")
    return f"{name} ({value_of(name.strip())}):{meaning}" if colon and name.strip().isidentifier() else line


def _shown(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
