"""Attention, rotary embedding, and paged caches of keys and values.

Scores are computed in float32 panels (`_panels`, `_scores`). All layouts are converted to views of one layout first
(`_layouts`). A mask value of 1 hides a position. Checks that belong to the tiling of a kernel return 561002.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "cache_gather": ("aclnnGatherPaKvCache",),
    "caches": ("aclnnScatterPaCache", "aclnnScatterPaKvCache"),
    "fused_infer": (
        "aclnnFusedInferAttentionScore", "aclnnFusedInferAttentionScoreV2", "aclnnFusedInferAttentionScoreV3",
        "aclnnFusedInferAttentionScoreV4",
        "aclnnPromptFlashAttention", "aclnnPromptFlashAttentionV2", "aclnnPromptFlashAttentionV3",
        "aclnnIncreFlashAttention", "aclnnIncreFlashAttentionV2", "aclnnIncreFlashAttentionV3",
        "aclnnIncreFlashAttentionV4",
    ),
    "flash": (
        "aclnnFlashAttentionScore", "aclnnFlashAttentionScoreV2", "aclnnFlashAttentionVarLenScore",
        "aclnnFlashAttentionVarLenScoreV2",
    ),
    "flash_grad": (
        "aclnnFlashAttentionScoreGrad", "aclnnFlashAttentionScoreGradV2", "aclnnFlashAttentionUnpaddingScoreGrad",
        "aclnnFlashAttentionUnpaddingScoreGradV2",
    ),
    "rope_cache": ("aclnnKvRmsNormRopeCache",),
    "rotary": (
        "aclnnRotaryPositionEmbedding", "aclnnRotaryPositionEmbeddingGrad", "aclnnInterleaveRope",
    ),
    "rotary_matrix": ("aclnnRotaryPositionEmbeddingV2",),
    "rotary_in_place": ("aclnnApplyRotaryPosEmb", "aclnnApplyRotaryPosEmbV2"),
    "rotary_positions": ("aclnnRopeWithSinCosCache", "aclnnRopeWithSinCosCacheV2"),
}  # fmt: skip
"""by module, the functions that it makes"""
