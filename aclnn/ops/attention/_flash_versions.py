"""Parameters of later versions of attention with a gradient: slopes, a sink, rotary parts, the order of statistics."""

from dataclasses import replace
from typing import Final

from aclnn.op import Arguments, Operand, Relation, Series, T, listed, only_if, same_dtype
from aclnn.ops.attention._demands import Misfit, Wrong, checked
from aclnn.ops.attention._flash import EIGHT, LENGTHS, Version, built, layout, named, optional, queries, sloped
from aclnn.ops.attention._layouts import PACKED

QUERY_ROPE: Final = ("queryRope", "queryRopeOptional")
KEY_ROPE: Final = ("keyRope", "keyInRope", "keyRopeOptional")
TOKENS_FIRST: Final = ("same_as_input", "TN8")
"""the texts for statistics in the order of tokens, then heads"""


def without_slopes(name: str) -> Wrong:
    def bad(a: Arguments) -> Misfit | None:
        if not sloped(a) or (a[name] is not None and a.dtype(name) == T.ACL_FLOAT):
            return None
        return "pseType", a["pseType"], f"0 or 1, as {name} is no DT_FLOAT"

    return bad


def of_shift(version: Version, shift: str, like: str) -> tuple[Relation, ...]:
    """The data types of shift and sink. The library skips those of the sink if the shift is made of slopes."""
    plain = (listed(shift), same_dtype(shift, like))
    sink = (listed(version.sink),) if version.sink else ()
    return (slopes(shift), unless_sloped(*plain, *sink)) if version.slopes else plain


def slopes(shift: str) -> Relation:
    sentence = "the slopes are FLOAT if {0} is 2 or 3"
    return checked(sentence, "pseType", bad=without_slopes(shift), provenance="public")


def unless_sloped(*relations: Relation) -> Relation:
    return only_if("pseType is not 2 or 3", lambda a: not sloped(a), *relations)


def wrong_order(a: Arguments) -> Misfit | None:
    """Checks the order of statistics in a gradient whose call may be packed. Null is the first order."""
    name = "softmaxInLayout"
    legal = ("", "same_as_input") if layout(a) in PACKED else ("",)
    return None if a[name] in legal else (name, repr(a[name]), " or ".join(map(repr, legal)))


def has_sink(a: Arguments) -> bool:
    """True if the call has a sink. A tensor without elements is none."""
    sink = optional(a, "sinkOptional", "sinkInOptional")
    return sink is not None and sink.numel > 0


def wrong_sink(name: str) -> Wrong:
    def bad(a: Arguments) -> Misfit | None:
        if not has_sink(a):
            return None
        if a.shape(name) != (a["headNum"],):
            return name, list(a.shape(name)), f"{[a['headNum']]}, a number for each head"
        return (name, "given", "null, as query is FLOAT") if a.dtype("query") == T.ACL_FLOAT else None

    return bad


def wrong_rope(version: Version, key: str) -> Wrong:
    """Checks the rotary parts. `key`: the parameter of the keys."""

    def bad(a: Arguments) -> Misfit | None:
        sizes = {a.shape(name)[-1] if a.rank(name) else 0 for name in version.rope}
        for name, source in zip(version.rope, ("query", key), strict=True):
            shape = a.shape(source)
            if a.shape(name)[:-1] != shape[:-1] or (layout(a) not in ("BSH", "SBH") and len(sizes) > 1):
                return name, list(a.shape(name)), f"the shape of {source} but for the size of a head"
            if a.dtype(name) != a.dtype("query"):
                return name, a.type_name(name), f"{a.type_name('query')}, as query"
        misfit = None if key == "keyIn" else unsuited_to_rope(a, version)
        return None if misfit is None else (version.rope[0], *misfit)

    return bad


def unsuited_to_rope(a: Arguments, version: Version) -> tuple[object, object] | None:
    """Checks the arguments that a forward call with rotary parts restricts. Returns the wrong and the allowed value."""
    size, rotary = queries(a).size, a.shape(version.rope[0])[-1]
    if version.packed and (rotary > size or size % 16):
        return f"{rotary} elements beside {size}", "at most as many as query, and a multiple of 16 in query"
    if a.dtype("query") not in ((T.ACL_BF16,) if version.packed else (T.ACL_BF16, T.ACL_FLOAT16)):
        return f"given beside {a.type_name('query')}", "null, or beside DT_BFLOAT16"
    if version.packed and (a["attenMaskOptional"] is None or a["sparseMode"] == 6):
        return "given", "null, or beside attenMaskOptional and another sparseMode than 6"
    dropout = a["dropMaskOptional"] is not None or a["keepProb"] != 1
    if version.packed and (a["realShiftOptional"] is not None or dropout):
        return "given", "null, as the call has a shift or dropout"
    return None


def without_partner(name: str, partner: str) -> Wrong:
    return lambda a: None if a[partner] is not None else (name, "given", f"null, as {partner} is")


def of_rope(version: Version, key: str) -> tuple[Relation, ...]:
    """The checks of rotary parts."""
    if not version.rope:
        return ()
    pairs = (version.rope, version.rope[::-1])
    return (
        *(built("{0} is not alone", name, bad=without_partner(name, other)) for name, other in pairs),
        built("{0} and {1} fit query and {2}", *version.rope, key, bad=wrong_rope(version, key)),
    )


def without_lengths(a: Arguments) -> Misfit | None:
    if layout(a) not in PACKED:
        return None
    lacking = next((name for name in LENGTHS if a[name] is None), None)
    return None if lacking is None else (lacking, "null", "the ends of the batches, as the layout is TND")


def added(version: Version, key: str) -> tuple[Relation, ...]:
    """The checks of lengths, rotary parts and sink in the graph."""
    return (
        *((built("packed batches of {0} have ends", "inputLayout", bad=without_lengths),) if version.mixed else ()),
        *of_rope(version, key),
        *((built("{0} has a number for each head", version.sink, bad=wrong_sink(version.sink)),) if version.sink
          else ()),
    )  # fmt: skip


def tokens_first(a: Arguments) -> bool:
    """True if statistics of packed batches are in the order of tokens, then heads. Otherwise each batch has the rows of
    its heads, one head behind the other. On Ascend 950 the functions for packed batches alone ignore the text."""
    name = named(a, "softmaxOutLayout", "softmaxInLayout")
    ignored = a.soc.series is Series.A950 and not a.has("seed")
    return bool(name) and not ignored and a[name] in TOKENS_FIRST


def packed_rows(a: Arguments, x: Operand, rows: slice) -> Operand:
    """The statistics of the rows of a packed batch as (1, N, S, 8)."""
    count, heads = rows.stop - rows.start, a["headNum"]
    strides = (0, EIGHT, heads * EIGHT, 1) if tokens_first(a) else (0, count * EIGHT, EIGHT, 1)
    return replace(x, shape=(1, heads, count, EIGHT), strides=strides, offset=x.offset + rows.start * heads * EIGHT)
