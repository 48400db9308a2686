"""Contracts of products of matrices."""

from aclnn.op import Arguments, Bad, Relation, Shape, demand, not_negative, shape, with_elements


BLOCK = 16
"""rows and columns of a block of the cube unit"""


def aligned(size: int) -> int:
    return -(-size // BLOCK) * BLOCK


def swapped(a: Arguments, name: str, flag: str) -> Shape:
    """The shape of a matrix, transposed if the flag is true."""
    *batch, rows, columns = a.shape(name)
    return (*batch, columns, rows) if a[flag] else (*batch, rows, columns)


def wrong_factors(a: Arguments) -> Bad:
    first, second = swapped(a, "x1", "transposeX1"), swapped(a, "x2", "transposeX2")
    good = len(first) == len(second) and first[:-2] == second[:-2] and first[-1] == second[-2]
    return None if good else (list(first), f"a shape that {list(second)} can be multiplied with")


def columns(a: Arguments) -> int:
    return swapped(a, "x2", "transposeX2")[-1]


def product(a: Arguments) -> Shape:
    return *swapped(a, "x1", "transposeX1")[:-1], columns(a)


def dense(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a[name].contiguous else ("gaps", "a dense tensor")

    return demand("{0} is dense", name, bad=bad, provenance="public")


def rows_of_logits(a: Arguments) -> Shape:
    return a.shape("input")[:1]


def mask_bytes(a: Arguments) -> Shape:
    """Bytes with a bit for each row."""
    return (-(-a.shape("input")[0] // 8),)


def wrong_order(a: Arguments) -> Bad:
    first, last = a["vocabStartIndex"], a["vocabEndIndex"]
    return None if last >= first else (last, f"{first} or more, as vocabStartIndex")


def other_columns(a: Arguments) -> Bad:
    size, right = a.shape("weight")[1], a.shape("input")[1]
    return None if size == right else (size, f"{right} columns, as input")


def all_logits(a: Arguments) -> Shape:
    return a.shape("input")[0], a.shape("weight")[0]


CONTRACTS = {
    "aclnnBatchMatmulQuant": (
        with_elements("x1"), with_elements("x2"),
        demand("{0} can be multiplied with {1}", "x1", "x2", bad=wrong_factors),
        shape("quantParam", "{0} has a number for each column, in whole blocks", lambda a: (aligned(columns(a)),)),
        shape("bias", "{0} has a number for each column", lambda a: (columns(a),)),
        shape("out", "{0} has the shape of the product", product),
    ),
    "aclnnFusedLinearOnlineMaxSum": (
        demand("{0} has as many columns as {1}", "weight", "input", bad=other_columns),
        *(shape(name, "{0} has a number for each row of input", rows_of_logits)
          for name in ("target", "logitsMaxLocalOut", "sumExpLogitsLocalOut", "predictedLogitsLocalOut",
                       "maskedTargetOut")),
        shape("targetMaskOut", "{0} has a bit for each row of input", mask_bytes),
        shape("vocabParallelLogitsOutOptional", "{0} has the shape of the product", all_logits),
        not_negative("vocabStartIndex"),
        demand("{0} is not below {1}", "vocabEndIndex", "vocabStartIndex", bad=wrong_order),
    ),
    "aclnnMatmulEmuSplitWeight": (dense("x"), dense("wHigh"), dense("wLow")),
}  # fmt: skip
