"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta

X, ONE = Meta((2, 3)), Meta((1,))
TWO = (X, Meta((4,)))
SETTINGS = {"lr": 0.01, "beta1": 0.9, "beta2": 0.99, "weightDecay": 0.1, "eps": 1e-6}
LISTS = ("paramsRef", "grads", "expAvgsRef", "expAvgSqsRef", "maxExpAvgSqsRef")
SGD = ("paramsRef", "gradsRef", "momentumBufferListOptionalRef")
GOOD: dict[str, dict[str, Any]] = {
    "aclnnApplyFusedEmaAdam": {
        **dict.fromkeys(("grad", "varRef", "mRef", "vRef", "sRef"), X), "step": Meta((1,), ACL_INT64), **SETTINGS,
        "emaDecay": 0.9, "mode": 0, "biasCorrection": True,
    },
    "aclnnApplyAdamWQuant": {
        "varRef": X, "grad": X, **dict.fromkeys(("mRef", "vRef"), Meta(X.shape, ACL_UINT8)),
        **dict.fromkeys(("qmapM", "qmapV"), Meta((256,))),
        **dict.fromkeys(("absmaxMRef", "absmaxVRef"), Meta((2,))), "step": Meta((1,), ACL_INT64),
        **SETTINGS, "gnormScale": 0.5, "quantModeOptional": "BLOCKWISE", "blockSize": 4,
    },
    "aclnnFusedAdamw": {
        **dict.fromkeys(LISTS, TWO), "stateSteps": (ONE, ONE), "gradScaleOptional": ONE, "foundInfOptional": ONE,
        **SETTINGS, "amsgrad": True, "maximize": False,
    },
    "aclnnFusedSgd": {
        **dict.fromkeys(SGD, TWO), "gradScaleOptional": ONE, "weightDecay": 0.1, "momentum": 0.9, "lr": 0.01,
        "dampening": 0.0, "nesterov": True, "maximize": False, "isFirstStep": False,
    },
}  # fmt: skip
UNREACHED = {
    ("aclnnApplyAdamWQuant", "if varRef is empty the checks end here (workspace 0, nothing is written)"): (
        "test_no_elements_need_no_work"),
    ("aclnnFusedAdamw", "amsgrad comes with maxExpAvgSqs"): "test_attributes_come_before_null_pointers",
    ("aclnnFusedSgd", "nesterov comes with momentum, and without dampening"): (
        "test_attributes_come_before_null_pointers"),
}  # fmt: skip
