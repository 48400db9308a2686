"""The least ELF file with functions: a binary that has kernels by name, without code."""

import struct
from collections.abc import Iterable
from typing import Final

HEADER: Final = 64
RELOCATABLE: Final = 1
AARCH64: Final = 183
SYMBOL: Final = "<IBBHQQ"
SIZE: Final = 8
"""the size that each symbol states"""
FUNCTION: Final = 0x12
VARIABLE: Final = 0x11


def elf(functions: Iterable[str], variables: Iterable[str] = ()) -> bytes:
    """An ELF file of 64 bits whose symbol table has these functions and variables."""
    texts, symbols = b"\0", bytes(24)
    for name, kind in [*((name, FUNCTION) for name in functions), *((name, VARIABLE) for name in variables)]:
        symbols += struct.pack(SYMBOL, len(texts), kind, 0, 1, 0, SIZE)
        texts += name.encode() + b"\0"
    sections = [(0, 0, 0, 0), (2, HEADER, len(symbols), 2), (3, HEADER + len(symbols), len(texts), 0)]
    body = symbols + texts
    counts = (0, HEADER, 0, 0, 64, len(sections), 2)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", RELOCATABLE, AARCH64, 1, 0, 0, HEADER + len(body), *counts)
    table = b"".join(
        struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, at, size, link, 0, 8, 24) for kind, at, size, link in sections
    )
    return head + body + table
