"""Fourier transforms along one real dimension, and of the windows of a signal."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {"fourier": ("aclRfft1D", "aclStft")}
"""by module, the functions that it makes"""
