"""Attention and rotary embedding.

Scores are computed in float32 panels (`_panels`, `_scores`), from views of one form whatever the layout (`_layouts`).
A mask value of 1 hides a position. Rules that the tiling of a kernel checks are 561002.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "fused_infer": ("aclnnFusedInferAttentionScoreV2",),
    "rotary": (
        "aclnnRotaryPositionEmbedding", "aclnnRotaryPositionEmbeddingGrad", "aclnnApplyRotaryPosEmb",
        "aclnnApplyRotaryPosEmbV2", "aclnnInterleaveRope",
    ),
}  # fmt: skip
"""by module, the functions that it makes"""
