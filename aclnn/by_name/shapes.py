"""Shapes of results, for aclopInferShape.

A rule returns the shapes of the outputs of a call, in order; -1 is a size that only the run decides. Most types have
the shape of their first input for all outputs; `RULES` has the rules of the other types.

Values on the device are not known. A rule that reads them gets 0, 1, 2, ... instead. The number of dimensions is right,
as it depends only on the number of values, but all sizes of the results are unknown then.

An unknown size of an input is replaced too. Each rule is applied twice, with two different numbers in place of such
sizes: a size of a result is unknown if it differs between the two.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Final

import numpy as np

from acl_runtime.errors import AclError
from acl_runtime.headers.dtypes import Array, Shape
from acl_runtime.headers.statuses import ACL_ERROR_GE_FAILURE
from acl_runtime.memory.private_formats import up
from acl_runtime.objects.descriptions import TensorDesc
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.named_operators import NamedOperator, NamedTensor
from acl_runtime.objects.soc import Soc
from aclnn.by_name.arguments import arguments_of, refused
from aclnn.by_name.call import MISFITS, Named, ValueOnDevice
from aclnn.by_name.elementwise import BINARY, COMPARISONS
from aclnn.by_name.row import OperatorRow
from aclnn.by_name.shape_rules import UNKNOWN, Rule, Shapes, first, like, position, reduced, together, values
from aclnn.by_name.shapes_of_movement import (
    confused,
    counted,
    cropped,
    expanded,
    flattened,
    gathered,
    greatest,
    hot,
    indexed,
    joined,
    on_diagonal,
    padded,
    parted,
    permuted,
    relabelled,
    reshaped,
    segments,
    sliced,
    squeezed,
    stacked,
    strided,
    tiled,
    uniques,
    unsqueezed,
    unstacked,
)
from aclnn.by_name.shapes_of_windows import (
    batches,
    channels,
    convolved,
    generated,
    layers,
    loss,
    multiplied,
    overlaps,
    pooled,
    pooled_with_places,
    recurrent,
    resized,
    states,
)
from aclnn.engine.steps.channel_blocks import ROWS, STORED_RANKS
from aclnn.engine.steps.private_formats import C0


def by(rule: Rule, types: str) -> Mapping[str, Rule]:
    """One rule for several types."""
    return dict.fromkeys(types.split(), rule)


REDUCTIONS: Final = "Sum Mean Prod Max Min All Any".split()
BROADCAST: Final = together("x1", "x2")
RULES: Final[Mapping[str, Rule]] = {
    **by(BROADCAST, " ".join((*BINARY, *COMPARISONS))),
    **by(BROADCAST, "Add AddV2 Sub Div RealDiv DivNoNan Axpy AxpyV2"),
    **by(together("condition", "x1", "x2"), "Select SelectV2"), **by(values("dims"), "Fill FillD"),
    **by(like("x1", "x2"), "MinimumGrad MaximumGrad"), "PReluGrad": like("features", "weights"),
    "GridSampler2DGrad": like("x", "grid"), "SwishGrad": like("x"), "RotaryMulGrad": like("x", "r1", "r2"),
    "GIoUGrad": like("bboxes", "gtboxes"),
    **by(permuted, "Transpose TransposeD"), "TransData": relabelled, "ConfusionTransposeD": confused,
    "Reshape": reshaped, **by(flattened, "Flatten FlattenV2"), "Squeeze": squeezed, "Unsqueeze": unsqueezed,
    **by(joined, "Concat ConcatD ConcatV2 ConcatV2D"), **by(parted, "Split SplitD SplitV SplitVD"),
    "Pack": stacked, "Unpack": unstacked, **by(sliced, "Slice SliceD"), **by(strided, "StridedSlice StridedSliceD"),
    "Crop": cropped, **by(padded, "Pad PadD PadV3 MirrorPad PadV3Grad"),
    **by(expanded, "BroadcastTo BroadcastToD Expand ExpandD"), **by(tiled, "Tile TileD"), "AsStrided": values("size"),
    "Eye": lambda n: (n["num_rows"], n["num_columns"] or n["num_rows"]),
    "Diag": on_diagonal,
    **by(gathered, "GatherV2 GatherV2D"), "Index": indexed, **by(hot, "OneHot OneHotD"), "Range": counted,
    "NonZero": lambda n: (len(n["x"].shape), -1) if n["transpose"] else (-1, len(n["x"].shape)),
    "MaskedSelect": lambda n: (-1,), **by(uniques, "UniqueWithCountsAndSorting UniqueConsecutive"),
    **by(position, "ArgMaxV2 ArgMaxD ArgMin ArgMinD"), **by(greatest, "TopK TopKV2"), "ScatterNd": values("shape"),
    "UnsortedSegmentSum": segments,
    "EmbeddingDenseGrad": lambda n: (n["num_weights"], n["grad"].shape[-1]),
    **by(reduced("axes", "keep_dims"), " ".join(f"Reduce{name}{d}" for name in REDUCTIONS for d in ("", "D"))),
    "ReduceStdV2Update": reduced("dim", "keepdim"), **by(reduced("axes", "keepdim"), "LpNormReduceV2 LpNorm"),
    **by(layers, "LayerNorm LayerNormV3"), "LayerNormGrad": like("x", "gamma", "gamma"),
    "GroupNorm": lambda n: [n["x"].shape, *[(n["x"].shape[0], n["num_groups"])] * 2],
    "GroupNormGrad": like("x", "gamma", "gamma"), "BatchNorm": batches, "BNTrainingReduce": channels,
    "BNTrainingUpdate": like("x", *["mean"] * 4), "BNTrainingUpdateGrad": like("batch_mean", "batch_mean"),
    **by(multiplied, "MatMul MatMulV2 BatchMatMul BatchMatMulV2 GEMM"), **by(convolved, "Conv2D Conv3D"),
    **by(values("input_size"), "Conv2DTranspose Conv2DBackpropInput"), "Conv2DBackpropFilter": values("filter_size"),
    **by(pooled, "MaxPoolV3 AvgPoolV2"), "MaxPoolWithArgmaxV1": pooled_with_places,
    "AvgPoolV2Grad": values("orig_input_shape"), "AdaptiveAvgPool2dGrad": values("orig_input_shape"),
    "AdaptiveAvgPool2d": lambda n: (*n["x"].shape[:2], *n["output_size"]),
    "GlobalAveragePool": lambda n: (*n["x"].shape[:2], *(1 for _ in n["x"].shape[2:])),
    "GridSampler2D": lambda n: (*n["x"].shape[:2], *n["grid"].shape[1:3]),
    **by(resized, "ResizeBicubic ResizeBilinearV2 ResizeNearestNeighborV2 ResizeArea"),
    **by(overlaps, "Iou GIoU"), "ROIAlignGrad": values("xdiff_shape"),
    "ROIAlign": lambda n: (n["rois"].shape[0], n["features"].shape[1], n["pooled_height"], n["pooled_width"]),
    **by(like("var", "m", "v"), "ApplyAdamW ApplyAdamD"),
    "StatelessDropOutGenMask": generated, **by(loss, "BinaryCrossEntropy KLDiv"),
    **by(lambda n: (8,), "NPUAllocFloatStatus NPUGetFloatStatusV2"), "NPUClearFloatStatusV2": lambda n: [],
    **by(recurrent, "DynamicRNN DynamicRNNV2"), "DynamicRNNGrad": states("w"),
    "DynamicRNNV2Grad": states("w_x", "w_h"),
}  # fmt: skip
"""the rule of each type; any other type has `first`"""


MOST_VALUES: Final = 4096
"""the most values on the device that are replaced, such as axes or sizes; a tensor with more is refused"""


def inferred(row: OperatorRow, operator: NamedOperator, soc: Soc) -> list[Shape]:
    """The shapes of the outputs. Raises AclError with 500002 if the inputs and attributes do not fit."""
    try:
        small, large = (_at(row, operator, soc, size) for size in UNKNOWN)
    except AclError as error:
        if error.status == ACL_ERROR_GE_FAILURE:
            raise
        raise refused(row.type, "; ".join(item.reason() for item in error.items)) from None
    except MISFITS as error:
        raise refused(row.type, f"its tensors and attributes do not fit: {error}") from error
    if list(map(len, small)) != list(map(len, large)):
        raise refused(row.type, "the number of dimensions depends on values that are not known")
    return [tuple(a if a == b else -1 for a, b in zip(*pair, strict=True)) for pair in zip(small, large, strict=True)]


def settled(row: OperatorRow, operator: NamedOperator, soc: Soc) -> NamedOperator:
    """The operator, with the inferred shape in each output descriptor that leaves the shape open."""
    if not any(_open(tensor.desc) for tensor in operator.outputs):
        return operator
    shapes = inferred(row, operator, soc)
    outputs = list(operator.outputs)
    for index, (output, shape) in enumerate(zip(outputs, shapes, strict=False)):
        if _open(output.desc):
            desc = output.desc.copy()
            sizes = desc.shape if len(desc.shape) == len(shape) else shape
            desc.shape = tuple(b if a < 0 else a for a, b in zip(shape, sizes, strict=True))
            outputs[index] = replace(output, desc=desc)
    return replace(operator, outputs=tuple(outputs))


def _open(desc: TensorDesc) -> bool:
    """True if a size is unknown, or the storage has another number of elements than the shape. PyTorch describes the
    memory behind a view by such a storage."""
    shape, stored = desc.shape, desc.storage_shape
    if min(shape, default=0) < 0:
        return True
    if stored == shape or desc.storage_format in STORED_RANKS:
        return False
    if desc.storage_format in C0 and len(shape) > 1:
        *batch, rows, columns = shape
        shape = (*batch, up(rows, ROWS), up(columns, stored[-1]), ROWS, stored[-1])
    return prod(stored) != prod(shape)


def _at(row: OperatorRow, operator: NamedOperator, soc: Soc, size: int) -> list[Shape]:
    """The shapes of the outputs, with `size` in place of unknown sizes."""
    inputs = tuple(_known(tensor, size) for tensor in operator.inputs)
    arguments = arguments_of(row, replace(operator, inputs=inputs), outputs=False)
    rule = RULES.get(row.type, first)
    try:
        return _listed(rule(Named(arguments, soc, None)), row)
    except ValueOnDevice:
        return [(-1,) * len(each) for each in _listed(rule(Named(arguments, soc, _counted)), row)]


def _known(tensor: NamedTensor, size: int) -> NamedTensor:
    """An input with `size` in place of unknown sizes. Only its shape matters, so it has no private format."""
    desc = tensor.desc.copy()
    desc.storage_format = desc.format
    desc.shape = desc.storage_shape = tuple(size if each < 0 else each for each in desc.shape)
    return replace(tensor, desc=desc)


def _listed(shapes: Shapes | Shape, row: OperatorRow) -> list[Shape]:
    """The shapes as a list. A single shape applies to all outputs."""
    if isinstance(shapes, tuple):
        return [tuple(map(int, shapes))] * len(row.outputs)
    return [tuple(map(int, shape)) for shape in shapes]


def _counted(tensor: Tensor) -> Array:
    if tensor.numel > MOST_VALUES:
        raise ValueError(f"{tensor} is not known, and has too many values")
    return np.arange(tensor.numel).reshape(tensor.shape)
