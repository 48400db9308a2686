"""Plans attention with a gradient: the batches of a call, each with its rules, masks and dropout."""

from collections.abc import Iterator
from dataclasses import dataclass

from aclnn.op import Arguments, Operand, Planning, Relation, T, lacks
from aclnn.ops.attention._flash import (
    Version, dropout_bits, keys, largest_batch, layout, mode, named, optional, packed_batches, queries, sloped,
)  # fmt: skip
from aclnn.ops.attention._flash_versions import KEY_ROPE, QUERY_ROPE, has_sink, packed_rows
from aclnn.ops.attention._layouts import by_heads, same_place, spread
from aclnn.ops.attention._scores import Band, ScoreRules
from aclnn.ops.attention._steps import Attended, appended
from aclnn.ops.random.masks import bits as random_bits


def short_shift(a: Arguments) -> bool:
    shift = optional(a, "realShiftOptional", "pseShiftOptional")
    return shift is not None and (layout(a) == "TND" or shift.shape[2] not in (1, queries(a).rows))


def without_prefixes(a: Arguments) -> bool:
    return mode(a) in (5, 6) and not a.given("prefixOptional")


def scaled(a: Arguments) -> bool:
    return any(a[param.printed] is not None for param in a.op.params if param.printed.startswith("dScale"))


def left_out(version: Version) -> tuple[Relation, ...]:
    """Refusals of valid calls that no formula computes."""
    modes = (lacks("sparse mode 7 or 8", lambda a: mode(a) in (7, 8)),) if "TND" in version.layouts else ()
    return (
        *((lacks("a shift that is made of slopes", sloped),) if version.slopes else ()),
        *((lacks("scales of floats of 8 bits", scaled),) if version.mixed else ()),
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

    def statistics(self, p: Planning, x: Operand) -> Operand:
        """The statistics of the queries of these batches, as (B, N, S, 8)."""
        return packed_rows(p, x, self.rows) if layout(p) == "TND" else self.of_query(x)


def pieces(p: Planning) -> Iterator[AlikeBatches]:
    """The batches of a call."""
    count, of_keys = p["headNum"], keys(p).heads
    q = with_rope(p, by_heads(p.read("query"), layout(p), count), *QUERY_ROPE)
    k, v = (by_heads(p.read(name), layout(p), of_keys) for name in (named(p, "key", "keyIn"), "value"))
    k = with_rope(p, k, *KEY_ROPE)
    packed, squares, prefixes = packed_batches(p), shapes(p), optional(p, "prefixOptional")
    whole: dict[str, Operand] = {}
    if drops(p):
        whole["drop"] = dropout_mask(p)
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


def with_rope(p: Planning, x: Operand, *names: str) -> Operand:
    """Queries or keys with their rotary part, if the call has one."""
    name = named(p, *names)
    return appended(p, x, by_heads(p.read(name), layout(p), x.shape[1])) if name and p.given(name) else x


def drops(p: Planning) -> bool:
    """True if the call drops probabilities."""
    return p["keepProb"] < 1 and (p.given("dropMaskOptional") or p.has("seed"))


def dropout_mask(p: Planning) -> Operand:
    """The bits of dropout: those of the call, or random bits as aclnnDropoutGenMaskV2 makes them."""
    if p.given("dropMaskOptional"):
        return same_place(p.read("dropMaskOptional"), (p["dropMaskOptional"].numel,))
    return random_bits(p, 8 * -(-dropout_bits(p) // 8), 1 - p["keepProb"], T.ACL_FLOAT)


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
    first = not p.has("pseType") or p["pseType"] == 1
    return ScoreRules(
        p["scaleValue"], bands.get(sparse_mode, Band()), shift_first=first,
        corrects=p["innerPrecise"] == 2 or sparse_mode in bands, keep=p["keepProb"] if drops(p) else 1.0,
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
    if p.has("sinkOptional") and has_sink(p):
        squares["sink"] = spread(p.builder.reshape(p.read("sinkOptional"), (p["headNum"], 1, 1)), (*full[:3], 1))
    return squares
