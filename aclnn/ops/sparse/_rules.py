"""Checks of layouts, lengths and shapes that the functions of sparse attention share, in their tiling (561002)."""

from dataclasses import dataclass
from typing import Final

from aclnn.op import TILING, Arguments, Operand, Planning, Relation, Series, Shape, one_of
from aclnn.ops.attention._demands import Misfit, Wrong, checked
from aclnn.ops.sparse._sequences import Forms

BSND, TND, PAGED = "BSND", "TND", "PA_BSND"
ALL: Final = (1 << 63) - 1
"""preTokens and nextTokens that limit nothing"""
LARGEST_BLOCK, BLOCK_UNIT = 1024, 16


@dataclass(frozen=True)
class Names:
    """The names of the parameters of layouts and lengths. Keys may have the layout parameter of queries."""

    layout: str
    """layout of keys"""
    lengths: str
    """lengths of keys"""
    query_layout: str = "layoutQueryOptional"
    query_lengths: str = "actualSeqLengthsQueryOptional"
    table: str | None = "blockTableOptional"
    """the table of blocks; None if the function has no keys in blocks"""


def query_layout(a: Arguments, names: Names) -> str:
    return a[names.query_layout] or BSND


def forms(a: Arguments, names: Names) -> Forms:
    return Forms(query_layout(a, names) == TND, key_layout(a, names) == PAGED)


def key_layout(a: Arguments, names: Names) -> str:
    return a[names.layout] or BSND


def tiled(sentence: str, *names: str, bad: Wrong) -> Relation:
    return checked(sentence, *names, bad=bad, status=TILING, provenance="public")


def layouts(names: Names) -> tuple[Relation, ...]:
    def bad(a: Arguments) -> Misfit | None:
        layout, own = key_layout(a, names), query_layout(a, names)
        if layout in (PAGED, own):
            return None
        return names.layout, repr(a[names.layout]), f"{own!r} or {PAGED!r}"

    of_query = one_of(names.query_layout, None, BSND, TND, status=TILING)
    if names.table is None:
        return (of_query,)
    return tiled("{0} is that of query, or one of blocks", names.layout, "query", bad=bad), of_query


def windows() -> tuple[Relation, ...]:
    """The sparse mode, and windows that hide nothing."""
    return (
        one_of("sparseMode", 0, 3, status=TILING),
        *(one_of(name, ALL, status=TILING) for name in ("preTokens", "nextTokens")),
    )


def lengths(names: Names) -> tuple[Relation, ...]:
    """Lengths and a table of blocks where the layouts need them."""
    table = names.table

    def missing(a: Arguments) -> Misfit | None:
        form = forms(a, names)
        needed = {names.query_lengths: form.packed, names.lengths: form.packed or form.paged}
        if table is not None:
            needed[table] = form.paged
        lacking = next((name for name, is_needed in needed.items() if is_needed and a[name] is None), None)
        return None if lacking is None else ("query", "given", f"beside {lacking}, as the layouts need it")

    def lone_table(a: Arguments) -> Misfit | None:
        return None if forms(a, names).paged else (table or "", "given", "null, as keys are not in blocks")

    return (
        tiled("{0} comes with the lengths that its layout needs", "query", bad=missing),
        *(() if table is None else (tiled("{0} is for keys in blocks", table, bad=lone_table),)),
    )


def batches(a: Arguments, names: Names) -> int:
    return a[names.query_lengths].shape[0] if query_layout(a, names) == TND else a.shape("query")[0]


def wrong_ranks(names: Names) -> Wrong:
    def bad(a: Arguments) -> Misfit | None:
        form = forms(a, names)
        for name, rank in (("query", 3 if form.packed else 4), ("key", 4 if form.paged or not form.packed else 3)):
            if a.rank(name) != rank:
                return name, list(a.shape(name)), f"{rank} dimensions, as its layout has"
        count = batches(a, names)
        for name, rank in ((names.query_lengths, 1), (names.lengths, 1), (names.table, 2)):
            if name is not None and a[name] is not None and (a.rank(name) != rank or a.shape(name)[0] != count):
                return "query", f"beside {name} {list(a.shape(name))}", f"{count} batches in {name}"
        return None

    return bad


def wrong_block(names: Names) -> Wrong:
    def bad(a: Arguments) -> Misfit | None:
        if not forms(a, names).paged:
            return None
        size = a.shape("key")[1]
        good = size % BLOCK_UNIT == 0 and 0 < size <= LARGEST_BLOCK
        return None if good else ("key", f"blocks of {size}", f"a multiple of {BLOCK_UNIT}, at most {LARGEST_BLOCK}")

    return bad


def sized(names: Names, heads: range | tuple[int, ...], on_950: range | tuple[int, ...], size: int) -> Wrong:
    """Checks heads, size and batches of queries and keys. Keys have one head."""

    def bad(a: Arguments) -> Misfit | None:
        query, key = a.shape("query"), a.shape("key")
        legal = on_950 if a.soc.series is Series.A950 else heads
        if query[-2] not in legal:
            return "query", f"{query[-2]} heads", f"{legal[0]} to {legal[-1]}"
        if key[-2] != 1:
            return "key", f"{key[-2]} heads", "1 head"
        if not forms(a, names).paged and query_layout(a, names) == BSND and key[0] != query[0]:
            return "key", list(key), f"{query[0]} batches"
        if query[-1] != size or key[-1] != size:
            return "query", f"{query[-1]} beside {key[-1]} in the last dimension", size
        return None

    return bad


def rows_shape(a: Arguments) -> Shape:
    """The dimensions of queries without heads and elements."""
    return a.shape("query")[:-2]


def others(p: Planning, names: Names, **more: str) -> dict[str, Operand]:
    """The optional tensors of a call, by the names that kernels have for them."""
    parameters = {"rows": names.query_lengths, "keys": names.lengths, "table": names.table, **more}
    return {key: p.read(name) for key, name in parameters.items() if name is not None and p.given(name)}
