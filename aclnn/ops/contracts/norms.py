"""Contracts of normalisations and of a softmax."""

from aclnn.op import Arguments, Bad, demand, shape


LONGEST = 4096
"""most elements in a row of aclnnScaledMaskedSoftmax"""


def long_row(a: Arguments) -> Bad:
    shape = a.shape("x")
    return None if shape[-1] <= LONGEST else (list(shape), f"a last dimension of at most {LONGEST}")


CONTRACTS = {
    "aclnnAdaLayerNormQuant": (
        shape("quantScale", "{0} has a number for each row of x", lambda a: a.shape("x")[:-1]),
    ),
    "aclnnAdaLayerNormV2": tuple(
        shape(name, "{0} has a number for each row of x", lambda a: (*a.shape("x")[:-1], 1))
        for name in ("meanOutOptional", "rstdOutOptional")
    ),
    "aclnnScaledMaskedSoftmax": (demand(f"a row of {{0}} has at most {LONGEST} elements", "x", bad=long_row),),
}  # fmt: skip
