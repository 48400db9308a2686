"""Plans attention with a gradient: the batches of a call, each with its rules, masks and dropout."""

from collections.abc import Iterator
from dataclasses import dataclass

from aclnn.op import Arguments, Operand, Planning, Relation, lacks
from aclnn.ops.attention._flash import keys, layout, mode, largest_batch, named, optional, queries, packed_batches
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
    """Refusals of valid calls that no formula computes. `slopes`: True if the version has pseType; `packed`: True for
    the layout TND."""
    modes = (lacks("sparse mode 7 or 8", lambda a: mode(a) in (7, 8)),) if packed else ()
    return (
        *((lacks("a shift that is made of slopes", sloped),) if slopes else ()),
        lacks("a compressed shift", short_shift), *modes, lacks("a prefix mask without prefixes", without_prefixes),
    )  # fmt: skip


@dataclass(frozen=True)
class AlikeBatches:
    """One batch, or all batches of a call if the same score rules apply to them."""

    batches: slice
    rows: slice
    columns: slice
    attended: Attended

    def of_query(self, x: Operand) -> Operand:
        """The part of a view (B, N, S, D) that has the queries of these batches."""
        return x.part(self.batches, slice(None), self.rows)

    def of_key(self, x: Operand) -> Operand:
        return x.part(self.batches, slice(None), self.columns)


def pieces(p: Planning) -> Iterator[AlikeBatches]:
    """The batches of a call."""
    count, of_keys = p["headNum"], keys(p).heads
    q = by_heads(p.read("query"), layout(p), count)
    k, v = (by_heads(p.read(name), layout(p), of_keys) for name in (named(p, "key", "keyIn"), "value"))
    packed, squares, prefixes = packed_batches(p), shapes(p), optional(p, "prefixOptional")
    whole: dict[str, Operand] = {}
    if p.given("dropMaskOptional") and p["keepProb"] < 1:
        whole["drop"] = same_place(p.read("dropMaskOptional"), (p["dropMaskOptional"].numel,))
    if packed is not None:
        for index, batch in enumerate(packed):
            rows, columns = (
                slice(batch.query, batch.query + batch.rows),
                slice(batch.key, batch.key + batch.columns),
            )
            prefix = prefixes.values[index] if mode(p) in (5, 6) else 0
            cut_squares = {
                name: x.part(slice(index, index + 1), slice(None), slice(0, batch.rows)) for name, x in squares.items()
            }
            score_rules = rules(p, batch.rows, batch.columns, prefix, batch.bits)
            yield piece(q, k, v, slice(0, 1), rows, columns, cut_squares, whole, score_rules)
        return
    everything = slice(None)
    if mode(p) not in (5, 6):
        yield piece(q, k, v, everything, everything, everything, squares, whole, rules(p, *largest_batch(p), 0, 0))
        return
    for index in range(q.shape[0]):
        cut_squares = {name: x.part(slice(index, index + 1)) for name, x in squares.items()}
        bits = index * p["headNum"] * largest_batch(p)[0] * largest_batch(p)[1]
        yield piece(q, k, v, slice(index, index + 1), everything, everything, cut_squares, whole,
                    rules(p, *largest_batch(p), prefixes.values[index], bits))  # fmt: skip


def piece(
    q: Operand, k: Operand, v: Operand, batches: slice, rows: slice, columns: slice, squares: dict[str, Operand],
    whole: dict[str, Operand], score_rules: ScoreRules,
) -> AlikeBatches:  # fmt: skip
    own_rows = q.part(batches, slice(None), rows)
    k, v = (each.part(batches, slice(None), columns) for each in (k, v))
    return AlikeBatches(batches, rows, columns, Attended(own_rows, k, v, score_rules, squares, whole))


def rules(p: Planning, rows: int, columns: int, prefix: int, bits: int) -> ScoreRules:
    """The rules for the scores of `rows` queries and `columns` keys."""
    off, sparse_mode = columns - rows, mode(p)
    bands = {2: Band(high=0), 3: Band(high=off), 4: Band(off - p["preTokens"], off + p["nextTokens"]),
             5: Band(high=off, prefix=prefix), 6: Band(high=off, prefix=prefix)}  # fmt: skip
    drops = p.given("dropMaskOptional") and p["keepProb"] < 1
    first = not p.has("pseType") or p["pseType"] == 1
    return ScoreRules(
        p["scaleValue"], bands.get(sparse_mode, Band()), shift_first=first,
        corrects=p["innerPrecise"] == 2 or sparse_mode in bands, keep=p["keepProb"] if drops else 1.0,
        bits=(bits, p["headNum"] * rows * columns, rows * columns),
    )  # fmt: skip


def shapes(p: Planning) -> dict[str, Operand]:
    """Shift and mask as (B, N, rows, columns), if the call has them and reads them."""
    packed, (rows, columns) = packed_batches(p), largest_batch(p)
    full = (queries(p).batches if packed is None else len(packed), p["headNum"], rows, columns)
    squares: dict[str, Operand] = {}
    shift = named(p, "realShiftOptional", "pseShiftOptional")
    if p.given(shift):
        squares["shift"] = spread(p.read(shift), full)
    if p.given("attenMaskOptional") and mode(p) in (0, 1):
        squares["mask"] = spread(p.read("attenMaskOptional"), full)
    return squares
