"""The names of functions in an ELF file."""

import struct
from typing import Final

MAGIC: Final = b"\x7fELF"
SYMBOL_TABLES: Final = (2, 11)
"""SHT_SYMTAB, SHT_DYNSYM"""
FUNCTION: Final = 2
"""STT_FUNC"""
SECTION: Final = "<IIQQQQIIQQ"
SYMBOL: Final = "<IBBHQQ"


def functions(data: bytes) -> tuple[str, ...]:
    """The functions that a 64-bit little-endian ELF file defines, in its order; none if the data are no such file."""
    if data[:6] != MAGIC + b"\x02\x01" or len(data) < 64:
        return ()
    try:
        return tuple(dict.fromkeys(_functions(data)))
    except (struct.error, IndexError, ValueError):  # the file is cut off
        return ()


def _functions(data: bytes) -> list[str]:
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [struct.unpack_from(SECTION, data, start + i * size) for i in range(count)]
    names: list[str] = []
    for _, kind, _, _, offset, nbytes, link, _, _, _ in sections:
        if kind not in SYMBOL_TABLES:
            continue
        texts = sections[link][4]
        for position in range(offset, offset + nbytes, struct.calcsize(SYMBOL)):
            name, info, _, section, _, _ = struct.unpack_from(SYMBOL, data, position)
            if info & 0xF == FUNCTION and section and name:
                names.append(data[texts + name : data.index(0, texts + name)].decode(errors="replace"))
    return names
