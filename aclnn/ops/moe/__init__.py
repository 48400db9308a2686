"""Mixtures of experts: routing of tokens to experts, their order, and the reverse.

Each token is routed to k experts. The sort by expert is stable. In column order, position i + j * rows belongs to
expert j of token i; in row order it is position i * k + j. Positions are read when the task runs. Checks of shapes and
values belong to the tiling and return 561002.
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
