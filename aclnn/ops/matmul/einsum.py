"""Einsum, for the two equations that the library supports."""

from typing import Final

from aclnn.op import (
    Arguments, Array, Bad, Planning, Shape, aclDataType, aclFormat, demand, format_name, is_integer, listed, matmul,
    planned, said, same_dtype, shape, uniform,
)  # fmt: skip
from aclnn.ops.matmul.vectors import outer

PRODUCT: Final = "abcd,abced->abce"
OUTER: Final = "a,b->ab"


def renamed(equation: str) -> str:
    """The equation with its letters named in the order in which they appear."""
    names: dict[str, str] = {}
    for letter in equation:
        if letter.isalpha():
            names.setdefault(letter, chr(ord("a") + len(names)))
    return "".join(names.get(each, each) for each in equation)


def unknown(a: Arguments) -> Bad:
    return None if renamed(a["equation"]) in (PRODUCT, OUTER) else (repr(a["equation"]), f"{PRODUCT}, {OUTER}")


def other_number(a: Arguments) -> Bad:
    return None if len(a["tensors"]) == 2 else (f"{len(a['tensors'])} tensors", "2 tensors")


def other_format(a: Arguments) -> Bad:
    labels = [each.format for each in (*a["tensors"], a["output"])]
    wrong = next((label for label in labels if label != aclFormat.ACL_FORMAT_ND), None)
    return None if wrong is None else (format_name(wrong), "ND")


def sizes(a: Arguments) -> dict[str, int] | None:
    """The size of each letter; None if the shapes do not fit the equation."""
    by_letter: dict[str, int] = {}
    for letters, tensor in zip(renamed(a["equation"]).split("->")[0].split(","), a["tensors"], strict=True):
        if len(letters) != len(tensor.shape):
            return None
        for letter, size in zip(letters, tensor.shape, strict=True):
            if by_letter.setdefault(letter, size) != size:
                return None
    return by_letter


def misfit(a: Arguments) -> Bad:
    shapes = [list(tensor.shape) for tensor in a["tensors"]]
    return None if sizes(a) is not None else (shapes, f"shapes for {a['equation']}")


def result_shape(a: Arguments) -> Shape:
    by_letter = sizes(a) or {}
    return tuple(by_letter[letter] for letter in renamed(a["equation"]).split("->")[1])


@planned(
    "aclnnEinsum", said("equation"), listed("tensors", "output"),
    demand("{0} are two", "tensors", bad=other_number), uniform("tensors"),
    same_dtype("output", as_="tensors"),
    demand("{0} and output have the format ND", "tensors", "output", bad=other_format),
    demand(f"{{0}} is {PRODUCT} or {OUTER}, with any letters", "equation", bad=unknown),
    demand("{0} have the shapes of the equation", "tensors", "equation", bad=misfit),
    shape("output", "{0} has the shape of the equation", result_shape),
)  # fmt: skip
def einsum(p: Planning) -> None:
    """output = the sum of products that the equation describes. The first equation computes integers in FLOAT16."""
    first, second = p.read_all("tensors")
    if renamed(p["equation"]) == OUTER:
        p.store("output", p.step(outer, [first, second], result_shape(p), first.dtype))
        return
    dtype = aclDataType.ACL_FLOAT16 if is_integer(first.dtype) else first.dtype
    inputs = [p.builder.cast(each, dtype) for each in (first, second)]
    p.store("output", p.step(rows_times_matrices, inputs, result_shape(p), dtype))


def rows_times_matrices(first: Array, second: Array) -> Array:
    return matmul(second, first[..., None])[..., 0]
