"""Data types, format labels, geometry and cubeMathType of convolutions."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from aclnn.op import (
    FLOAT_OR_HALF, Arguments, Array, Bad, DataTypes, Operand, Planning, Relation, Series, Shape, Windows, aclDataType,
    aclFormat, all_of, count_of, current, demand, format_name, regular, with_bf16,
)  # fmt: skip
from aclnn.ops.matmul._family import WITH_FLOAT, WITH_HF32, CubeMathType, note_float32
from aclnn.ops.matmul._kernels import hfloat32

T, F, C = aclDataType, aclFormat, CubeMathType
EIGHT_BITS: Final = (T.ACL_HIFLOAT8, T.ACL_FLOAT8_E4M3FN)
CONVOLVED_TYPES: Final[DataTypes] = with_bf16(FLOAT_OR_HALF, on={Series.A950: EIGHT_BITS})
LABELS: Final = {3: F.ACL_FORMAT_NCL, 4: F.ACL_FORMAT_NCHW, 5: F.ACL_FORMAT_NCDHW}
"""the usual format label, by the number of dimensions"""
ONE_OR_TWO: Final = {1: "a number", 2: "one or two numbers"}


class Geometry(NamedTuple):
    """Kernel size, stride, dilation and padding of a convolution, for each spatial dimension."""

    kernel: Shape
    stride: Shape
    dilation: Shape
    around: tuple[tuple[int, int], ...]
    """zeros before and behind"""

    def counts(self, sizes: Shape) -> Shape:
        """The number of windows on a tensor with these sizes, in each dimension."""
        rows = zip(sizes, self.kernel, self.stride, self.around, self.dilation, strict=True)
        return tuple(count_of(size, k, s, sum(p), d) for size, k, s, p, d in rows)

    def spread(self, counts: Shape, more: Sequence[int]) -> Shape:
        """The output sizes of a transposed convolution, with `more` elements added at the end."""
        rows = zip(counts, self.kernel, self.stride, self.around, self.dilation, more, strict=True)
        return tuple((count - 1) * s - sum(p) + d * (k - 1) + op + 1 for count, k, s, p, d, op in rows)

    def windows(self, sizes: Shape, counts: Shape) -> tuple[Windows, ...]:
        rows = zip(sizes, self.kernel, self.stride, self.around, self.dilation, counts, strict=True)
        return tuple(regular(size, k, s, p[0], d, count) for size, k, s, p, d, count in rows)


def geometry(a: Arguments) -> Geometry:
    """The geometry of a call with the parameters weight, stride, dilation and padding."""
    kernel = a.shape("weight")[2:]
    stride, dilation, padding = (a[name].values for name in ("stride", "dilation", "padding"))
    sides = padding if len(padding) == 2 * len(kernel) else tuple(count for count in padding for _ in range(2))
    return Geometry(kernel, stride, dilation, tuple(zip(sides[::2], sides[1::2], strict=True)))


def channels_out(a: Arguments) -> int:
    """The channels of the output."""
    return a.shape("weight")[1] * a["groups"] if a["transposed"] else a.shape("weight")[0]


def labelled(*names: str) -> Relation:
    """Checks that each tensor has the format label for its number of dimensions."""

    def rule_of(name: str) -> Relation:
        def bad(a: Arguments) -> Bad:
            label, expected_label = a[name].format, LABELS.get(a.rank(name))
            return (
                None
                if label == expected_label
                else (format_name(label), format_name(expected_label or F.ACL_FORMAT_NCHW))
            )

        return demand("{0} is labelled NCL, NCHW or NCDHW, by its number of dimensions", name, bad=bad)

    return all_of(*map(rule_of, names))


def any_label(*names: str) -> Relation:
    """Checks that each tensor has one of the format labels NCL, NCHW and NCDHW."""

    def rule_of(name: str) -> Relation:
        def bad(a: Arguments) -> Bad:
            label = a[name].format
            return None if label in LABELS.values() else (format_name(label), "NCL, NCHW or NCDHW")

        return demand("{0} is labelled NCL, NCHW or NCDHW", name, bad=bad)

    return all_of(*map(rule_of, names))


def lengths(name: str, allowed: Sequence[int], reference: str = "weight") -> Relation:
    """Checks that the length of an array is the number of spatial dimensions, times one of the `allowed` factors."""

    def bad(a: Arguments) -> Bad:
        count, expected_counts = len(a[name].values), [factor * (a.rank(reference) - 2) for factor in allowed]
        return None if count in expected_counts else (f"{count} numbers", " or ".join(map(str, expected_counts)))

    return demand(
        f"{{0}} has {ONE_OR_TWO[len(allowed)]} for each dimension behind the channels", name, reference, bad=bad
    )


def cube_math_type(*inputs: str) -> Relation:
    """Checks that the NPU supports the value of cubeMathType for these inputs, by default input and weight."""
    names = inputs or ("input", "weight")

    def bad(a: Arguments) -> Bad:
        value, floats = a["cubeMathType"], a.promoted(*names) == T.ACL_FLOAT
        if value not in range(5):
            return value, "0, 1, 2, 3, 4"
        if a.soc.series not in WITH_FLOAT and floats and value not in (1, 2):
            return f"{C(value).name} ({value}) with a FLOAT input", "1, 2"
        return None

    return demand("{0} is a value that the product supports for these inputs", "cubeMathType", *names, bad=bad)


def computed(p: Planning, *names: str) -> int:
    """The data type that the inputs, by default input and weight, are cast to."""
    both = p.promoted(*(names or ("input", "weight"))) or T.ACL_FLOAT
    if p.soc.series not in WITH_FLOAT or (both == T.ACL_FLOAT and p["cubeMathType"] == C.USE_FP16):
        return T.ACL_FLOAT16
    return both


def in_hf32(p: Planning, dtype: int, name: str = "input") -> bool:
    """True if the inputs are rounded to HFLOAT32. If only the option hf32 of the machine is missing, report advice."""
    if dtype != T.ACL_FLOAT or p["cubeMathType"] not in WITH_HF32 or p.soc.series not in WITH_FLOAT:
        return False
    if not current().options.hf32:
        note_float32(p, name)
        return False
    return True


def multiplied(p: Planning, *names: str) -> list[Operand]:
    """The inputs of a product, in the data type of its computation, and rounded to HFLOAT32 if it uses that."""
    dtype = computed(p, *names)
    inputs = [p.read(name, dtype) for name in names]
    return [p.step(rounded, [x], x.shape, dtype) for x in inputs] if in_hf32(p, dtype, names[0]) else inputs


def rounded(x: Array) -> Array:
    return hfloat32(x)
