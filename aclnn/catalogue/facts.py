"""The facts of a documented function: `facts("aclnnAdd")`.

The attributes have the names of the keys in the data files; the package's own page explains each key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from acl_runtime.objects.soc import Series
from aclnn.catalogue.index import lines, names
from aclnn.catalogue.parameter import Names, Parameter, parameter
from aclnn.catalogue.products import SERIES, short_name

__all__ = ["Facts", "Parameter", "Refusal", "facts"]


class Refusal(NamedTuple):
    """A row of the document's table of statuses: the parameters that it names, and the kind of mistake."""

    status: int
    params: Names
    kind: str
    detail: Mapping[str, Any]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Facts:
    """A documented function."""

    name: str
    category: str
    header: str
    undocumented: bool = False
    older_tree: bool = False
    supported: Names = ()
    unsupported: Names = ()
    phases: int = 2
    const_workspace_size: bool = False
    workspace_size_name: str = "workspaceSize"
    const_stream: bool = False
    phase2_undeclared: bool = False
    deterministic: bool | Mapping[str, bool] | None = True
    deterministic_switch: bool = False
    params: tuple[Parameter, ...]
    refusals: tuple[Refusal, ...] = ()

    @property
    def products(self) -> tuple[Series, ...]:
        """The series that the document says support it."""
        return tuple(series for name, series in SERIES.items() if name in self.supported)

    def supports(self, product: Series | str) -> bool | None:
        """Does the product support it? None if the document does not name the product."""
        key = short_name(product)
        return True if key in self.supported else False if key in self.unsupported else None

    def param(self, name: str) -> Parameter:
        """The parameter of this name in the prototype."""
        for each in self.params:
            if each.name == name:
                return each
        raise LookupError(f"{self.name} has no parameter {name}; it has {', '.join(p.name for p in self.params)}")


@cache
def facts(name: str) -> Facts:
    """The facts of a function, by its name without GetWorkspaceSize. Raises a LookupError that proposes names."""
    if name in lines():
        import json  # late: an operator with a class of its own does without it

        category, line = lines()[name]
        return _facts(category, json.loads(line))
    from difflib import get_close_matches  # late: only a mistake needs it

    close = get_close_matches(name, names(), n=3)
    meant = f"; did you mean {' or '.join(close)}?" if close else ""
    raise LookupError(f"{name!r} is no documented function of the operator library{meant}")


def _facts(category: str, raw: dict[str, Any]) -> Facts:
    for key in ("supported", "unsupported"):
        raw[key] = tuple(raw.get(key, ()))
    raw["params"] = tuple(parameter(each) for each in raw["params"])
    raw["refusals"] = tuple(_refusal(*each) for each in raw.get("refusals", ()))
    return Facts(category=category, **raw)


def _refusal(status: int, params: Sequence[str], kind: str, detail: Mapping[str, Any] | None = None) -> Refusal:
    return Refusal(status, tuple(params), kind, detail or {})
