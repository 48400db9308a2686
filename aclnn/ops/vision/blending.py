"""Blended images, on Atlas inference products: BackgroundReplace, BlendImagesCustom, MrgbaCustom.

All three compute in FLOAT16, step by step, as the vector unit does.
"""

from collections.abc import Callable

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_TILING_ERROR as TILING, Arguments, Array, Bad, Planning, Relation, Shape, aclDataType, demand,
    empty, generated, in_parts, listed, planned, ranks, same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.vision._family import size_of

HALF = np.float16
UINT8 = aclDataType.ACL_UINT8


def channels(name: str, *counts: int) -> Relation:
    def bad(a: Arguments) -> Bad:
        last = a.shape(name)[-1]
        return None if last in counts else (f"{last} channels", " or ".join(map(str, counts)))

    return demand("{0} has " + " or ".join(map(str, counts)) + " channels", name, bad=bad, status=TILING)


def one_channel(image: str) -> Callable[[Arguments], Shape]:
    def sizes(a: Arguments) -> Shape:
        return (*a.shape(image)[:2], 1)

    return sizes


def whole(values: Array, like: Array) -> Array:
    """Values, rounded to bytes if the image has bytes."""
    return np.rint(values).astype(np.uint8) if like.dtype == np.uint8 else values


@planned(
    "aclnnBackgroundReplace", generated(), listed("bkg", "mask"), same_dtype("src", as_="bkg"),
    same_dtype("out", as_="bkg"), ranks("bkg", status=TILING), channels("bkg", 1, 3),
    same_shape("src", as_="bkg", status=TILING), same_shape("out", as_="bkg", status=TILING),
    shape("mask", "{0} has one channel of bkg", one_channel("bkg"), status=TILING), empty("bkg"),
)  # fmt: skip
def background_replace(p: Planning) -> None:
    """out = bkg - bkg * mask + src * mask"""
    images = [p.read("bkg"), p.read("src"), p.read("mask")]
    p.store("out", p.step(replaced, images, images[0].shape, images[0].dtype))


@in_parts(first=2)
def replaced(bkg: Array, src: Array, mask: Array) -> Array:
    back, above, part = (each.astype(HALF) for each in (bkg, src, mask))
    return whole(back - back * part + above * part, bkg)


COLOURS = size_of("rgb", -1, 3, status=TILING)


@planned(
    "aclnnBlendImagesCustom", generated(), listed("rgb", "alpha", "frame", "out"), ranks("rgb", status=TILING), COLOURS,
    shape("alpha", "{0} has one channel of rgb", one_channel("rgb"), status=TILING),
    same_shape("frame", as_="rgb", status=TILING), same_shape("out", as_="rgb", status=TILING), empty("rgb"),
)  # fmt: skip
def blend_images_custom(p: Planning) -> None:
    """out = frame - frame * alpha / 255 + rgb * alpha / 255"""
    images = [p.read("rgb"), p.read("alpha"), p.read("frame")]
    p.store("out", p.step(blended, images, images[0].shape, UINT8))


@in_parts(first=2)
def blended(rgb: Array, alpha: Array, frame: Array) -> Array:
    part = alpha.astype(HALF) / HALF(255)
    back, above = frame.astype(HALF), rgb.astype(HALF)
    return whole(back - back * part + above * part, rgb)


@planned(
    "aclnnMrgbaCustom", generated(), listed("rgb", "alpha", "out"), ranks("rgb", status=TILING), COLOURS,
    shape("alpha", "{0} has one channel of rgb", one_channel("rgb"), status=TILING),
    same_shape("out", as_="rgb", status=TILING), empty("rgb"),
)  # fmt: skip
def mrgba_custom(p: Planning) -> None:
    """out = floor(rgb * alpha / 255)"""
    images = [p.read("rgb"), p.read("alpha")]
    p.store("out", p.step(dimmed, images, images[0].shape, UINT8))


@in_parts(first=2)
def dimmed(rgb: Array, alpha: Array) -> Array:
    return np.floor(rgb.astype(HALF) * (alpha.astype(HALF) / HALF(255))).astype(np.uint8)
