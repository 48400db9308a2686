"""The kernels of grouped products: the groups are read from a tensor, and each group is one product in memory."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from aclnn.op import Wording
from aclnn.op import Array, Kernel, exact_sum, in_memory, out_of_range
from aclnn.ops.grouped._family import COUNTS, SPARSE
from aclnn.ops.matmul._kernels import multiply

PER_TOKEN: Final = "pertoken"


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def whole(groups: Array) -> Array:
    """The groups as integers. The library does not check their data type: complex numbers give their real parts."""
    return groups if groups.dtype.kind in "iu" else np.nan_to_num(np.real(groups)).astype(np.int64)


def parts(groups: Array, kind: int, count: int) -> Iterator[tuple[int, int, int]]:
    """The number of each group, its first row, and the end of its rows, within `count` rows. A group that ends before
    it begins has no rows."""
    start = 0
    for number, entry in enumerate(whole(groups).tolist()):
        which, size = (entry[0], entry[1]) if kind == SPARSE else (number, entry)
        end = size if kind not in (COUNTS, SPARSE) else start + max(size, 0)
        yield which, min(max(start, 0), count), min(max(end, 0), count)
        start = end


def check_groups(groups: Array, *, name: str, kind: int, count: int, number: int) -> tuple[()]:
    """A step without outputs. It checks that groups end within `count` rows, and that group numbers are below
    `number`."""
    groups = whole(groups)
    sizes = groups[:, 1] if kind == SPARSE else groups
    last = exact_sum(sizes) if kind in (COUNTS, SPARSE) else int(sizes.max(initial=0))
    low = int(sizes.min(initial=0))
    if low < 0 or last > count:
        raise out_of_range(
            name,
            Wording("{index} has groups from {low} to {high}, legal values are {least} to {most}.", index=name, low=low,
                 high=last, least=0, most=count),
        )  # fmt: skip
    wrong = [group for group in groups[:, 0].tolist() if not 0 <= group < number] if kind == SPARSE else []
    if wrong:
        raise out_of_range(
            name,
            Wording("{index} has a group {group}, legal values are {least} to {most}.", index=name, group=wrong[0],
                 least=0, most=number - 1),
        )  # fmt: skip
    return ()


@in_memory
def by_groups(
    x: Array, groups: Array, *tensors: Array, out: Array, kind: int, sizes: tuple[int, ...], stacked: bool,
    names: tuple[str, ...], matrix: Kernel, attributes: Mapping[str, Any], only: int | None,
) -> None:  # fmt: skip
    """Compute each group with the kernel `matrix`. `tensors`: the tensors of the weight and of the lists `names`.
    `sizes`: the number of tensors of each list. `stacked`: True if the first dimension of a tensor is the group.
    `only`: the group that `out` is for; None if it is for all. Rows outside of the groups are not changed."""
    rest = iter(tensors)
    lists = [[next(rest) for _ in range(size)] for size in sizes]
    for group, start, end in parts(groups, kind, len(x)):
        if only not in (None, group) or start >= end or not 0 <= group < len(groups):
            continue
        rows = slice(start, end)
        of_group = [
            tensors_of_list[0][rows]
            if name == PER_TOKEN
            else tensors_of_list[0][group]
            if stacked
            else tensors_of_list[group if len(tensors_of_list) > 1 else 0]
            for name, tensors_of_list in zip(("weight", *names), lists, strict=True)
        ]
        target = out[rows] if only is None else out[: end - start]
        matrix(x[rows][: len(target)], *of_group, out=target, **attributes)


@in_memory
def by_inner(x: Array, groups: Array, weight: Array, *, out: Array, kind: int) -> None:
    """out[group] = the product over the group's part of the inner dimension. A group out of range is skipped."""
    for group, start, end in parts(groups, kind, x.shape[1]):
        if not 0 <= group < len(out):
            continue
        if start < end:
            multiply(x[:, start:end], weight[start:end], out=out[group])
        else:
            out[group] = 0
