"""The functions and the variables in an ELF file."""

import platform
import struct
from collections.abc import Sequence
from typing import Final

MAGIC: Final = b"\x7fELF"
SYMBOL_TABLES: Final = (2, 11)
"""SHT_SYMTAB, SHT_DYNSYM"""
VARIABLE: Final = 1
FUNCTION: Final = 2
"""STT_OBJECT, STT_FUNC"""
LIBRARY: Final = 3
"""ET_DYN"""
HERE: Final = {"x86_64": 62, "aarch64": 183}
"""the numbers of processors, by the name of the platform"""
WITHOUT_BYTES: Final = 8
"""SHT_NOBITS"""
RELOCATABLE: Final = 1
"""ET_REL"""
SECTION: Final = "<IIQQQQIIQQ"
SYMBOL: Final = "<IBBHQQ"


def is_file(data: bytes) -> bool:
    """True for an ELF file of any kind."""
    return data[:4] == MAGIC


def is_library(data: bytes) -> bool:
    """True for a shared library for the processor of this host."""
    if data[:6] != MAGIC + b"\x02\x01" or len(data) < 64:
        return False
    return struct.unpack_from("<HH", data, 16) == (LIBRARY, HERE.get(platform.machine()))


def functions(data: bytes) -> tuple[str, ...]:
    """The functions that a 64-bit little-endian ELF file defines, in its order; none if the data are no such file."""
    return tuple(dict.fromkeys(name for name, kind, _ in _listed(data) if kind == FUNCTION))


def variables(data: bytes) -> dict[str, bytes]:
    """The variables that such a file defines, with their first values."""
    return {name: value for name, kind, value in _listed(data) if kind == VARIABLE}


def _listed(data: bytes) -> list[tuple[str, int, bytes]]:
    if data[:6] != MAGIC + b"\x02\x01" or len(data) < 64:
        return []
    try:
        return _symbols(data)
    except (struct.error, IndexError, ValueError):  # the file is cut off
        return []


def _symbols(data: bytes) -> list[tuple[str, int, bytes]]:
    """Name, kind and bytes of the symbols that the file defines."""
    (type_,) = struct.unpack_from("<H", data, 16)
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [struct.unpack_from(SECTION, data, start + i * size) for i in range(count)]
    symbols: list[tuple[str, int, bytes]] = []
    for _, kind, _, _, offset, nbytes, link, _, _, _ in sections:
        if kind not in SYMBOL_TABLES:
            continue
        texts = sections[link][4]
        for position in range(offset, offset + nbytes, struct.calcsize(SYMBOL)):
            name, info, _, section, value, length = struct.unpack_from(SYMBOL, data, position)
            if info & 0xF in (FUNCTION, VARIABLE) and section and name:
                text = data[texts + name : data.index(0, texts + name)].decode(errors="replace")
                symbols.append((text, info & 0xF, b""))
                if info & 0xF == VARIABLE and section < count:
                    symbols[-1] = (text, VARIABLE, _bytes(data, sections[section], value, length, type_))
    return symbols


def _bytes(data: bytes, section: Sequence[int], value: int, length: int, type_: int) -> bytes:
    """The bytes of a variable, zeros beyond those in the file."""
    start = section[4] + value - (0 if type_ == RELOCATABLE else section[3])
    stored = b"" if section[1] == WITHOUT_BYTES else data[start : start + length]
    return stored + bytes(length - len(stored))
