"""The facts of a documented function: `facts("aclnnAdd")`.

The attributes have the names of the keys in the data files; the docstring of `aclnn.catalogue` explains each key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple

from acl_runtime.objects.soc import Series
from acl_runtime.text import Text
from aclnn.catalogue.index import lines, names
from aclnn.catalogue.parameter import Names, Parameter, parameter
from aclnn.catalogue.products import SOURCES, Support, short_name

__all__ = ["Facts", "Gate", "Parameter", "Refusal", "facts"]
PHRASES: Final = {
    Support.DOCUMENTED: "documented",
    Support.OPEN: Text("not documented; {reason}", reason=Text("no source says that it works")),
    Support.UNKNOWN: Text("no document names its products"),
    Support.NO_KERNEL: "not documented; no kernel is registered for the product",
    Support.REFUSED: "refused",
    Support.REFUSED_DEVICE: "not documented; a device refused it",
}
"""the phrases for products without an entry in `sources`"""


class Refusal(NamedTuple):
    """A row of the document's table of statuses: the parameters that it names, and the kind of mistake."""

    status: int
    params: Names
    kind: str
    detail: Mapping[str, Any]


class Gate(NamedTuple):
    """The refusal of a product in the library's code: its status, and the position of the check among the others."""

    status: int
    place: str


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Facts:
    """A documented function."""

    name: str
    category: str
    header: str
    undocumented: bool = False
    older_tree: bool = False
    products: Mapping[str, Support]
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    gate: Gate | None = None
    phases: int = 2
    const_workspace_size: bool = False
    workspace_size_name: str = "workspaceSize"
    const_stream: bool = False
    phase2_undeclared: bool = False
    deterministic: bool | Mapping[str, bool] | None = True
    deterministic_switch: bool = False
    params: tuple[Parameter, ...]
    refusals: tuple[Refusal, ...] = ()

    def support(self, product: Series | str) -> Support:
        """The support of the function on a product."""
        return self.products[short_name(product)]

    def remark(self, product: Series | str) -> str:
        """A phrase for the support on a product. It names the edition or the source, if known."""
        key = short_name(product)
        support, source = self.products[key], self.sources.get(key, "")
        if support is Support.OLDER:
            return f"documented in {source}"
        if support is Support.OPEN and key == "310B":
            return Text("not documented, and a kernel may be missing")
        return Text("not documented; {reason}", reason=SOURCES[source]) if source else PHRASES[support]

    def param(self, name: str) -> Parameter:
        """The parameter of this name in the prototype."""
        for declared in self.params:
            if declared.name == name:
                return declared
        raise LookupError(f"{self.name} has no parameter {name}; it has {', '.join(p.name for p in self.params)}")


@cache
def facts(name: str) -> Facts:
    """The facts of a function, by its name without GetWorkspaceSize. Raises a LookupError that proposes names."""
    if name in lines():
        import json  # late: operators with a class of their own do not need it

        category, line = lines()[name]
        return _facts(category, json.loads(line))
    from difflib import get_close_matches  # late: only a mistake needs it

    close = get_close_matches(name, names(), n=3)
    meant = f"; did you mean {' or '.join(close)}?" if close else ""
    raise LookupError(f"{name!r} is no documented function of the operator library{meant}")


def _facts(category: str, raw: dict[str, Any]) -> Facts:
    raw["products"] = {product: Support(support) for product, support in raw["products"].items()}
    if "gate" in raw:
        raw["gate"] = Gate(*raw["gate"])
    silent = [product for product, support in raw["products"].items() if support is not Support.DOCUMENTED]
    raw["params"] = tuple(parameter(param, silent) for param in raw["params"])
    raw["refusals"] = tuple(_refusal(*each) for each in raw.get("refusals", ()))
    return Facts(category=category, **raw)


def _refusal(status: int, params: Sequence[str], kind: str, detail: Mapping[str, Any] | None = None) -> Refusal:
    return Refusal(status, tuple(params), kind, detail or {})
