"""Contracts of normalisations."""

from aclnn.op import shape


CONTRACTS = {
    "aclnnAdaLayerNormQuant": (
        shape("quantScale", "{0} has a number for each row of x", lambda a: a.shape("x")[:-1]),
    ),
    "aclnnAdaLayerNormV2": tuple(
        shape(name, "{0} has a number for each row of x", lambda a: (*a.shape("x")[:-1], 1))
        for name in ("meanOutOptional", "rstdOutOptional")
    ),
}  # fmt: skip
