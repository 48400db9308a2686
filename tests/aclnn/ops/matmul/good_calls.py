"""Checks that a search does not reach: see `tests.aclnn.ops.good_calls`."""

UNREACHED = {
    ("aclnnMatmul", "mat2 in FRACTAL_NZ has the data type of self"): "the format and one data type change",
}
