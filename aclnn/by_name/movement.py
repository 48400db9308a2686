"""Operators by name that change shapes, and move elements."""

from collections.abc import Sequence
from math import prod
from typing import Final

from acl_runtime.objects.handle_table import Tensor, reach
from aclnn.by_name.call import Named
from aclnn.by_name.padding import pad, pad_gradient
from aclnn.by_name.row import Plan, Required, row
from aclnn.by_name.uses import copy, described, same_types, uses

MAPPED: Final = {"NCHW", "NHWC"}


def permute(order: str) -> Plan:
    def plan(n: Named) -> None:
        n.aclnn("aclnnPermute", n["x"], n.ints(order), n["y"])

    return described(plan, "aclnnPermute")


def trans_data(n: Named) -> None:
    """aclnnPermute between NCHW and NHWC; a copy between equal formats, and to or from FRACTAL_NZ"""
    old_order, new_order = n["src_format"], n["dst_format"]
    if {old_order, new_order} == MAPPED:
        order = [old_order.index(name) for name in new_order]
        source = n["src"]
        if len(source.shape) != len(old_order):
            raise n.refused(f"src has {len(source.shape)} dimensions, and {old_order} has {len(old_order)}")
        n.aclnn("aclnnPermute", source, order, n["dst"])
    elif old_order == new_order or "FRACTAL_NZ" in (old_order, new_order):
        copy(n, n["src"], n["dst"])
    else:
        raise n.refused(f"this emulator does not lay out {old_order} as {new_order}")


def confusion_transpose(n: Named) -> None:
    """aclnnPermute of x, or of x in another shape"""
    x, y, perm, shape = n["x"], n["y"], n.ints("perm"), n.ints("shape")
    if n["transpose_first"]:
        copy(n, n.permuted(x, perm), y)
    else:
        n.aclnn("aclnnPermute", n.viewed(x, shape), perm, y)


def reshape(n: Named) -> None:
    """aclnnInplaceCopy into the shape of y"""
    copy(n, n["x"], n["y"])


def concat(axis: str) -> Plan:
    def plan(n: Named) -> None:
        x = n["x"]
        if "N" in n.arguments.attributes and n["N"] != len(x):
            raise n.refused(f"N is {n['N']}, and x has {len(x)} tensors")
        n.aclnn("aclnnCat", x, n.integer(axis), n["y"])

    return described(plan, "aclnnCat")


def split(axis: str, sizes: str = "") -> Plan:
    def plan(n: Named) -> None:
        dim = n.integer(axis)
        x, y = n["x"], n["y"]
        dim %= len(x.shape)
        if n["num_split"] != len(y):
            raise n.refused(f"num_split is {n['num_split']}, and y has {len(y)} tensors")
        parts = n.ints(sizes) if sizes else [x.shape[dim] // len(y)] * len(y)
        if -1 in parts:
            parts[parts.index(-1)] = x.shape[dim] - sum(parts) - 1
        n.aclnn("aclnnSplitWithSize", x, parts, dim, y)

    return described(plan, "aclnnSplitWithSize")


def pack(n: Named) -> None:
    """aclnnStack"""
    n.aclnn("aclnnStack", n["x"], n["axis"], n["y"])


def unpack(n: Named) -> None:
    """aclnnSplitWithSize into tensors without the dimension"""
    x, y = n["x"], n["y"]
    axis = n["axis"] % len(x.shape)
    parts = [n.viewed(each, (*each.shape[:axis], 1, *each.shape[axis:])) for each in y]
    n.aclnn("aclnnSplitWithSize", x, [1] * len(y), axis, parts)


def slice_(n: Named) -> None:
    """aclnnInplaceCopy of a part of x; the size -1 reaches to the end"""
    pairs = zip(n.ints("offsets"), n.ints("size"), strict=True)
    _part(n, [slice(first, None if size == -1 else first + size) for first, size in pairs])


def crop(n: Named) -> None:
    """aclnnInplaceCopy of a part of x, from the dimension axis on; the shape of the tensor `size` gives the sizes"""
    rank, offsets = len(n["x"].shape), n.ints("offsets")
    axis = n["axis"] % rank
    count = rank - axis
    if len(offsets) not in (1, count):
        raise n.refused(f"{len(offsets)} offsets for {count} dimensions")
    begin = offsets * count if len(offsets) == 1 else offsets
    ranges = [slice(first, first + size) for first, size in zip(begin, n["size"].shape[axis:], strict=True)]
    _part(n, [slice(None)] * axis + ranges)


MASKS: Final = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def strided_slice(n: Named) -> None:
    """aclnnInplaceCopy of a part of x; aclnnStridedSlice with a mask or a negative stride"""
    begin, end = n.ints("begin"), n.ints("end")
    strides = n.ints("strides") or [1] * len(begin)
    if not any(n[name] for name in MASKS) and all(stride > 0 for stride in strides):
        _part(n, list(map(slice, begin, end, strides)))
    else:
        n.aclnn("aclnnStridedSlice", n["x"], begin, end, strides, *(n[name] for name in MASKS), n["y"])


def _part(n: Named, ranges: Sequence[slice]) -> None:
    """Copy a part of x. aclnnSliceV2 lacks data types that images of 16 bits need."""
    x, y = n["x"], n["y"]
    pairs = zip(x.shape, [*ranges, *[slice(None)] * (len(x.shape) - len(ranges))], strict=True)
    steps = [range(*part.indices(size)) for size, part in pairs]
    shape = tuple(map(len, steps))
    if shape != y.shape:
        raise n.refused(f"the part has the shape {list(shape)}, and y has {list(y.shape)}")
    offset = sum(step.start * stride for step, stride in zip(steps, x.strides, strict=True))
    strides = [step.step * stride for step, stride in zip(steps, x.strides, strict=True)]
    copy(n, n.viewed(x, shape, strides, offset), y)


def expand(n: Named) -> None:
    """aclnnInplaceCopy, which broadcasts x to the shape of y"""
    same_types(n, "x", "y")
    n.aclnn("aclnnInplaceCopy", n["y"], n["x"])


def tile(n: Named) -> None:
    """aclnnRepeat"""
    n.aclnn("aclnnRepeat", n["x"], n.ints("multiples"), n["y"])


def roll(n: Named) -> None:
    """aclnnRoll"""
    n.aclnn("aclnnRoll", n["input"], n.ints("shift"), n.ints("axes"), n["output"])


def eye(n: Named) -> None:
    """aclnnEye"""
    if n["batch_shape"]:
        raise n.refused("this emulator makes one matrix: batch_shape has to be empty")
    n.aclnn("aclnnEye", n["num_rows"], n["num_columns"] or n["num_rows"], n["y"])


def flip(n: Named) -> None:
    """aclnnFlip"""
    n.aclnn("aclnnFlip", n["x"], n.ints("axis"), n["y"])


def as_strided(n: Named) -> None:
    """aclnnInplaceCopy from a strided view of x"""
    same_types(n, "x", "y")
    view = _view(n, n["x"], n.ints("size"), n.ints("stride"), n.ints("storage_offset"))
    n.aclnn("aclnnInplaceCopy", n["y"], view)


def view_copy(n: Named) -> None:
    """aclnnInplaceCopy from a strided view of src into a strided view of a copy of dst"""
    same_types(n, "dst", "src")
    copy(n, n["dst"], n["out"])

    def view(tensor: str, name: str) -> Tensor:
        return _view(n, n[tensor], *(n.ints(f"{name}_{part}") for part in ("size", "stride", "storage_offset")))

    n.aclnn("aclnnInplaceCopy", view("out", "dst"), view("src", "src"))


def _view(n: Named, tensor: Tensor, size: Sequence[int], stride: Sequence[int], offset: Sequence[int]) -> Tensor:
    start = offset[0] if offset else 0
    low, high = reach(tuple(size), tuple(stride))
    if start + low < 0 or start + high >= prod(tensor.storage_shape):
        raise n.refused(
            f"a view {list(size)} with the strides {list(stride)} from {start} on leaves {list(tensor.shape)}"
        )
    return n.viewed(tensor, size, stride, start)


ROWS: Final = (
    row("Transpose", "x, perm -> y", permute("perm")),
    row("TransposeD", "x -> y", permute("perm"), perm=Required(())),
    row("TransData", "src -> dst", trans_data, src_format=Required(""), dst_format=Required(""), src_subformat=0,
        dst_subformat=0, groups=1),
    row("ConfusionTransposeD", "x -> y", confusion_transpose, perm=Required(()), shape=Required(()),
        transpose_first=Required(False)),
    row("Reshape", "x, shape? -> y", reshape),
    row("Flatten", "x -> y", reshape, axis=1),
    row("FlattenV2", "x -> y", reshape, axis=1, end_axis=-1),
    row("Squeeze", "x -> y", reshape, axis=()),
    row("Unsqueeze", "x -> y", reshape, axes=()),
    row("Concat", "concat_dim, x* -> y", concat("concat_dim"), N=1),
    row("ConcatD", "x* -> y", concat("concat_dim"), concat_dim=Required(0), N=1),
    row("ConcatV2", "x*, concat_dim -> y", concat("concat_dim"), N=1),
    row("ConcatV2D", "x* -> y", concat("concat_dim"), concat_dim=Required(0), N=1),
    row("Split", "split_dim, x -> y*", split("split_dim"), num_split=Required(0)),
    row("SplitD", "x -> y*", split("split_dim"), split_dim=Required(0), num_split=Required(0)),
    row("SplitV", "x, size_splits, split_dim -> y*", split("split_dim", "size_splits"), num_split=Required(0)),
    row("SplitVD", "x -> y*", split("split_dim", "size_splits"), size_splits=Required(()), split_dim=Required(0),
        num_split=Required(0)),
    row("Pack", "x* -> y", pack, axis=0, N=1),
    row("Unpack", "x -> y*", unpack, num=Required(0), axis=0),
    row("Slice", "x, offsets, size -> y", slice_),
    row("SliceD", "x -> y", slice_, offsets=Required(()), size=Required(())),
    row("StridedSlice", "x, begin, end, strides? -> y", strided_slice, **dict.fromkeys(MASKS, 0)),
    row("StridedSliceD", "x -> y", strided_slice, begin=Required(()), end=Required(()), strides=Required(()),
        **dict.fromkeys(MASKS, 0)),
    row("Crop", "x, size -> y", crop, axis=2, offsets=Required(())),
    row("Pad", "x, paddings -> y", pad),
    row("PadD", "x -> y", pad, paddings=Required(())),
    row("MirrorPad", "x, paddings -> y", pad, mode=Required("")),
    row("PadV3Grad", "x, paddings -> y", pad_gradient, mode="reflect", paddings_contiguous=True),
    row("PadV3", "x, paddings, constant_values? -> y", pad, mode="constant", paddings_contiguous=True),
    row("BroadcastTo Expand", "x, shape -> y", expand),
    row("BroadcastToD ExpandD", "x -> y", expand, shape=Required(())),
    row("Tile", "x, multiples -> y", tile),
    row("TileD", "x -> y", tile, multiples=Required(())),
    row("Roll", "x -> y", uses("aclnnRoll", "x", "shifts", "dims", "y"), shifts=Required(()), dims=()),
    row("RollV2", "input, shift, axes -> output", roll),
    row("Eye", "-> y", eye, num_rows=Required(0), num_columns=0, batch_shape=(), dtype=0),
    row("Diag", "x -> y", uses("aclnnDiag", "x", "diagonal", "y"), diagonal=0),
    row("ReverseV2", "x, axis -> y", flip),
    row("ReverseV2D", "x -> y", flip, axis=Required(())),
    row("AsStrided", "x, size, stride, storage_offset? -> y", as_strided),
    row("ViewCopy", "dst, dst_size, dst_stride, dst_storage_offset, src, src_size, src_stride, src_storage_offset "
        "-> out", view_copy),
    row("Triu", "x -> y", uses("aclnnTriu", "x", "diagonal", "y"), diagonal=0),
    row("Tril", "x -> y", uses("aclnnTril", "x", "diagonal", "y"), diagonal=0),
)  # fmt: skip
