"""Routes for `aclnn.ops.elementwise.arithmetic`: loops over Python's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.route import Route, elements, nonzero, route, unit


def quotient(self: Any, other: Any) -> Any:
    """As floats divide; by zero too."""
    if other == 0:
        return float("nan") if self == 0 or self != self else float("inf") * (1 if self > 0 else -1)
    return self / other


def difference(self: Any, other: Any, alpha: Any) -> Any:
    """Of bools, whether they differ."""
    return self != (other and alpha) if isinstance(self, bool) else self - alpha * other


def mul(self: Any, other: Any) -> Any:
    """Bools stay bools."""
    return self and other if isinstance(self, bool) else self * other


def total(self: Any, other: Any, alpha: Any) -> Any:
    """Of bools, whether one is true."""
    return self or (other and alpha) if isinstance(self, bool) else self + alpha * other


def two_steps(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """2 ulp of the larger term, as the terms may cancel. Of 16 bits, the product is rounded once more."""
    product = np.abs(np.asarray(arguments["alpha"] * arguments["other"]))
    step = {"float16": 2.0**-10, "bfloat16": 2.0**-7}.get(dtype, 0.0) if arguments["alpha"] != 1 else 0.0
    return 2 * unit(dtype) * (np.abs(arguments["self"]) + product) + product * step


ROUTES: tuple[Route, ...] = (
    route("aclnnAdd", "aclnnInplaceAdd", "aclnnAdds", "aclnnInplaceAdds", "loop", elements(total), bound=two_steps),
    route("aclnnSub", "aclnnInplaceSub", "loop", elements(difference), bound=two_steps),
    route("aclnnMul", "aclnnInplaceMul", "aclnnMuls", "aclnnInplaceMuls", "loop", elements(mul)),
    route("aclnnDiv", "aclnnInplaceDiv", "loop", elements(quotient), values={"other": nonzero}),
)
