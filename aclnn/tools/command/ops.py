"""`aclnn ops`: the documented functions by category, level, product and data type.

Without a filter the answer is a summary with a row for each category. With a filter the answer lists each function, its
level, and its data types by product. `--json` prints the facts of each function in both cases.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from types import ModuleType
from typing import Any, Final, NamedTuple

from acl_runtime.headers.dtype_names import plain_name
from acl_runtime.objects.soc import SOCS, Series, chips
from aclnn.catalogue.evidence import LEVELS, Level
from aclnn.catalogue.facts import Facts
from aclnn.catalogue.facts import facts as catalogue
from aclnn.catalogue.index import names
from aclnn.catalogue.products import SERIES, Support, short_name
from aclnn.ops import FIRST
from aclnn.tools.command import header_values, products
from aclnn.tools.command.help_index import described
from aclnn.tools.command.text import EMPTY, table, translator, wrapped
from aclnn.tools.exports import OWN, categories, has_kernel, level

LACKING: Final = "{count} of these do not compute some calls, which `aclnn explain` lists"
HINTS: Final = (
    "aclnn ops --category CATEGORY lists the functions of a category. --level LEVEL, --product PRODUCT and "
    "--dtype TYPE filter them.",
    "aclnn explain OPERATOR shows parameters and checks.",
    "A function without a kernel checks its arguments, and its launch fails: `aclnn docs my-operator-is-missing`.",
)


class Filter(NamedTuple):
    """The conditions for a function to be listed. An empty string is no condition."""

    category: str = ""
    level: str = ""
    product: str = ""
    dtype: str = ""

    def understood(self) -> "Filter":
        """The same filter with the names that `facts` has. ValueError with a hint for an unknown word."""
        product, dtype = self.product.upper(), self.dtype
        series = SERIES.get(product) or SERIES.get(product.removeprefix("ASCEND"))
        name = series.name if series else products.named(self.product) or product
        name = SOCS[name].series.name if name in SOCS else name
        dtype = dtype.removeprefix("ACL_").removeprefix("DT_")
        member = header_values.aliases().get(dtype) or header_values.aliases().get(dtype.upper())
        dtype_name = member.removeprefix("ACL_") if member else dtype.upper()
        _known("category", self.category, [*categories(), OWN])
        _known("level", self.level, LEVELS)
        _known("product", name, [series.name for series in Series])
        _known("data type", dtype_name, [alias.removeprefix("ACL_") for alias in header_values.aliases().values()])
        printed = {member: name for name, member in header_values.aliases().items() if name.startswith("DT_")}
        return self._replace(product=name, dtype=printed.get(f"ACL_{dtype_name}", "").removeprefix("DT_"))

    def passes(self, op: dict[str, Any]) -> bool:
        """True if a function meets all conditions."""
        on: list[str] = [name for name, there in op["products"].items() if there and self.product in ("", name)]
        types = {dtype for name in on for dtypes in op["data_types"].get(name, {}).values() for dtype in dtypes}
        return (
            self.category in ("", op["category"])
            and self.level in ("", op["level"])
            and (not self.product or bool(on))
            and (not self.dtype or self.dtype in types)
        )


def _known(noun: str, word: str, words: Iterable[str]) -> None:
    choices = list(dict.fromkeys(words))
    if word and word not in choices:
        near = get_close_matches(word, choices, 3)
        raise ValueError(f"there is no {noun} {word!r}; {'similar' if near else 'known'}: {', '.join(near or choices)}")


def facts(modules: Iterable[ModuleType] = (), chosen: Filter | None = None) -> list[dict[str, Any]]:
    """The facts of each function that passes the filter, including those in `modules` of the user."""
    return [op for op in each_of(modules) if chosen is None or chosen.passes(op)]


def each_of(modules: Iterable[ModuleType] = ()) -> Iterator[dict[str, Any]]:
    """The facts of each function, made one after the other. An operator of the user replaces the documented one."""
    own: dict[str, Callable[[], dict[str, Any]]] = {}
    if modules := tuple(modules):
        from aclnn.tools.command.declared import operators  # late: it imports what makes operators

        own = operators(modules)
    yield from (own[name]() if name in own else of_documented(name) for name in names())
    yield from (make() for name, make in own.items() if name not in names())


@cache
def of_documented(name: str) -> dict[str, Any]:
    """The facts of a documented function, from the catalogue and the index of help texts: the function is not created.

    Name, category, level, formula and header; the calls that are not computed; the products that compute the function,
    and the support of each product; the data types of each tensor and tensor list, empty where the document lists none.
    A function without a second phase has no levels by product."""
    about = described(name)
    if about.facts is not None:
        return {**about.facts}
    documented, its_level = catalogue(name), level(name)
    on = _computing(documented)
    first = about if documented.phases == 1 else described(f"{name}{FIRST}")
    return {
        "name": name,
        "category": documented.category,
        "level": its_level,
        **({} if documented.phases == 1 else {"levels": {series.name: its_level for series in on}}),
        "kernel": has_kernel(name),
        "lacking": [*about.lacking],
        "formula": first.help.split("\n\n")[1].split("\n"),
        "header": documented.header,
        "products": {series.name: series in on for series in Series},
        "support": {series.name: documented.support(series).value for series in Series},
        "data_types": documented_types(documented),
    }


def documented_types(documented: Facts) -> dict[str, dict[str, list[str]]]:
    """The data types of each tensor and tensor list of a documented function, by product."""
    tensors = [param for param in documented.params if param.is_tensor]
    return {
        series.name: {
            tensor.name: [plain_name(dtype) for dtype in tensor.dtypes_on(series) or ()] for tensor in tensors
        }
        for series in _computing(documented)
    }


def _computing(documented: Facts) -> list[Series]:
    return [series for series in Series if documented.support(series).computes]


def text(answer: list[dict[str, Any]], words: Mapping[str, str] = EMPTY) -> str:
    """The summary: a row for each category, then the levels, and the products with the names of their chips. `words`:
    translations of its sentences."""
    say = translator(words)
    counts: dict[str, Counter[str]] = {}
    for op in answer:
        count = counts.setdefault(op["category"], Counter())
        count.update(("functions", op["level"], *(["kernel"] if op["kernel"] else [])))
    order = sorted(counts, key=lambda category: (category == OWN, category))
    levels: list[Level] = [level for level in LEVELS if level != "own"]
    columns = ("functions", *levels, "kernel")
    total: Counter[str] = sum(counts.values(), Counter[str]())
    rows = [(each, *(str(counts[each][column] or "-") for column in columns)) for each in order]
    head = say("category"), say("functions"), *columns[1:]
    lines = table(head, [*rows, (say("all"), *(str(total[column] or "-") for column in columns))])
    lines += ["", *(line for level in levels for line in wrapped(f"{level}: {say(LEVELS[level])}", 0, 2))]
    lines += wrapped(say("kernel: this emulator computes it"), 0, 2)
    partly = sum(bool(op["lacking"]) for op in answer)
    lines += [*wrapped(say(LACKING).format(count=partly), 0, 2), ""]
    for series in Series:
        short = "" if short_name(series) == series.name else f" ({short_name(series)})"
        lines += [*wrapped(f"{series.name:<14}{series.value}{short}", 0, 14), *wrapped(", ".join(chips(series)), 14)]
    lines += ["", *_by_support(answer, say("functions"))]
    return "\n".join([*lines, "", *(line for hint in HINTS for line in wrapped(say(hint)))])


def _by_support(answer: list[dict[str, Any]], title: str) -> list[str]:
    """The table of supports: the number of functions with each support, by product."""
    counts = [Counter(op["support"][series.name] for op in answer) for series in Series]
    rows = ((each.value, *(str(count[each.value] or "-") for count in counts)) for each in Support)
    return table((title, *map(short_name, Series)), rows)


def listing(answer: list[dict[str, Any]], words: Mapping[str, str] = EMPTY) -> str:
    """Each function with its level, and its data types by product. `words`: translations of its sentences."""
    say = translator(words)
    lines: list[str] = []
    for category in sorted({op["category"] for op in answer}):
        of_category = [op for op in answer if op["category"] == category]
        heading = say("{category}: {count} functions") if len(of_category) > 1 or words else "{category}: 1 function"
        lines += [heading.format(category=category, count=len(of_category))]
        width = max(len(op["name"]) for op in of_category)
        for op in sorted(of_category, key=lambda op: op["name"]):
            kernel = "" if op["kernel"] else f", {say('no kernel')}"
            lines += wrapped(f"{op['name']:<{width}}  {op['level']}{kernel}", 2, 2)
            rows = (supports(op), *_types_by_product(op), *not_computed(op))
            lines += [line for row in rows for line in wrapped(row, 4, 4)]
        lines.append("")
    return "\n".join([*lines, *wrapped(say(HINTS[1]))]) if lines else say("no function passes these filters")


def not_computed(op: dict[str, Any]) -> list[str]:
    """A line with the calls that have no kernel, if other calls have one."""
    return [f"no kernel with {'; or '.join(op['lacking'])}"] if op["lacking"] else []


def supports(op: dict[str, Any]) -> str:
    """The products by their support: `documented: A2, A3; open: 310B`."""
    words: dict[str, list[str]] = {}
    for name, word in op["support"].items():
        words.setdefault(word, []).append(short_name(Series[name]))
    return "; ".join(f"{each.value}: {', '.join(words[each.value])}" for each in Support if each.value in words)


def _types_by_product(op: dict[str, Any]) -> Iterator[str]:
    """Rows such as `A2, A3: FLOAT, FLOAT16`. Products with the same data types share one."""
    series_by_types: dict[tuple[str, ...], list[str]] = {}
    for name, tensors in op["data_types"].items():
        types = tuple(dict.fromkeys(dtype for dtypes in tensors.values() for dtype in dtypes))
        series_by_types.setdefault(types, []).append(short_name(Series[name]))
    for types, on in series_by_types.items():
        yield f"{', '.join(on)}: {', '.join(types) or 'no data types are documented'}"


def by_type(op: dict[str, Any]) -> list[str]:
    """The table of one operator. A row is a data type, with its products and the tensors that may have it."""
    head = ("", *map(short_name, Series), "tensors")
    rows = (
        (dtype, *("yes" if series.name in on else "-" for series in Series), ", ".join(tensors))
        for dtype, on, tensors in _rows(op)
    )
    return table(head, rows, 2)


def _rows(op: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...], list[str]]]:
    """Each data type, with products, and the tensors that have it on exactly these products. "any" is the data type of
    tensors whose document lists none."""
    rows: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for series, tensors in op["data_types"].items():
        for tensor, types in tensors.items():
            for dtype in types or ["any"]:
                on = tuple(name for name, listed in op["data_types"].items() if dtype in (listed[tensor] or ["any"]))
                tensors_of_type = rows.setdefault(dtype, {}).setdefault(on, [])
                if series == on[0]:
                    tensors_of_type.append(tensor)
    for dtype, by_products in rows.items():
        for on, tensors in by_products.items():
            yield dtype, on, tensors
