"""The product series in the catalogue: their short names, and the Series that each stands for."""

from typing import Final

from acl_runtime.objects.soc import Series

SERIES: Final = {
    "910": Series.TRAINING,
    "310P": Series.INFERENCE,
    "310B": Series.A200I_500_A2,
    "A2": Series.A2,
    "A3": Series.A3,
}
"""the series that a Machine can have, by short name"""
_NAMES: Final = {series: name for name, series in SERIES.items()}
PRODUCTS: Final = (*SERIES, "950")
"""all short names, in the order of the data files; no chip of the series 950 is emulated"""


def short_name(product: Series | str) -> str:
    """The short name of a series; a short name stands for itself. Raises a ValueError for any other text."""
    if isinstance(product, Series):
        return _NAMES[product]
    if product not in PRODUCTS:
        raise ValueError(f"{product!r} is no product of the catalogue; the products are {', '.join(PRODUCTS)}")
    return product
