"""Resize: resizes images by scales. Position i of the result is position i * in / out of the input."""

from math import floor, isfinite

from aclnn.op import (
    Arguments, Bad, Planning, aclFormat, demand, empty, listed, planned, ranks, said, same_dtype, same_format,
)  # fmt: skip
from aclnn.ops.resize._family import axes, count, formats, same_lead, sizes
from aclnn.ops.resize.taps import linear, nearest, picked, resampled

EPSILON = 1e-5
MODES = ("nearest", "bilinear")


def unknown(a: Arguments) -> Bad:
    """Checks the mode. The library compares the beginning of the text."""
    return None if a["mode"].startswith(MODES) else (repr(a["mode"]), " or ".join(map(repr, MODES)))


def unscaled(a: Arguments) -> Bad:
    """Checks that the sizes of out are the sizes of self times the scales, rounded down."""
    scales = [a["scales"].values[axis] for axis in axes(a, "self")]
    for size, out_size, scale in zip(sizes(a, "self"), sizes(a, "out"), scales, strict=True):
        least, most = size * (scale - EPSILON), size * (scale + EPSILON)
        if not isfinite(most) or not floor(least) <= out_size <= floor(most):
            return list(a.shape("out")), f"sizes of self times {list(a['scales'].values)}"
    return None


@planned(
    "aclnnResize", said("mode"), demand("{0} is known", "mode", bad=unknown), listed("self"),
    same_dtype("out", as_="self"), formats(2, "self", but=(aclFormat.ACL_FORMAT_ND,)), same_format("out", as_="self"),
    ranks("self", "out"), same_lead("out", "self"), count("scales", 4),
    demand("{0} has the scaled sizes of self", "out", "self", "scales", bad=unscaled), empty("self", "out"),
)  # fmt: skip
def resize(p: Planning) -> None:
    """out = self in other sizes. nearest: the element at position i * in / out, rounded down; bilinear: the weighted
    mean of the four elements around that position"""
    x, places = p.read("self"), axes(p, "self")
    rows = list(zip(sizes(p, "self"), sizes(p, "out"), strict=True))
    if p["mode"].startswith("nearest"):
        picks = [nearest(*row) for row in rows]
        result = p.step(picked, [x], p.shape("out"), x.dtype, moves=True, axes=places, picks=picks)
    else:
        taps = [linear(*row, middle=0.0) for row in rows]
        result = p.step(resampled, [x], p.shape("out"), x.dtype, axes=places, taps=taps)
    p.store("out", result)
