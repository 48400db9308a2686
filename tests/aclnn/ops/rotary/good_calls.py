"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

HALF = ACL_FLOAT16
GOOD = {
    "aclnnInplacePartialRotaryMul": {
        "xRef": Meta((2, 3, 2, 16), HALF), "cos": Meta((2, 3, 1, 4), HALF), "sin": Meta((2, 3, 1, 4), HALF),
        "rotary_mode": 1, "partialSlice": Values((2, 6)),
    },
    "aclnnInplacePartialRotaryMulGrad": {
        "dyRef": Meta((2, 3, 2, 16), HALF), "cos": Meta((2, 3, 1, 4), HALF), "sin": Meta((2, 3, 1, 4), HALF),
        "rotaryMode": 1, "partialSlice": Values((2, 6)),
    },
    **{f"aclnnRopeWithSinCosCache{version}": {
        "positions": Meta((3,), ACL_INT64), "queryIn": Meta((3, 64), HALF), "keyIn": Meta((3, 32), HALF),
        "cosSinCache": Meta((7, 32), HALF), "mropeSection": Values((0, 0, 0)), "headSize": 32, "isNeoxStyle": True,
        **mode, "queryOut": Meta((3, 64), HALF), "keyOut": Meta((3, 32), HALF),
    } for version, mode in (("", {}), ("V2", {"cacheMode": 0}))},
    "aclnnRotaryPositionEmbedding": {
        "x": Meta((1, 3, 2, 32)), "cos": Meta((1, 3, 1, 32)), "sin": Meta((1, 3, 1, 32)), "mode": 0,
        "out": Meta((1, 3, 2, 32)),
    },
    "aclnnRotaryPositionEmbeddingV2": {
        "x": Meta((1, 3, 2, 32)), "cos": Meta((1, 3, 1, 32)), "sin": Meta((1, 3, 1, 32)), "mode": 0,
        "rotate": Meta((32, 32)), "out": Meta((1, 3, 2, 32)),
    },
    "aclnnRotaryPositionEmbeddingGrad": {
        "dy": Meta((2, 3, 2, 8)), "cos": Meta((1, 3, 1, 8)), "sin": Meta((1, 3, 1, 8)), "xOptional": Meta((2, 3, 2, 8)),
        "mode": 0, "dxOut": Meta((2, 3, 2, 8)), "dcosOut": Meta((1, 3, 1, 8)), "dsinOut": Meta((1, 3, 1, 8)),
    },
    "aclnnApplyRotaryPosEmb": {
        "queryRef": Meta((2, 3, 4, 128)), "keyRef": Meta((2, 3, 2, 128)), "cos": Meta((2, 3, 1, 128)),
        "sin": Meta((2, 3, 1, 128)), "layout": 1,
    },
    "aclnnApplyRotaryPosEmbV2": {
        "queryRef": Meta((2, 3, 4, 8)), "keyRef": Meta((2, 3, 2, 8)), "cos": Meta((2, 3, 1, 8)),
        "sin": Meta((2, 3, 1, 8)), "layout": 1, "rotaryMode": "half",
    },
    "aclnnInterleaveRope": {
        "x": Meta((2, 2, 3, 64)), "cos": Meta((2, 1, 3, 64)), "sin": Meta((2, 1, 3, 64)), "out": Meta((2, 2, 3, 64)),
    },
}  # fmt: skip
UNREACHED = {
    ("aclnnInplacePartialRotaryMul", "xRef has at most 1024 columns"): "test_part.py",
    ("aclnnInplacePartialRotaryMulGrad", "dyRef has at most 1024 columns"): "test_part.py",
    ("aclnnRopeWithSinCosCacheV2", "mropeSection are 3 if columns alternate"): "test_positions.py",
    ("aclnnRotaryPositionEmbedding", "out is dense"): "test_out_is_dense",
    ("aclnnRotaryPositionEmbeddingV2", "rotate is null on this product"): "test_the_matrix_is_for_a2_and_a3",
    **{
        ("aclnnRotaryPositionEmbeddingV2", f"{sentence} (if rotate is null)"): "test_matrix.py"
        for sentence in (
            "x is FLOAT, FLOAT16 or BFLOAT16",
            *(f"{name} has the data type of x" for name in ("cos", "sin", "out")),
            "x has 3 or 4 dimensions, and a size that can be rotated",
            "cos broadcasts to x",
            "sin has the shape of cos",
            "out has the shape of x",
            "out is dense",
        )
    },
}
BY_PRODUCT = {
    ("aclnnRotaryPositionEmbeddingV2", each): {"rotate": None} for each in Series if each not in (Series.A2, Series.A3)
}
DENSE = {
    ("aclnnRotaryPositionEmbedding", "out"): "test_out_is_dense",
    ("aclnnRotaryPositionEmbeddingV2", "out"): "test_out_is_dense",
}
UNTYPED = {
    **{
        ("aclnnRotaryPositionEmbeddingV2", "rotate", dtype): "only A2 and A3 have a matrix: test_matrix.py"
        for dtype in ("ACL_FLOAT", "ACL_FLOAT16", "ACL_BF16")
    },
}
