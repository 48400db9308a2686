"""The products in the catalogue: the short name of each series, and the support of a function on each."""

from enum import Enum
from typing import Final

from acl_runtime.objects.soc import Series
from acl_runtime.text import Text

SERIES: Final = {
    "910": Series.TRAINING,
    "310P": Series.INFERENCE,
    "310B": Series.A200I_500_A2,
    "A2": Series.A2,
    "A3": Series.A3,
    "950": Series.A950,
}
"""the series of a Machine by short name, in the order of the data files"""
_NAMES: Final = {series: name for name, series in SERIES.items()}
PRODUCTS: Final = tuple(SERIES)
"""the short names"""


class Support(Enum):
    """The support of a function on a product. "No" in a document means "not promised"."""

    DOCUMENTED = "documented"
    OLDER = "documented-older"
    WORKS = "works"
    LIKELY = "works-likely"
    OPEN = "open"
    UNKNOWN = "unknown"
    NO_KERNEL = "no-kernel"
    REFUSED = "refused"
    REFUSED_DEVICE = "refused-device"

    @property
    def computes(self) -> bool:
        """True if the function runs on the product."""
        return self not in (Support.NO_KERNEL, Support.REFUSED, Support.REFUSED_DEVICE)

    @property
    def listed(self) -> bool:
        """True if a document, perhaps an older one, lists the product."""
        return self in (Support.DOCUMENTED, Support.OLDER)


SOURCES: Final = {
    "README": Text("the README of the operator lists the product"),
    "kernel": Text("a kernel is registered for the product"),
    "inner operators": Text("all operators that it is made of are documented for the product"),
    "candle": Text("candle reports that it runs there"),
    "ggml": Text("{client} calls it there", client="ggml"),
    "public test": Text("a public test of the function succeeds for the product"),
    "vllm-ascend": Text("{client} calls it there", client="vllm-ascend"),
}
"""why a function works on a product that no document lists, by the label in the data files"""


def short_name(product: Series | str) -> str:
    """The short name of a series; a short name is returned unchanged. Raises a ValueError for any other text."""
    if isinstance(product, Series):
        return _NAMES[product]
    if product not in PRODUCTS:
        raise ValueError(f"{product!r} is no product of the catalogue; the products are {', '.join(PRODUCTS)}")
    return product
