"""Checks of layouts, lengths and shapes that the functions of sparse attention share, in their tiling (561002)."""

from dataclasses import dataclass
from typing import Final

from aclnn.op import TILING, Arguments, Operand, Planning, Relation, Series, Shape, one_of
from aclnn.ops.attention._demands import Misfit, Wrong, checked
from aclnn.ops.sparse._sequences import Forms

BSND, TND, PAGED = "BSND", "TND", "PA_BSND"
LAYOUT, TABLE = "layoutQueryOptional", "blockTableOptional"
LENGTHS: Final = "actualSeqLengthsQueryOptional"
ALL: Final = (1 << 63) - 1
"""preTokens and nextTokens that limit nothing"""
LARGEST_BLOCK, BLOCK_UNIT = 1024, 16


@dataclass(frozen=True)
class KeyNames:
    """The names of the parameters of keys: their layout and their lengths."""

    layout: str
    lengths: str


def query_layout(a: Arguments) -> str:
    return a[LAYOUT] or BSND


def forms(a: Arguments, names: KeyNames) -> Forms:
    return Forms(query_layout(a) == TND, key_layout(a, names) == PAGED)


def key_layout(a: Arguments, names: KeyNames) -> str:
    return a[names.layout] or BSND


def tiled(sentence: str, *names: str, bad: Wrong) -> Relation:
    return checked(sentence, *names, bad=bad, status=TILING, provenance="public")


def layouts(names: KeyNames) -> tuple[Relation, ...]:
    def bad(a: Arguments) -> Misfit | None:
        layout = key_layout(a, names)
        if layout in (PAGED, query_layout(a)):
            return None
        return names.layout, repr(a[names.layout]), f"{query_layout(a)!r} or {PAGED!r}"

    return (
        tiled("{0} is that of query, or one of blocks", names.layout, "query", bad=bad),
        one_of(LAYOUT, None, BSND, TND, status=TILING),
    )


def windows() -> tuple[Relation, ...]:
    """The sparse mode, and windows that hide nothing."""
    return (
        one_of("sparseMode", 0, 3, status=TILING),
        *(one_of(name, ALL, status=TILING) for name in ("preTokens", "nextTokens")),
    )


def lengths(names: KeyNames) -> tuple[Relation, ...]:
    """Lengths and a table of blocks where the layouts need them."""

    def missing(a: Arguments) -> Misfit | None:
        form = forms(a, names)
        needed = (*((LENGTHS,) if form.packed else ()), *((names.lengths,) if form.packed or form.paged else ()),
                  *((TABLE,) if form.paged else ()))  # fmt: skip
        lacking = next((name for name in needed if a[name] is None), None)
        return None if lacking is None else ("query", "given", f"beside {lacking}, as the layouts need it")

    def lone_table(a: Arguments) -> Misfit | None:
        paged = forms(a, names).paged
        return None if paged else (TABLE, "given", "null, as keys are not in blocks")

    return (
        tiled("{0} comes with the lengths that its layout needs", "query", bad=missing),
        tiled("{0} is for keys in blocks", TABLE, bad=lone_table),
    )


def batches(a: Arguments) -> int:
    return a[LENGTHS].shape[0] if query_layout(a) == TND else a.shape("query")[0]


def wrong_ranks(names: KeyNames) -> Wrong:
    def bad(a: Arguments) -> Misfit | None:
        form = forms(a, names)
        for name, rank in (("query", 3 if form.packed else 4), ("key", 4 if form.paged or not form.packed else 3)):
            if a.rank(name) != rank:
                return name, list(a.shape(name)), f"{rank} dimensions, as its layout has"
        for name, rank in ((LENGTHS, 1), (names.lengths, 1), (TABLE, 2)):
            if a[name] is not None and (a.rank(name) != rank or a.shape(name)[0] != batches(a)):
                return "query", f"beside {name} {list(a.shape(name))}", f"{batches(a)} batches in {name}"
        return None

    return bad


def wrong_block(names: KeyNames) -> Wrong:
    def bad(a: Arguments) -> Misfit | None:
        if not forms(a, names).paged:
            return None
        size = a.shape("key")[1]
        good = size % BLOCK_UNIT == 0 and 0 < size <= LARGEST_BLOCK
        return None if good else ("key", f"blocks of {size}", f"a multiple of {BLOCK_UNIT}, at most {LARGEST_BLOCK}")

    return bad


def sized(names: KeyNames, heads: range | tuple[int, ...], on_950: range | tuple[int, ...], size: int) -> Wrong:
    """Checks heads, size and batches of queries and keys. Keys have one head."""

    def bad(a: Arguments) -> Misfit | None:
        query, key = a.shape("query"), a.shape("key")
        legal = on_950 if a.soc.series is Series.A950 else heads
        if query[-2] not in legal:
            return "query", f"{query[-2]} heads", f"{legal[0]} to {legal[-1]}"
        if key[-2] != 1:
            return "key", f"{key[-2]} heads", "1 head"
        if not forms(a, names).paged and query_layout(a) == BSND and key[0] != query[0]:
            return "key", list(key), f"{query[0]} batches"
        if query[-1] != size or key[-1] != size:
            return "query", f"{query[-1]} beside {key[-1]} in the last dimension", size
        return None

    return bad


def rows_shape(a: Arguments) -> Shape:
    """The dimensions of queries without heads and elements."""
    return a.shape("query")[:-2]


def others(p: Planning, names: KeyNames, **more: str) -> dict[str, Operand]:
    """The optional tensors of a call, by the names that kernels have for them."""
    parameters = {"rows": LENGTHS, "keys": names.lengths, "table": TABLE, **more}
    return {key: p.read(name) for key, name in parameters.items() if p.given(name)}
