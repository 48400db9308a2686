"""Plans attention with a gradient: the batches of a call, each with its rules, masks and dropout."""

from collections.abc import Iterator
from dataclasses import dataclass

from aclnn.op import Arguments, Operand, Planning, Relation, lacks
from aclnn.ops.attention._flash import keys, layout, mode, most, named, optional, queries, stretches
from aclnn.ops.attention._layouts import by_heads, same_place, spread
from aclnn.ops.attention._scores import Band, ScoreRules
from aclnn.ops.attention._steps import Attended


def sloped(a: Arguments) -> bool:
    return a["pseType"] in (2, 3)


def short_shift(a: Arguments) -> bool:
    shift = optional(a, "realShiftOptional", "pseShiftOptional")
    return shift is not None and (layout(a) == "TND" or shift.shape[2] not in (1, queries(a).rows))


def without_prefixes(a: Arguments) -> bool:
    return mode(a) in (5, 6) and not a.given("prefixOptional")


def left_out(*, slopes: bool, packed: bool) -> tuple[Relation, ...]:
    """The calls that no formula computes. `slopes`: has the version pseType; `packed`: is its layout TND?"""
    modes = (lacks("sparse mode 7 or 8", lambda a: mode(a) in (7, 8)),) if packed else ()
    return (
        *((lacks("a shift that is made of slopes", sloped),) if slopes else ()),
        lacks("a compressed shift", short_shift), *modes, lacks("a prefix mask without prefixes", without_prefixes),
    )  # fmt: skip


@dataclass(frozen=True)
class AlikeBatches:
    """A batch, or all batches where they are alike."""

    batches: slice
    rows: slice
    columns: slice
    given: Attended

    def of_query(self, x: Operand) -> Operand:
        """This part of a view that has the rows of queries."""
        return x.part(self.batches, slice(None), self.rows)

    def of_key(self, x: Operand) -> Operand:
        return x.part(self.batches, slice(None), self.columns)


def pieces(p: Planning) -> Iterator[AlikeBatches]:
    """The batches of a call."""
    count, of_keys = p["headNum"], keys(p).heads
    q = by_heads(p.read("query"), layout(p), count)
    k, v = (by_heads(p.read(name), layout(p), of_keys) for name in (named(p, "key", "keyIn"), "value"))
    packed, squares, prefixes = stretches(p), shapes(p), optional(p, "prefixOptional")
    whole: dict[str, Operand] = {}
    if p.given("dropMaskOptional") and p["keepProb"] < 1:
        whole["drop"] = same_place(p.read("dropMaskOptional"), (p["dropMaskOptional"].numel,))
    if packed is not None:
        for at, each in enumerate(packed):
            rows, columns = slice(each.query, each.query + each.rows), slice(each.key, each.key + each.columns)
            prefix = prefixes.values[at] if mode(p) in (5, 6) else 0
            own = {name: x.part(slice(at, at + 1), slice(None), slice(0, each.rows)) for name, x in squares.items()}
            made = rules(p, each.rows, each.columns, prefix, each.bits)
            yield piece(q, k, v, slice(0, 1), rows, columns, own, whole, made)
        return
    everything = slice(None)
    if mode(p) not in (5, 6):
        yield piece(q, k, v, everything, everything, everything, squares, whole, rules(p, *most(p), 0, 0))
        return
    for at in range(q.shape[0]):
        own = {name: x.part(slice(at, at + 1)) for name, x in squares.items()}
        bits = at * p["headNum"] * most(p)[0] * most(p)[1]
        yield piece(q, k, v, slice(at, at + 1), everything, everything, own, whole,
                    rules(p, *most(p), prefixes.values[at], bits))  # fmt: skip


def piece(
    q: Operand, k: Operand, v: Operand, batches: slice, rows: slice, columns: slice, squares: dict[str, Operand],
    whole: dict[str, Operand], made: ScoreRules,
) -> AlikeBatches:  # fmt: skip
    own = q.part(batches, slice(None), rows)
    k, v = (each.part(batches, slice(None), columns) for each in (k, v))
    return AlikeBatches(batches, rows, columns, Attended(own, k, v, made, squares, whole))


def rules(p: Planning, rows: int, columns: int, prefix: int, bits: int) -> ScoreRules:
    """How the scores of so many rows and columns are made."""
    off, how = columns - rows, mode(p)
    bands = {2: Band(high=0), 3: Band(high=off), 4: Band(off - p["preTokens"], off + p["nextTokens"]),
             5: Band(high=off, prefix=prefix), 6: Band(high=off, prefix=prefix)}  # fmt: skip
    drops = p.given("dropMaskOptional") and p["keepProb"] < 1
    first = not p.has("pseType") or p["pseType"] == 1
    return ScoreRules(
        p["scaleValue"], bands.get(how, Band()), shift_first=first, corrects=p["innerPrecise"] == 2 or how in bands,
        keep=p["keepProb"] if drops else 1.0, bits=(bits, p["headNum"] * rows * columns, rows * columns),
    )  # fmt: skip


def shapes(p: Planning) -> dict[str, Operand]:
    """Shift and mask as (B, N, rows, columns), as far as the call has them and reads them."""
    packed, (rows, columns) = stretches(p), most(p)
    full = (queries(p).batches if packed is None else len(packed), p["headNum"], rows, columns)
    found: dict[str, Operand] = {}
    shift = named(p, "realShiftOptional", "pseShiftOptional")
    if p.given(shift):
        found["shift"] = spread(p.read(shift), full)
    if p.given("attenMaskOptional") and mode(p) in (0, 1):
        found["mask"] = spread(p.read("attenMaskOptional"), full)
    return found
