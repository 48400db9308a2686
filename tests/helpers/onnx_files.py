"""Small ONNX files, written without the package onnx: the few messages of its format that they need."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

FLOAT = 1
"""TensorProto.FLOAT"""


def _number(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def _int(field: int, value: int) -> bytes:
    return _number(field << 3) + _number(value)


def _message(field: int, content: bytes) -> bytes:
    return _number(field << 3 | 2) + _number(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())


def _value(name: str, shape: Sequence[int | str]) -> bytes:
    """ValueInfoProto of a tensor of FLOAT. A text is the name of a dynamic dimension."""
    sizes = b"".join(_message(1, _text(2, size) if isinstance(size, str) else _int(1, size)) for size in shape)
    return _text(1, name) + _message(2, _message(1, _int(1, FLOAT) + _message(2, sizes)))


def write(
    path: Path, operator: str, inputs: dict[str, Sequence[int | str]], outputs: dict[str, Sequence[int | str]]
) -> None:
    """Write a model of one operator."""
    node = b"".join([*(_text(1, name) for name in inputs), *(_text(2, name) for name in outputs), _text(4, operator)])
    graph = b"".join([
        _message(1, node), _text(2, "graph"),
        *(_message(11, _value(*item)) for item in inputs.items()),
        *(_message(12, _value(*item)) for item in outputs.items()),
    ])  # fmt: skip
    path.write_bytes(_int(1, 8) + _message(7, graph) + _message(8, _int(2, 13)))
