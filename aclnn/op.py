"""Everything that the file of an operator imports.

    from aclnn.op import Planning, listed, planned, ranks, same_shape

`aclnn docs adding-an-op` shows whole operators.
"""

from acl_runtime import (
    ACL_BF16, ACL_BOOL, ACL_DOUBLE, ACL_FLOAT, ACL_FLOAT16, ACL_FORMAT_ND, ACL_INT16, ACL_INT32, ACL_INT64, ACL_INT8,
    ACL_UINT8,
)  # fmt: skip
from acl_runtime.api.meta.objects import take as take_handle
from acl_runtime.headers.dtype_names import bits, dtype_name, format_name
from acl_runtime.headers.dtypes import Array, Shape, numpy_dtype
from acl_runtime.headers.enums import aclDataType, aclDataType as T, aclFormat
from acl_runtime.headers.statuses import (
    ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR,
)  # fmt: skip
from acl_runtime.machine.current import current
from acl_runtime.memory.private_formats import ROWS, ROW_BITS, Padded, Stored, up
from acl_runtime.memory.ranges import Use
from acl_runtime.memory.sizes import round_up
from acl_runtime.objects.handle_table import Scalar, Tensor, row_major
from acl_runtime.objects.soc import NEWER, Series, Soc
from acl_runtime.text import Text as Wording
from acl_runtime.streams.compute_threads import Scratch
from aclnn.engine.arguments import Arguments, axes_of, broadcast_shape, members, reduced
from aclnn.engine.catalogued import catalogued
from aclnn.engine.constraints import HIGHEST_RANK, PLAN, POLICY, PRIVATE, TILING, Rule
from aclnn.engine.declaration import Check, Op, Products, Violation
from aclnn.engine.fast import (
    JOBS_FOR_ALL_THREADS, Blending, Combination, ConvolutionResult, Job, Pages, PanelIndex, Scoring, Terms, attended,
    blended, by_rows, convolved, copied, eager, in_order, is_long, keys, legal, matmul, multiply_in_panels, order,
    rounded, running, running_extreme, scaled, side_by_side, sum_rows, take, take_along, tiled, triangle_copied,
    unsorted, widened, write, write_along, write_into,
)  # fmt: skip
from aclnn.engine.ranks.groups import group_of
from aclnn.engine.numbers.casting import array_dtype, pack_int4, unpack_int4
from aclnn.engine.numbers.philox import blocks
from aclnn.engine.numbers.promotion import (
    can_cast, is_complex, is_float, is_integer, mixed, mixed_tensors, promote, scalar_of_950, with_scalar,
    with_scalar_950,
)  # fmt: skip
from aclnn.engine.numbers.rounding import narrowed, store, total, widen
from aclnn.engine.numbers.scalars import scalar_as
from aclnn.engine.numbers.special import digamma, erf, erfc, erfinv, lgamma
from aclnn.engine.on_host.function import HostCall, HostFunction, on_host
from aclnn.engine.on_host.largest_workspace import largest_workspace
from aclnn.engine.on_host.words import present
from aclnn.engine.operand import Operand
from aclnn.engine.operator import Operator, elementwise, planned
from aclnn.engine.parameters import (
    FLOATS, FLOAT_AND_HALF, UP_TO_8, BoolArrayIn, DataTypes, Double, Flag, FloatArrayIn, Int64, IntArrayIn,
    OptionalTensorIn, ScalarIn, String as Text, TensorIn, TensorListParam, TensorOut, TensorParam, UInt64,
)  # fmt: skip
from aclnn.engine.plan import Kernel, copies_elements, in_memory, same
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.planning import Planning, broadcast_of, constant, filled, filling
from aclnn.engine.relation import Bad, Compute, Found, Relation, all_of, refusal, rule
from aclnn.engine.steps.casts import CASTABLE, CASTABLE_950
from aclnn.engine.steps.channel_blocks import ORDERS, STORED_RANKS, from_channel_blocks, storage, to_channel_blocks
from aclnn.engine.steps.indices import check_range, exact_sum, first, out_of_range, part_of, runs, whole_numbers
from aclnn.engine.steps.parts import (
    PART, QUICK, Attributes, CutDims, apart_from, by, in_parts, repeatable, row_slices, run_as_written, with_out,
)  # fmt: skip
from aclnn.engine.steps.private_formats import (
    C0, block_columns, from_blocks, is_nz, is_transposed, moved, nd_to_nz, nz_to_nd, stored_as,
)  # fmt: skip
from aclnn.engine.steps.softmax import less_largest, log_softmax as log_softmax_along, softmax as softmax_along
from aclnn.engine.steps.windows import PANEL, Tap, Windows, adaptive, boxes, count_of, grid_of, places, regular
from aclnn.engine.words.common_types import (
    BF16, BOOL, COMPLEX, EVERY, FLOAT_OR_COMPLEX, FLOAT_OR_HALF, HALVES, IEEE_FLOATS, INTEGERS, REAL, REAL_FLOAT,
    REAL_OR_UNSIGNED, SHORT_FLOAT, SHORT_FLOAT_OR_WHOLE, UP_TO_32_BITS, WIDE_UNSIGNED, with_bf16,
)  # fmt: skip
from aclnn.engine.words.counts import (
    at_least, length, not_negative, one_element, positive, same_count, same_rank, with_elements, with_tensors,
)  # fmt: skip
from aclnn.engine.words.formats import stored_in
from aclnn.engine.words.groups import names_group
from aclnn.engine.words.products import answers, except_on, only_on
from aclnn.engine.words.shapes import (
    axes, axes_with_elements, axis, broadcast, broadcast_into, left, loose_shape, ranks, ranks_with_gaps, reduction,
    same_shape, same_shapes, shape, stands_for_null,
)  # fmt: skip
from aclnn.engine.words.types import (
    becomes, castable, computed_among, computed_in, fits, listed, promoted, real_type, same_dtype, together, type_rows,
    uniform,
)  # fmt: skip
from aclnn.engine.words.values import (
    before_nulls, changes, demand, done, empty, generated, in_range, lacks, may_be_in_place, may_be_null, moves_bytes,
    needed_if, nibbles, null_status, nulls, one_of, only_if, out_of_place, overwrites, public_format, reads,
    refused_by_kernel, required, said, same_format, twin_first, updates,
)  # fmt: skip

__all__ = [
    "ACLNN_ERR_INNER_NULLPTR", "ACLNN_ERR_INNER_TILING_ERROR", "ACLNN_ERR_PARAM_INVALID", "ACLNN_ERR_PARAM_NULLPTR",
    "ACLNN_ERR_RUNTIME_ERROR", "ACL_BF16", "ACL_BOOL", "ACL_DOUBLE", "ACL_FLOAT", "ACL_FLOAT16", "ACL_FORMAT_ND",
    "ACL_INT16", "ACL_INT32", "ACL_INT64", "ACL_INT8", "ACL_UINT8", "BF16", "BOOL", "C0", "CASTABLE", "CASTABLE_950",
    "COMPLEX", "EVERY", "FLOATS", "FLOAT_AND_HALF", "FLOAT_OR_COMPLEX", "FLOAT_OR_HALF", "HALVES", "HIGHEST_RANK",
    "IEEE_FLOATS", "INTEGERS", "JOBS_FOR_ALL_THREADS", "NEWER", "ORDERS", "PANEL", "PART", "PLAN", "POLICY", "PRIVATE",
    "QUICK", "REAL", "REAL_FLOAT", "REAL_OR_UNSIGNED", "ROWS", "ROW_BITS", "SHORT_FLOAT", "SHORT_FLOAT_OR_WHOLE",
    "STORED_RANKS", "TILING", "UP_TO_32_BITS", "UP_TO_8", "WIDE_UNSIGNED", "Arguments", "Array", "Attributes", "Bad",
    "Blending",
    "BoolArrayIn", "Check", "Combination", "Compute", "ConvolutionResult", "CutDims", "DataTypes", "Double", "Flag",
    "FloatArrayIn", "Found", "HostCall", "HostFunction", "Int64", "IntArrayIn", "Job", "Kernel", "Op", "Operand",
    "Operator", "OptionalTensorIn", "Padded", "Pages", "PanelIndex", "PlanBuilder", "Planning", "Products", "Relation",
    "Rule", "Scalar", "ScalarIn", "Scoring", "Scratch", "Series", "Shape", "Soc", "Stored", "T", "Tap", "Tensor",
    "TensorIn",
    "TensorListParam", "TensorOut", "TensorParam", "Terms", "Text", "UInt64", "Use", "Violation", "Windows", "Wording",
    "aclDataType",
    "aclFormat", "adaptive", "all_of",
    "answers", "apart_from", "array_dtype", "at_least", "attended", "axes", "axes_of", "axes_with_elements", "axis",
    "becomes",
    "before_nulls", "bits", "block_columns", "blended", "blocks", "boxes", "broadcast", "broadcast_into",
    "broadcast_of",
    "broadcast_shape", "by", "by_rows", "can_cast", "castable", "catalogued", "changes", "check_range",
    "computed_among", "computed_in", "constant", "convolved", "copied", "copies_elements", "count_of", "current",
    "demand", "digamma", "done",
    "dtype_name", "eager", "elementwise", "empty", "erf", "erfc", "erfinv", "exact_sum", "except_on", "filled",
    "filling", "first", "fits", "format_name", "from_blocks", "from_channel_blocks", "generated", "grid_of",
    "group_of",
    "in_memory", "in_order", "in_parts", "in_range", "is_complex", "is_float", "is_integer", "is_long", "is_nz",
    "is_transposed", "keys", "lacks", "largest_workspace", "left", "legal", "length", "less_largest", "lgamma",
    "listed",
    "log_softmax_along", "loose_shape", "matmul", "may_be_in_place", "may_be_null", "members", "mixed", "mixed_tensors",
    "moved", "moves_bytes", "multiply_in_panels", "names_group", "narrowed", "nd_to_nz", "needed_if",
    "nibbles", "not_negative", "null_status",
    "nulls", "numpy_dtype", "nz_to_nd", "on_host", "one_element", "one_of", "only_if", "only_on", "order",
    "out_of_place", "out_of_range", "overwrites", "pack_int4", "part_of", "places", "planned", "positive", "present",
    "promote", "promoted", "public_format", "ranks", "ranks_with_gaps", "reads", "real_type", "reduced", "reduction",
    "repeatable",
    "refusal", "refused_by_kernel", "regular", "required", "round_up", "rounded", "row_major", "row_slices", "rule",
    "running", "running_extreme", "run_as_written", "runs", "said", "same", "same_count", "same_dtype", "same_format",
    "same_rank",
    "same_shape", "same_shapes", "scalar_as", "scalar_of_950", "scaled", "shape", "side_by_side", "softmax_along",
    "stands_for_null", "storage", "store", "stored_as", "stored_in", "sum_rows", "take", "take_along", "take_handle",
    "tiled", "to_channel_blocks", "together", "total", "triangle_copied", "twin_first", "type_rows", "uniform",
    "unpack_int4", "unsorted", "up", "updates", "whole_numbers", "widen", "widened", "with_bf16", "with_elements",
    "with_out", "with_scalar", "with_scalar_950", "with_tensors", "write", "write_along", "write_into",
]  # fmt: skip
