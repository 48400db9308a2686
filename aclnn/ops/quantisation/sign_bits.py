"""SignBitsPack and SignBitsUnpack: the signs of floats as bits, eight in a byte, as in 1-bit Adam."""

from typing import Any, Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Shape, demand, done, listed, planned, positive, public_format, ranks, shape, up,
)  # fmt: skip
from aclnn.ops.quantisation._family import named_type

BITS: Final = 8


def uneven_bytes(a: Arguments) -> Bad:
    count = up(a["self"].numel, BITS)
    return None if count % a["size"] == 0 else (a["size"], f"a divisor of {count} bytes")


def in_bytes(a: Arguments) -> Shape:
    return a["size"], up(a["self"].numel, BITS) // a["size"]


def uneven_floats(a: Arguments) -> Bad:
    count = a["self"].numel * BITS
    return None if count % a["size"] == 0 else (a["size"], f"a divisor of {count} floats")


def in_floats(a: Arguments) -> Shape:
    return a["size"], a["self"].numel * BITS // a["size"]


@planned(
    "aclnnSignBitsPack", listed("self", "out"), public_format("self", "out"), ranks("self", least=1, most=1),
    positive("size"), demand("{0} divides the number of bytes", "size", "self", bad=uneven_bytes),
    shape("out", "{0} has size rows, with a bit for each element of self", in_bytes),
    done("self is empty", "self", when=lambda a: not a["self"].numel),
)  # fmt: skip
def sign_bits_pack(p: Planning) -> None:
    """out has a bit for each element of self: 1 if it is 0 or more, else 0. The first element has the lowest bit of the
    first byte. Bits behind the last element are 0."""
    p.store("out", p.step(packed, [p.read("self")], p.shape("out"), p.dtype("out"), sizes=p.shape("out")))


def packed(x: Array, *, sizes: Shape) -> Array:
    return np.packbits(x >= 0, bitorder="little").reshape(sizes)


@planned(
    "aclnnSignBitsUnpack", listed("self", "out"), public_format("self", "out"), ranks("self", least=1, most=1),
    positive("size"), demand("{0} divides the number of floats", "size", "self", bad=uneven_floats),
    named_type("dtype", "out"), shape("out", "{0} has size rows, with an element for each bit of self", in_floats),
    done("self is empty", "self", when=lambda a: not a["self"].numel),
)  # fmt: skip
def sign_bits_unpack(p: Planning) -> None:
    """out has 1 for each bit 1 of self, and -1 for each bit 0, from the lowest bit of the first byte on"""
    p.store("out", p.step(unpacked, [p.read("self")], p.shape("out"), p.dtype("out"), sizes=p.shape("out")))


def unpacked(x: Array, *, sizes: Shape) -> Any:
    bits = np.unpackbits(x, bitorder="little").astype(np.float32)
    return (bits * 2 - 1).reshape(sizes)
