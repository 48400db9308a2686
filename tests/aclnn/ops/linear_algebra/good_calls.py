"""Good calls, and a check that a search does not reach: see `tests.aclnn.ops.good_calls`."""

from typing import Any

from tests.aclnn.ops.case import Meta

GOOD: dict[str, dict[str, Any]] = {
    "aclnnSvd": {
        "input": Meta((2, 3, 4)), "fullMatrices": False, "computeUV": True, "sigma": Meta((2, 3)),
        "u": Meta((2, 3, 3)), "v": Meta((2, 4, 3)),
    },
    "aclnnLinalgQr": {"self": Meta((2, 3, 4)), "mode": 0, "Q": Meta((2, 3, 3)), "R": Meta((2, 3, 4))},
    "aclnnQr": {"self": Meta((2, 3, 4)), "some": True, "Q": Meta((2, 3, 3)), "R": Meta((2, 3, 4))},
    "aclnnSlogdet": {"self": Meta((2, 3, 3)), "signOut": Meta((2,)), "logOut": Meta((2,))},
    "aclnnLogdet": {"self": Meta((2, 3, 3)), "out": Meta((2,))},
}  # fmt: skip
UNREACHED = {
    ("aclnnLinalgCholesky", "self has no more than 8192 columns"): "test_matrices.py: two shapes change",
}
