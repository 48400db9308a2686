"""AntiMxQuant: numbers of MX formats times their scales."""

from aclnn.op import (
    Planning, axis, empty, listed, nibbles, one_of, planned, ranks, same_shape,
)  # fmt: skip
from aclnn.op import ACLNN_ERR_PARAM_INVALID
from aclnn.ops.blocks._contract import BLOCK, PAIR, flattened, named, pairs, scales, whole_bytes
from aclnn.ops.blocks._grids import GRIDS, scaled_back
from aclnn.ops.quantisation._family import FLOATS_OF_4_BITS, named_type


@planned(
    "aclnnAntiMxQuant", nibbles("x"), listed("x", "mxscale", "y"), ranks("x", "mxscale", "y"),
    axis("axis", of="x"), whole_bytes("x", "x", status=ACLNN_ERR_PARAM_INVALID),
    scales("mxscale", "x", named("axis"), status=ACLNN_ERR_PARAM_INVALID), same_shape("y", "x"),
    one_of("dstType", 0, 1, 27), named_type("dstType", "y"), empty("x"),
)  # fmt: skip
def anti_mx_quant(p: Planning) -> None:
    """y = x * mxscale: each block of 32 elements along axis has a scale. The scales of two blocks lie together."""
    flat = flattened(p.shape("x"), p["axis"])
    bits = p.dtype("x") in FLOATS_OF_4_BITS
    x = p.nibbles("x") if bits else p.read("x")
    factors = p.builder.reshape(p.read("mxscale"), (flat[0], pairs(flat[1], BLOCK), flat[2], PAIR))
    y = p.step(scaled_back, [p.builder.reshape(x, flat), factors], flat, p.dtype("y"), size=BLOCK,
               grid=GRIDS[p.dtype("x")] if bits else None)  # fmt: skip
    p.store("y", p.builder.reshape(y, p.shape("x")))
