"""Mixtures of experts: which tokens go to which experts, their order, and the way back.

Each token goes to k experts. The sort by expert is stable. In the column order, place i + j * rows belongs to expert j
of token i; in the row order it is place i * k + j. Positions are looked at when the task runs. Rules of shapes and
values are those of the tiling: 561002.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "finalize_v2": ("aclnnMoeFinalizeRoutingV2", "aclnnMoeFinalizeRoutingV3", "aclnnMoeFinalizeRoutingV4"),
    "gating": ("aclnnMoeGatingTopKSoftmax", "aclnnMoeGatingTopKSoftmaxV2"),
    "gating_groups": ("aclnnMoeGatingTopK",),
    "init_v2": ("aclnnMoeInitRoutingV2",),
    "init_v3": ("aclnnMoeInitRoutingV3",),
    "routing": (
        "aclnnMoeFinalizeRouting", "aclnnMoeInitRouting", "aclnnMoeTokenPermute", "aclnnMoeTokenPermuteGrad",
        "aclnnMoeTokenUnpermute",
    ),
    "unpermute_grad": ("aclnnMoeTokenUnpermuteGrad",),
}  # fmt: skip
"""by module, the functions that it makes"""
