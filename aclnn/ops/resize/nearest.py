"""Nearest neighbours: each element of the result is one of the input, bit for bit."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array, format_name
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.objects.soc import Series
from aclnn.engine.words.common_types import FLOATS, with_bf16
from aclnn.engine.words.products import except_on
from aclnn.engine.words.values import same_format
from aclnn.op import Arguments, Planning, demand, empty, listed, planned, ranks, same_dtype

Bad = tuple[object, object] | None
Shape = tuple[int, ...]
TYPES: Final = with_bf16((*FLOATS, aclDataType.ACL_UINT8))
PLANES: Final = {aclFormat.ACL_FORMAT_NCHW: (2, 3), aclFormat.ACL_FORMAT_NHWC: (1, 2)}
"""by format, the dimensions of an image"""
MOST: Final = 2**31 - 1


def rows_and_columns(a: Arguments, name: str) -> Shape:
    """The size of the images of a tensor."""
    return tuple(a.shape(name)[at] for at in PLANES[a[name].storage_format])


def two(a: Arguments) -> Bad:
    found = len(a["outputSize"].values)
    return None if found == 2 else (f"{found} numbers", "2")


def no_image(a: Arguments) -> Bad:
    sizes, found = a["outputSize"].values, a.shape("self")
    return (list(found), "images with elements") if 0 in (*found[1:], *sizes) else None


def no_format(a: Arguments) -> Bad:
    found = a["self"].storage_format
    return None if found in PLANES else (format_name(found), "NCHW or NHWC")


def other_lead(a: Arguments) -> Bad:
    found, wanted = (rest(a, name) for name in ("out", "self"))
    return None if found == wanted else (list(a.shape("out")), f"batch and channels {list(wanted)}, as self")


def rest(a: Arguments, name: str) -> Shape:
    """Batch and channels of a tensor."""
    plane = PLANES[a[name].storage_format]
    return tuple(size for at, size in enumerate(a.shape(name)) if at not in plane)


def other_size(a: Arguments) -> Bad:
    found, wanted = rows_and_columns(a, "out"), a["outputSize"].values
    return None if found == wanted else (list(a.shape("out")), f"images of {list(wanted)}, as outputSize")


def too_large(a: Arguments) -> Bad:
    for name in ("self", "out"):
        if max(a.shape(name)) > MOST:
            return list(a.shape(name)), f"at most {MOST} in each dimension"
    return None


@planned(
    "aclnnUpsampleNearest2d", listed("self", "out", among=TYPES), same_dtype("out", as_="self"),
    demand("{0} has two numbers", "outputSize", bad=two), ranks("self", "out"),
    demand("no size of {0} is 0, except that of a batch", "self", "outputSize", bad=no_image),
    demand("{0} is stored as NCHW or NHWC", "self", bad=no_format), same_format("out", "self"),
    demand("{0} has the batch and the channels of self", "out", "self", bad=other_lead),
    demand("{0} has images of outputSize", "out", "outputSize", bad=other_size),
    except_on(Series.A950, demand("{0} has at most 2147483647 elements in a dimension", "self", "out", bad=too_large)),
    empty("self", "out"),
)  # fmt: skip
def upsample_nearest_2d(p: Planning) -> None:
    """out = self with images of outputSize: row i is row floor(i * (rows of self) / (rows of out)), with a ratio in
    FLOAT; columns likewise"""
    x, axes = p.read("self"), PLANES[p["self"].storage_format]
    picks = [nearest(x.shape[at], size) for at, size in zip(axes, p["outputSize"].values, strict=True)]
    p.store("out", p.step(picked, [x], p.shape("out"), x.dtype, moves=True, axes=axes, picks=picks))


def nearest(size: int, wanted: int) -> Array:
    """For each place of the result, that of the input."""
    ratio = np.float32(size) / np.float32(wanted)
    return np.minimum((np.arange(wanted, dtype=np.float32) * ratio).astype(np.int64), size - 1)


def picked(x: Array, *, axes: Shape, picks: Sequence[Array]) -> Array:
    for at, places in zip(axes, picks, strict=True):
        x = np.take(x, places, at)
    return x
