"""The product series in the catalogue: their short names, and the Series that each stands for."""

from typing import Final

from acl_runtime.objects.soc import Series

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


def short_name(product: Series | str) -> str:
    """The short name of a series; a short name stands for itself. Raises a ValueError for any other text."""
    if isinstance(product, Series):
        return _NAMES[product]
    if product not in PRODUCTS:
        raise ValueError(f"{product!r} is no product of the catalogue; the products are {', '.join(PRODUCTS)}")
    return product
