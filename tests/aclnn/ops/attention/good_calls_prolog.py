"""Good calls of MlaProlog."""

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import Meta

B16, I8 = ACL_BF16, ACL_INT8
WEIGHTS = {
    "weightDq": Meta((1024, 32), B16), "weightUqQr": Meta((32, 384), B16), "weightUk": Meta((2, 128, 512), B16),
    "weightDkvKr": Meta((1024, 576), B16), "rmsnormGammaCq": Meta((32,), B16), "rmsnormGammaCkv": Meta((512,), B16),
}  # fmt: skip
PLAIN: dict[str, Any] = {
    "tokenX": Meta((3, 1024), B16), **WEIGHTS, "ropeSin": Meta((3, 64), B16), "ropeCos": Meta((3, 64), B16),
    "kvCacheRef": Meta((2, 4, 1, 512), B16), "krCacheRef": Meta((2, 4, 1, 64), B16), "rmsnormEpsilonCq": 1e-5,
    "rmsnormEpsilonCkv": 1e-5, "cacheModeOptional": "PA_BSND", "queryOut": Meta((3, 2, 512), B16),
    "queryRopeOut": Meta((3, 2, 64), B16),
}  # fmt: skip
INDEX = Meta((3,), ACL_INT64)
FIRST = {**PLAIN, "cacheIndex": INDEX}
THIRD = {
    **PLAIN, "cacheIndexOptional": INDEX, "weightQuantMode": 0, "kvCacheQuantMode": 0, "queryQuantMode": 0,
    "ckvkrRepoMode": 0, "quantScaleRepoMode": 0, "tileSize": 128, "qcQrScale": 1.0, "kcScale": 1.0,
    "queryNormOutOptional": Meta((3, 32), B16),
}  # fmt: skip
BATCHED = {
    "tokenX": Meta((2, 2, 1024), B16), "ropeSin": Meta((2, 2, 64), B16), "ropeCos": Meta((2, 2, 64), B16),
    "queryOut": Meta((2, 2, 2, 512), B16), "queryRopeOut": Meta((2, 2, 2, 64), B16),
}  # fmt: skip
HALF_WHOLE = {
    "weightUqQr": Meta((32, 384), I8), "dequantScaleWUqQrOptional": Meta((1, 384)),
    "smoothScalesCqOptional": Meta((1, 32)), "kvCacheRef": Meta((2, 4, 1, 512), I8),
    "krCacheRef": Meta((2, 4, 1, 64), I8), "quantScaleCkvOptional": Meta((1, 512)),
    "quantScaleCkrOptional": Meta((1, 64)),
}  # fmt: skip
WHOLE = {
    "tokenX": Meta((3, 1024), I8), "weightDq": Meta((1024, 32), I8), "weightUqQr": Meta((32, 384), I8),
    "weightDkvKr": Meta((1024, 576), I8), "dequantScaleXOptional": Meta((3, 1)),
    "dequantScaleWDqOptional": Meta((1, 32)), "dequantScaleWUqQrOptional": Meta((1, 384)),
    "dequantScaleWDkvKrOptional": Meta((1, 576)),
}  # fmt: skip
WHOLE_CACHE = {
    **WHOLE, "weightQuantMode": 2, "kvCacheQuantMode": 1, "queryQuantMode": 1, "queryOut": Meta((3, 2, 512), I8),
    "kvCacheRef": Meta((2, 4, 1, 512), I8), "quantScaleCkvOptional": Meta((1,)),
    "dequantScaleQNopeOutOptional": Meta((3, 2, 1)), "queryNormOutOptional": Meta((3, 32), I8),
    "dequantScaleQNormOutOptional": Meta((3, 1)),
}  # fmt: skip
GOOD = {"aclnnMlaProlog": FIRST, "aclnnMlaPrologV2WeightNz": FIRST, "aclnnMlaPrologV3WeightNz": THIRD}
PLACES = "tokenX has a place for each token, or each block of tokens"
UNREACHED = {
    **{(name, PLACES): "test_mla_prolog.py::test_statuses" for name in GOOD},
    **{
        ("aclnnMlaPrologV3WeightNz", sentence): "test_mla_prolog.py::test_statuses"
        for sentence in (
            "the data type of dequantScaleQNormOutOptional is one that its product supports",
            "the data type of dequantScaleQNopeOutOptional is one that its product supports",
            "weightUqQr comes with the scales that its modes need",
            "dequantScaleQNormOutOptional has a number for each token",
            "dequantScaleQNopeOutOptional has a number for each head",
        )
    },
}
UNTYPED = {
    **{("aclnnMlaProlog", name, "ACL_INT8"): "test_quantised_modes" for name in ("krCacheRef", "weightUqQr")},
    **{
        ("aclnnMlaPrologV2WeightNz", name, "ACL_INT8"): "test_quantised_modes"
        for name in ("krCacheRef", "weightUqQr", "weightDkvKr", "tokenX", "weightDq")
    },
}
