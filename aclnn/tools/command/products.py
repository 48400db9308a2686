"""The chips and the product series, for `aclnn explain`, by all names that are in use for them."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from acl_runtime.objects.soc import FAMILIES, SOCS, Series
from aclnn.catalogue.index import names, products, single_phase
from aclnn.catalogue.products import Support, short_name

Facts = dict[str, Any]
SPOKEN: Final = {
    Series.A2: ("atlas a2", "atlas 800i a2", "atlas 800t a2"),
    Series.A3: ("atlas a3",),
    Series.A950: ("ascend 950pr", "ascend 950dt", "ascend950pr/", "950pr/950dt"),
    Series.TRAINING: ("atlas training", "atlas 训练系列"),
    Series.INFERENCE: ("atlas inference", "atlas 推理系列"),
    Series.A200I_500_A2: ("atlas 200i/500 a2", "atlas 200i a2", "atlas 500 a2"),
}
"""the beginnings of the names of a series in texts; the Chinese ones mean training series and inference series"""
CHIP: Final = re.compile(
    r"(?<![A-Za-z0-9_])(?:ascend[ _-]?\d{3}|910(?=[a-z_])|310(?=[a-z])|950(?=[a-z]))\w*(?:-1)?(?![\w-])",
    re.I | re.ASCII,
)
"""the name of a chip or of a family of chips, with or without the word Ascend"""


def subjects() -> dict[str, Callable[[], Facts]]:
    """A function for each chip and series that returns its facts, by the names that this emulator uses."""
    chips: dict[str, Callable[[], Facts]] = {name: partial(chip, name) for name in SOCS}
    return chips | {each.name: partial(series, each) for each in Series}


def named(text: str) -> str | None:
    """The chip that a text names, such as `910B1` or `ascend910b1`; the series for a family of chips, such as
    `Ascend910B`."""
    plain = re.sub(r"^ascend[ _-]?", "", text.casefold())
    for name in SOCS:
        if name.casefold() == f"ascend{plain}":
            return name
    for name, example in FAMILIES.items():
        if name.casefold() == f"ascend{plain}":
            return SOCS[example].series.name
    return None


def spoken(text: str) -> list[tuple[int, str]]:
    """Positions where a text names a series in words, each with the series."""
    places: list[tuple[int, str]] = []
    folded = text.casefold()
    for family, words in SPOKEN.items():
        for word in words:
            places += [(match.start(), family.name) for match in re.finditer(rf"{re.escape(word)}(?![a-z0-9])", folded)]
    return places


def chip(name: str) -> Facts:
    """A chip: cores, memory, limits, and the operators of its series."""
    soc = SOCS[name]
    return {
        "kind": "chip", "name": name, "series": soc.series.name, "series_label": soc.series.value,
        "ai_cores": soc.ai_cores, "vector_cores": soc.vector_cores, "memory_bytes": soc.memory_bytes,
        "l2_bytes": soc.l2_bytes, "streams": soc.streams, "events": soc.events, "bfloat16": soc.bfloat16,
        "operators": _operators(soc.series),
    }  # fmt: skip


def series(product_series: Series) -> Facts:
    """A series: its full name, its chips and its operators."""
    chips = [name for name, soc in SOCS.items() if soc.series is product_series]
    families = [name for name, example in FAMILIES.items() if example in chips]
    return {
        "kind": "series", "name": product_series.name, "label": product_series.value, "families": families,
        "chips": chips, "operators": _operators(product_series),
    }  # fmt: skip


def _operators(product_series: Series) -> list[str]:
    key = short_name(product_series)
    return [name for name in names() if name not in single_phase() and Support(products(name)[key]).computes]
