"""Relations that the functions on images and boxes share."""

from collections.abc import Callable
from typing import Any, Final

from aclnn.op import ACLNN_ERR_PARAM_INVALID, Arguments, Bad, Relation, Shape, aclFormat, all_of, demand, one_of, said


ND: Final = (aclFormat.ACL_FORMAT_ND,)
NCHW: Final = (aclFormat.ACL_FORMAT_NCHW,)


def size_of(name: str, axis: int, size: int, *, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """Checks that one dimension of a tensor has a fixed size."""

    def bad(a: Arguments) -> Bad:
        return None if a.shape(name)[axis] == size else (list(a.shape(name)), f"{size} in dimension {axis}")

    return demand(f"{{0}} has {size} elements in dimension {axis}", name, bad=bad, status=status)


def same_size(name: str, as_: str, axis: int = 0, reference_axis: int | None = None) -> Relation:
    """Checks that one dimension of a tensor has the size of a dimension of another tensor."""

    def bad(a: Arguments) -> Bad:
        size = a.shape(as_)[axis if reference_axis is None else reference_axis]
        return None if a.shape(name)[axis] == size else (list(a.shape(name)), f"{size} in dimension {axis}, as {as_}")

    return demand(f"{{0}} has as many elements in dimension {axis} as {{1}}", name, as_, bad=bad)


def value(name: str, words: str, fits: Callable[[Any], bool]) -> Relation:
    """Checks a value by a predicate, which `words` describe."""
    return demand(f"{{0}} is {words}", name, bad=lambda a: None if fits(a[name]) else (repr(a[name]), words))


def mode(*modes: str) -> Relation:
    """Checks that the text `mode` is not null, and one of `modes`."""
    return all_of(said("mode", status=ACLNN_ERR_PARAM_INVALID), one_of("mode", *modes))


def region_result(a: Arguments, image: str, boxes: str, *sizes: str) -> Shape:
    """The shape of the pooled regions: a region for each box, with the channels of the image."""
    return (a.shape(boxes)[0], a.shape(image)[1], *(a[size] for size in sizes))
