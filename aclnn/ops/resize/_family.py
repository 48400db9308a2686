"""Shared by the functions that resize: the dimensions of the images of a tensor, and checks of sizes and scales.

The storage format says where the channels are. ND is read as channels first.
"""

from collections.abc import Callable, Sequence
from math import floor
from typing import Final

from aclnn.op import Arguments, Bad, Relation, Series, Tensor, aclFormat, all_of, demand, except_on, shape, stored_in


F = aclFormat
Shape = tuple[int, ...]
LAST: Final = (F.ACL_FORMAT_NHWC, F.ACL_FORMAT_NDHWC)
MOST_ELEMENTS: Final = 2**31 - 1
FORMATS: Final = {
    1: (F.ACL_FORMAT_NCL, F.ACL_FORMAT_ND),
    2: (F.ACL_FORMAT_NCHW, F.ACL_FORMAT_NHWC, F.ACL_FORMAT_ND),
    3: (F.ACL_FORMAT_NCDHW, F.ACL_FORMAT_NDHWC, F.ACL_FORMAT_ND),
}
"""formats by the number of dimensions of an image"""


def axes(a: Arguments, name: str) -> Shape:
    """The dimensions of the images of a tensor."""
    rank = a.rank(name)
    return tuple(range(1, rank - 1)) if a[name].storage_format in LAST else tuple(range(2, rank))


def sizes(a: Arguments, name: str) -> Shape:
    return tuple(a.shape(name)[axis] for axis in axes(a, name))


def lead(a: Arguments, name: str) -> Shape:
    """The sizes of batch and channels."""
    places = axes(a, name)
    return tuple(size for axis, size in enumerate(a.shape(name)) if axis not in places)


def resized(a: Arguments, name: str, sizes: Sequence[int]) -> Shape:
    """The shape of a tensor with images of other sizes."""
    shape = list(a.shape(name))
    for axis, size in zip(axes(a, name), sizes, strict=True):
        shape[axis] = size
    return tuple(shape)


def arranged(a: Arguments, name: str, values: Sequence[int]) -> Shape:
    """Batch, channels and sizes in the order of a tensor's format."""
    ordered = list(values)
    return (ordered[0], *ordered[2:], ordered[1]) if a[name].storage_format in LAST else tuple(ordered)


def given_scales(a: Arguments, names: Sequence[str], *, together: bool = False) -> tuple[float, ...]:
    """The scales, with 0.0 for each that is not above 0. `together`: all are 0.0 if one of them is not above 0."""
    scales = [a[name] for name in names]
    all_positive = all(scale > 0 for scale in scales)
    return tuple(scale if scale > 0 and (all_positive or not together) else 0.0 for scale in scales)


def times(size: int, scale: float) -> int:
    """A size times a scale, rounded down. An infinite scale gives 2^63, a size that no tensor has."""
    return floor(min(size * scale + 1e-5, 2.0**63))


# checks


def count(name: str, expected_count: int, *, more: bool = False) -> Relation:
    """Checks the number of values of an array. `more`: a larger number is accepted."""

    def bad(a: Arguments) -> Bad:
        count = len(a[name].values)
        return (
            None
            if count == expected_count or (more and count > expected_count)
            else (f"{count} numbers", f"{expected_count}")
        )

    return demand(
        f"{{0}} has {'at least ' if more else ''}{expected_count} number{'s' if expected_count > 1 else ''}",
        name,
        bad=bad,
    )


def filled(*names: str, batch: bool = False) -> Relation:
    """Checks that all sizes are above 0. Without `batch`, the batch of a tensor and of inputSize may be 0."""

    def bad(a: Arguments) -> Bad:
        for name in names:
            shape = a.shape(name) if isinstance(a[name], Tensor) else a[name].values
            sizes = shape if batch or name == "outputSize" else shape[1:]
            if min(sizes, default=1) < 1:
                return list(shape), "sizes above 0"
        return None

    return demand("no size of {0} is 0" + ("" if batch else ", except that of a batch"), *names, bad=bad)


def formats(dims: int, *names: str, but: Sequence[int] = ()) -> Relation:
    """Checks that each storage format is for images of `dims` dimensions, except the formats `but`."""
    return stored_in([format_ for format_ in FORMATS[dims] if format_ not in but], *names)


def same_lead(name: str, as_: str) -> Relation:
    """Checks that two tensors have the same batch and channels."""

    def bad(a: Arguments) -> Bad:
        leading, expected_leading = lead(a, name), lead(a, as_)
        return (
            None
            if leading == expected_leading
            else (list(a.shape(name)), f"batch and channels {list(expected_leading)}, as {as_}")
        )

    return demand("{0} has the batch and the channels of {1}", name, as_, bad=bad)


def output_sizes(name: str) -> Relation:
    """Checks that a tensor has images of outputSize."""

    def bad(a: Arguments) -> Bad:
        own_sizes, expected_sizes = sizes(a, name), a["outputSize"].values
        return (
            None
            if own_sizes == expected_sizes
            else (list(a.shape(name)), f"images of {list(expected_sizes)}, as outputSize")
        )

    return demand("{0} has images of outputSize", name, "outputSize", bad=bad)


def whole(name: str, like: str = "self") -> Relation:
    """Checks that a tensor has the batch and the channels of `like`, and images of outputSize."""

    def expected_shape(a: Arguments) -> Shape:
        values = [*lead(a, like), *a["outputSize"].values]
        return arranged(a, name, values)

    return shape(name, f"{{0}} is {like} with images of outputSize", expected_shape)


def of_the_input(name: str) -> Relation:
    """Checks that a tensor has the shape inputSize."""
    return shape(name, "{0} has the shape inputSize", lambda a: a["inputSize"].values)


def of_the_output(name: str) -> Relation:
    """Checks that a gradient has the batch and the channels of inputSize, and images of outputSize."""

    def expected_shape(a: Arguments) -> Shape:
        input_sizes, last = a["inputSize"].values, a[name].storage_format in LAST
        values = [input_sizes[0], input_sizes[-1] if last else input_sizes[1], *a["outputSize"].values]
        return arranged(a, name, values)

    return shape(name, "{0} has the batch and channels of inputSize, and images of outputSize", expected_shape)


def short(*names: str) -> Relation:
    """Checks that each dimension has at most 2^31 - 1 elements, before Ascend 950."""

    def bad(a: Arguments) -> Bad:
        for name in names:
            if max(a.shape(name), default=0) > MOST_ELEMENTS:
                return list(a.shape(name)), f"at most {MOST_ELEMENTS} in each dimension"
        return None

    return except_on(Series.A950, demand(f"{{0}} has at most {MOST_ELEMENTS} elements in a dimension", *names, bad=bad))


def not_negative(*names: str) -> Relation:
    def rule_of(name: str) -> Relation:
        return demand("{0} is not negative", name, bad=lambda a: None if a[name] >= 0 else (a[name], "0 or more"))

    return all_of(*map(rule_of, names))


Ratios = Callable[[Arguments], Sequence[float]]
"""function from a call to its real scales: elements of the input for an element of the output"""


def limited(ratios: Ratios, name: str, *, most: float = 0.0, least: float = 0.0, everywhere: bool = True) -> Relation:
    """Checks that the real scales do not exceed a limit. `everywhere`: also on Ascend 950."""
    words = f"at most {most:g}" if most else f"at least {least:g}"

    def bad(a: Arguments) -> Bad:
        values = list(ratios(a))
        fits = all((not most or value <= most) and value >= least for value in values)
        return None if fits else (values, words)

    demanded = demand(f"the real scale of {{0}} is {words}", name, "outputSize", bad=bad)
    return demanded if everywhere else except_on(Series.A950, demanded)
