"""Shapes of the results of movement and of reads at positions."""

from math import ceil, prod
from typing import Any

import numpy as np

from acl_runtime.headers.dtypes import Shape
from aclnn.by_name.call import Named
from aclnn.by_name.shape_rules import Shapes, replaced, without


def permuted(n: Named) -> Shape:
    return tuple(n["x"].shape[i] for i in n.ints("perm"))


def relabelled(n: Named) -> Shape:
    source, target = n["src_format"], n["dst_format"]
    return tuple(n["src"].shape[source.index(name)] for name in target)


def confused(n: Named) -> Shape:
    shape = n.ints("shape")
    return tuple(shape) if n["transpose_first"] else tuple(shape[i] for i in n.ints("perm"))


def reshaped(n: Named) -> Shape:
    sizes, whole = n.ints("shape"), n["x"].shape
    sizes = [whole[axis] if size == 0 else size for axis, size in enumerate(sizes)]
    return tuple(n["x"].numel // -prod(sizes) if size < 0 else size for size in sizes)


def flattened(n: Named) -> Shape:
    x, begin = n["x"].shape, n["axis"]
    if n.arguments.row.type == "Flatten":
        return prod(x[:begin]), prod(x[begin:])
    end = n["end_axis"] % len(x) + 1
    return (*x[:begin], prod(x[begin:end]), *x[end:])


def squeezed(n: Named) -> Shape:
    x = n["x"].shape
    return without(x, n["axis"] or [axis for axis, size in enumerate(x) if size == 1], keep=False)


def unsqueezed(n: Named) -> Shape:
    return np.expand_dims(np.broadcast_to(np.empty(()), n["x"].shape), tuple(n["axes"])).shape


def on_diagonal(n: Named) -> Shape:
    x, shift = n["x"].shape, n["diagonal"]
    if len(x) == 1:
        return (x[0] + abs(shift),) * 2
    return (max(min(x[0], x[1] - shift) if shift >= 0 else min(x[0] + shift, x[1]), 0),)


def joined(n: Named) -> Shape:
    x, axis = [each.shape for each in n["x"]], n.integer("concat_dim")
    return replaced(x[0], axis, sum(shape[axis] for shape in x))


def parted(n: Named) -> Shapes:
    x, axis, count = n["x"].shape, n.integer("split_dim"), n["num_split"]
    if not 0 < count <= x[axis]:
        raise ValueError(f"{count} parts of {x[axis]} elements")
    has_sizes = "size_splits" in n.arguments.tensors or "size_splits" in n.arguments.row.attributes
    sizes = n.ints("size_splits") if has_sizes else [x[axis] // count] * count
    rest = x[axis] - sum(size for size in sizes if size >= 0)
    return [replaced(x, axis, rest if size < 0 else size) for size in sizes]


def stacked(n: Named) -> Shape:
    shape, axis = n["x"][0].shape, n["axis"]
    axis %= len(shape) + 1
    return (*shape[:axis], len(n["x"]), *shape[axis:])


def unstacked(n: Named) -> Shapes:
    if n["num"] != n["x"].shape[n["axis"]]:
        raise ValueError(f"{n['num']} parts of {n['x'].shape[n['axis']]} elements")
    return [replaced(n["x"].shape, n["axis"])] * n["num"]


def sliced(n: Named) -> Shape:
    parts = zip(n["x"].shape, n.ints("offsets"), n.ints("size"), strict=True)
    return tuple(size - start if length < 0 else length for size, start, length in parts)


def strided(n: Named) -> Shape:
    """The shape of a slice, by the rules of numpy. Each mask has a bit for each entry of begin."""
    begin, end = n.ints("begin"), n.ints("end")
    steps = n.ints("strides") or [1] * len(begin)
    keys: list[Any] = []
    for dim, (low, high, step) in enumerate(zip(begin, end, steps, strict=True)):
        bit = {name: n[name] >> dim & 1 for name in n.arguments.row.attributes if name.endswith("_mask")}
        ends = None if bit["begin_mask"] else low, None if bit["end_mask"] else high
        special = Ellipsis if bit["ellipsis_mask"] else None if bit["new_axis_mask"] else low
        chosen = any(bit[f"{name}_mask"] for name in ("ellipsis", "new_axis", "shrink_axis"))
        keys.append(special if chosen else slice(*ends, step))
    return np.broadcast_to(np.empty(()), n["x"].shape)[tuple(keys)].shape


def cropped(n: Named) -> Shape:
    axis = n["axis"] % len(n["x"].shape)
    return (*n["x"].shape[:axis], *n["size"].shape[axis:])


def padded(n: Named) -> Shape:
    x = n["x"].shape
    pairs = np.array(n.ints("paddings"), np.int64)
    spread = "paddings_contiguous" in n.arguments.row.attributes and not n["paddings_contiguous"]
    more = pairs.reshape(2, len(x)).sum(0) if spread else pairs.reshape(len(x), 2).sum(1)
    more = -more if n.arguments.row.type == "PadV3Grad" else more
    return tuple(map(int, more + x))


def expanded(n: Named) -> Shape:
    return np.broadcast_shapes(n["x"].shape, tuple(n.ints("shape")))


def tiled(n: Named) -> Shape:
    times = n.ints("multiples")
    x = (*(1,) * (len(times) - len(n["x"].shape)), *n["x"].shape)
    return tuple(size * by for size, by in zip(x, times, strict=True))


# positions


def gathered(n: Named) -> Shape:
    return replaced(n["x"].shape, n.integer("axis"), *n["indices"].shape)


def indexed(n: Named) -> Shape:
    """The indexed dimensions come at the place of the first one, or in front if other dimensions are between them."""
    x, flags = n["x"].shape, n.ints("indexed_sizes") or [1] * len(n["indices"])
    axes = [axis for axis, on in enumerate(flags) if on]
    chosen = np.broadcast_shapes(*(index.shape for index in n["indices"]))
    rest, separated = [size for axis, size in enumerate(x) if axis not in axes], axes[-1] - axes[0] >= len(axes)
    place = 0 if separated else axes[0]
    return (*rest[:place], *chosen, *rest[place:])


def hot(n: Named) -> Shape:
    x, axis = n["x"].shape, n["axis"] % (len(n["x"].shape) + 1)
    return (*x[:axis], n.integer("depth"), *x[axis:])


def counted(n: Named) -> Shape:
    start, limit, delta = (n.number(name) for name in ("start", "limit", "delta"))
    steps = (limit - start) / delta if delta else 0
    return (max(int(steps) + 1 if n["is_closed"] else ceil(steps), 0),)


def greatest(n: Named) -> Shape:
    return replaced(n["x"].shape, n["dim"], n.integer("k"))


def uniques(n: Named) -> Shapes:
    return [(-1,), (n["x"].numel,), (-1,)]


def segments(n: Named) -> Shape:
    return (n.integer("num_segments"), *n["x"].shape[len(n["segment_ids"].shape) :])
