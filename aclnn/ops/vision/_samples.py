"""The samples of a region along one dimension of an image, for RoiAlign.

A region is cut into bins. A bin has `ratio` samples at equal distances. A sample between two pixels is interpolated
from both. A sample less than a pixel before the first pixel has the value of that pixel. Other samples outside of the
image are 0.

A cell is the interval between two pixels. The number of samples of a bin in a cell, and their mean place, have a closed
form. So the cost of a region does not depend on its number of samples. Device memory can hold boxes with any number of
samples.
"""

from typing import NamedTuple

import numpy as np

from aclnn.op import Array


class Samples(NamedTuple):
    """The samples of all bins. Cell k lies between the pixels k - 1 and k."""

    size: int
    """pixels of the dimension"""
    ratio: int
    """samples of a bin, inside and outside of the image"""
    first: Array
    """the first sample of each bin, as a column"""
    step: float
    """the distance of two samples"""
    before: Array
    """the number of samples before an edge of a cell, by bin and edge"""

    def weights(self) -> Array:
        """The total weight of each pixel in the samples of each bin, by bin and pixel."""
        counts = np.diff(self.before, axis=1)
        middle = self.first + (self.before[:, 1:] + self.before[:, :-1] - 1) / 2 * self.step
        upper = counts * np.clip(middle - np.arange(-1, self.size), 0, 1)
        lower = counts - upper
        result = lower[:, 1:]
        result[:, 0] += counts[:, 0]
        result[:, 1:] += upper[:, 1:-1]
        result[:, -1] += upper[:, -1]
        return result

    def inside(self, bin: int) -> bool:
        """True if all samples of a bin are in the image."""
        return bool(self.before[bin, -1] - self.before[bin, 0] == self.ratio)

    def ends(self, bin: int) -> tuple[Array, Array, Array]:
        """The first and the last sample of a bin in each cell, given as two pixels and the weight of the second pixel.
        A bilinear surface has its largest value at one of these ends."""
        cells = np.nonzero(np.diff(self.before[bin]) > 0)[0]
        numbers = np.stack([self.before[bin, cells], self.before[bin, cells + 1] - 1]).ravel()
        places = np.clip(self.first[bin] + numbers * self.step, 0, self.size - 1)
        low = np.minimum(places.astype(np.int64), self.size - 1)
        return low, np.minimum(low + 1, self.size - 1), places - low


def samples(low: float, high: float, ratio: int, count: int, size: int, *, least: float) -> Samples:
    """The samples of `count` bins between two places of a dimension. `ratio` 0: as many as a bin has pixels, rounded
    up. `least`: the smallest extent of a region, or 0 for none."""
    extent = max(high - low, least) if least else high - low
    usable = bool(np.isfinite(extent)) and size > 0
    width = extent / count if usable else 0.0
    if ratio <= 0:
        ratio = max(int(np.ceil(width)), 0)
    if not usable or not ratio:
        return Samples(size, 0, np.zeros((count, 1)), 0.0, np.zeros((count, size + 2)))
    step = width / ratio
    first = low + step / 2 + np.arange(count)[:, None] * width
    if step < 0:  # count the same samples from the other end
        first, step = first + (ratio - 1) * step, -step
    edges = np.arange(-1.0, size + 1)
    if step:
        counts = np.ceil((edges - first) / step)
        last = np.floor((size - first[:, 0]) / step) + 1  # a sample on the far edge is included
    else:
        counts = np.where(edges > first, ratio, 0)
        last = np.where(first[:, 0] <= size, ratio, 0)
    counts[:, -1] = last
    return Samples(size, ratio, first, step, np.clip(counts, 0, ratio).astype(np.float64))
