"""AdvanceStep: the inputs of the next step of a generation, in place."""

from collections.abc import Sequence

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Relation, Use, check_range, demand, generated, in_memory, listed, planned,
    positive, ranks, shape, updates, with_elements,
)  # fmt: skip

TOKENS, POSITIONS, LENGTHS, SLOTS = CHANGED = ("inputTokens", "inputPositions", "seqLens", "slotMapping")
SAMPLED, TABLES = "sampledTokenIds", "blockTables"


def of_sequences(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        own, count = a.shape(name), a["numSeqs"]
        good = own[:1] == (count,) if name == TABLES else a[name].numel == count
        return None if good else (list(own), f"{count} numbers or rows, as numSeqs")

    return demand("{0} has a number, or a row, for each sequence", name, "numSeqs", bad=bad, status=TILING)


def too_many_queries(a: Arguments) -> Bad:
    return None if 0 < a["numQueries"] <= a["numSeqs"] else (a["numQueries"], f"1 to {a['numSeqs']}, the sequences")


@planned(
    "aclnnAdvanceStep", updates(TOKENS), generated(), listed(*CHANGED, SAMPLED, TABLES),
    ranks(TOKENS, LENGTHS, SLOTS, least=1, most=1), ranks(POSITIONS, least=1, most=2),
    ranks(SAMPLED, TABLES, least=2, most=2),
    *map(of_sequences, (*CHANGED, TABLES)),
    demand("{0} is at most the number of sequences", "numQueries", "numSeqs", bad=too_many_queries, status=TILING),
    shape(SAMPLED, "{0} has a token for each query", lambda a: (a["numQueries"], 1), status=TILING),
    positive("blockSize", status=TILING), with_elements(TABLES, status=TILING),
)  # fmt: skip
def advance_step(p: Planning) -> None:
    """For each query i, with n = seqLens[i]: inputTokens[i] = sampledTokenIds[i]; inputPositions[i] = n; seqLens[i] = n
    + 1; slotMapping[i] = blockTables[i, n // blockSize] * blockSize + n % blockSize. Other sequences do not change."""
    tables, count = p.read(TABLES), p["numQueries"]
    lengths = p.builder.written(p[LENGTHS]).part(slice(0, count))
    p.builder.launch(check_range, [lengths], [], name=LENGTHS, count=tables.shape[1] * p["blockSize"],
                     use=Use.UPDATE)  # fmt: skip
    changed = [p.builder.written(p[name]) for name in CHANGED]
    p.builder.launch(advanced, [p.read(SAMPLED), tables], changed, count=count, size=p["blockSize"])


@in_memory
def advanced(sampled: Array, tables: Array, *, out: Sequence[Array], count: int, size: int) -> None:
    """A step before this one reports lengths behind the last block, which are left out."""
    tokens, positions, lengths, slots = out
    old = np.array(lengths[:count])
    rows = np.flatnonzero((old >= 0) & (old < tables.shape[1] * size))
    n = old[rows]
    slots[rows] = tables[rows, n // size] * size + n % size
    tokens[rows], lengths[rows] = sampled[rows, 0], n + 1
    positions[rows] = n.reshape(-1, *(1,) * (positions.ndim - 1))
