"""Operators whose elements each follow from those at the same place, broadcast."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "arithmetic": (
        "aclnnAdd", "aclnnInplaceAdd", "aclnnAdds", "aclnnInplaceAdds", "aclnnSub", "aclnnInplaceSub", "aclnnMul",
        "aclnnInplaceMul", "aclnnMuls", "aclnnInplaceMuls", "aclnnDiv", "aclnnInplaceDiv",
    ),
    "conversion": ("aclnnCast", "aclnnInplaceCopy", "aclnnInplaceZero", "aclnnInplaceFillScalar"),
}  # fmt: skip
"""by module, the functions that it makes"""
