"""Rasterizer: the triangle of a mesh at each pixel, and the position of the pixel in that triangle."""

from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_TILING_ERROR as TILING, Arguments, Array, Planning, Shape, aclDataType, check_range, empty,
    generated, in_range, listed, one_of, planned, ranks, shape,
)  # fmt: skip
from aclnn.ops.vision._family import size_of

MOST_PIXELS: Final = 4096
"""the largest width and height"""


def pixels(a: Arguments) -> Shape:
    return (a["height"], a["width"])


@planned(
    "aclnnRasterizer", generated(), listed("v", "f", "findicesOut", "barycentricOut"),
    in_range("width", 1, MOST_PIXELS, status=TILING), in_range("height", 1, MOST_PIXELS, status=TILING),
    one_of("useDepthPrior", 0, status=TILING), ranks("v", "f", "findicesOut", "barycentricOut", status=TILING),
    size_of("v", 1, 4, status=TILING), size_of("f", 1, 3, status=TILING),
    shape("findicesOut", "{0} has a number for each pixel", pixels, status=TILING),
    shape("barycentricOut", "{0} has three weights for each pixel", lambda a: (*pixels(a), 3), status=TILING),
    empty("v", "f"),
)  # fmt: skip
def rasterizer(p: Planning) -> None:
    """findicesOut = the number of the nearest triangle at each pixel, counted from 1, or 0 without a triangle;
    barycentricOut = the weights of the corners of that triangle, corrected for the perspective"""
    vertices, faces = p.read("v"), p.read("f")
    p.builder.launch(check_range, [faces], [], name=p.name("f"), count=vertices.shape[0])
    size = pixels(p)
    numbers, weights = p.steps(drawn, [vertices, faces], [(size, aclDataType.ACL_INT32), ((*size, 3), vertices.dtype)],
                               size=size)  # fmt: skip
    p.store("findicesOut", numbers)
    p.store("barycentricOut", weights)


def drawn(vertices: Array, faces: Array, *, size: Shape) -> tuple[Array, Array]:
    """Each triangle is drawn on the pixels of its bounding box. The nearer triangle wins, then the smaller number."""
    height, width = size
    numbers, weights = np.zeros(size, np.int32), np.zeros((*size, 3), np.float32)
    depths = np.full(size, np.inf, np.float32)
    places = on_screen(vertices, size)
    for face, corners in enumerate(faces):
        if corners.min() < 0 or corners.max() >= len(vertices):
            continue
        triangle = places[corners]
        if not np.isfinite(triangle).all():
            continue
        low, high = triangle[:, :2].min(0), triangle[:, :2].max(0)
        left, top = map(int, np.clip(np.floor(low - 0.5), 0, (width, height)))
        right, bottom = map(int, np.clip(np.ceil(high) + 1, 0, (width, height)))
        part = (slice(top, bottom), slice(left, right))
        middle = np.meshgrid(np.arange(left, right) + 0.5, np.arange(top, bottom) + 0.5)
        inside = barycentric(triangle, np.stack(middle, -1).astype(np.float32))
        depth = inside @ triangle[:, 2]
        wins = (inside >= 0).all(-1) & (depth < depths[part])
        shares = inside / vertices[corners, 3]
        depths[part][wins], numbers[part][wins] = depth[wins], face + 1
        weights[part][wins] = (shares / shares.sum(-1, keepdims=True))[wins]
    return numbers, weights


def on_screen(vertices: Array, size: Shape) -> Array:
    """Vertices of the clip space, as columns, rows and depths of the screen."""
    height, width = size
    places: Array = vertices[:, :3] / vertices[:, 3:]
    half = np.float32(0.5)
    places[:, 0] = (places[:, 0] * half + half) * (width - 1) + half
    places[:, 1] = (places[:, 1] * half + half) * (height - 1) + half
    places[:, 2] = places[:, 2] * np.float32(0.49999) + half
    return places


def barycentric(triangle: Array, points: Array) -> Array:
    """The weights of the three corners at points; -1 in a triangle without an area."""
    first, second, third = triangle[:, :2]
    area = _area(first, second, third)
    if area == 0:
        return np.full((*points.shape[:-1], 3), -1, np.float32)
    beta, gamma = _area(first, points, third) / area, _area(first, second, points) / area
    return np.stack([1 - beta - gamma, beta, gamma], -1)


def _area(a: Array, b: Array, c: Array) -> Array:
    """Twice the area of a triangle, with a sign."""
    across, down = c - a, b - a
    return np.asarray(across[..., 0] * down[..., 1] - down[..., 0] * across[..., 1])
