"""Maximum pooling that returns only the values."""

from aclnn.op import (
    Arguments, Bad, Planning, at_least, demand, empty, length, listed, one_of, planned, public_format, ranks,
    same_dtype, same_format, same_rank, shape,
)  # fmt: skip
from aclnn.ops.pooling._family import Pool, channels_last, pooled, sizes_of, spread
from aclnn.ops.pooling.sums import largest


def pool_of(a: Arguments) -> Pool:
    """The pooling of a call. pads are one number, one for each dimension, or top, left, bottom, right."""
    pads = a["pads"].values
    front, behind = (pads[:2], pads[2:]) if len(pads) == 4 else (spread(pads, 2, (0, 0)),) * 2
    kernel, stride = spread(a["kernelShape"].values, 2), spread(a["strides"].values, 2, (1, 1))
    return Pool(kernel, stride, front, behind, (1, 1), a["ceilMode"] != 0)


def dilated(a: Arguments) -> Bad:
    values = a["dilations"].values
    return None if set(values) <= {1} else (list(values), "1 in each dimension")


def long_pads(a: Arguments) -> Bad:
    pool = pool_of(a)
    sums = [before + behind for before, behind in zip(pool.before, pool.behind, strict=True)]
    fits = all(total <= most for total, most in zip(sums, pool.kernel, strict=True))
    return None if fits else (list(a["pads"].values), f"at most {list(pool.kernel)} in a dimension, as kernelShape")


@planned(
    "aclnnMaxPool", listed("self", "out"), same_dtype("out", as_="self"), same_format("out", "self", storage=False),
    public_format("self"), ranks("self", "out"), same_rank("out", "self"), length("kernelShape", 1, 2),
    at_least("kernelShape", 1), length("strides", 0, 1, 2), at_least("strides", 1), one_of("autoPad", 0),
    length("pads", 0, 1, 2, 4), length("dilations", 0, 1, 2, 4),
    demand("each number of {0} is 1", "dilations", bad=dilated),
    demand("{0} are at most as long as the kernel", "pads", "kernelShape", bad=long_pads),
    shape("out", "{0} has an element for each window", lambda a: pooled(a, pool_of(a))),
    empty("out"),
)  # fmt: skip
def max_pool(p: Planning) -> None:
    """out = the largest element of each window of self. The padding is never chosen."""
    x, pool = p.read("self"), pool_of(p)
    windows = pool.windows(sizes_of(p, 2))
    p.store("out", p.step(largest, [x], pooled(p, pool), x.dtype, windows=windows, last=channels_last(p, 2)))
