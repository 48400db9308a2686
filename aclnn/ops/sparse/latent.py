"""SparseFlashMla: attention to a window of the newest keys, and to compressed keys. Keys are values, too."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from aclnn.op import Array, Planning, T, listed, planned, shape, widen
from aclnn.ops.sparse._latent_rules import (
    CAUSAL, CHOSEN, CONTRACT, EVERY_KEY, KEYS, LISTS, LSE, OF_KEYS, PART_NUMBERS, ROW_COUNTS, ROW_ENDS, SINKS,
    UNLIMITED, is_paged, lse_shape,
)  # fmt: skip
from aclnn.ops.sparse._rows import attended_in_tiles
from aclnn.ops.sparse._sequences import blocks_of


@planned("aclnnSparseFlashMla", *CONTRACT)
def sparse_flash_mla(p: Planning) -> None:
    """attnOut = softmax(softmaxScale * q @ keys^T) @ keys, with a sink for each head: a further score without a value.
    t = keys - rows + i + 1 is the position behind row i of its batch. The row sees the rows [t - oriWinLeft - 1,
    t + oriWinRight) of oriKv, and of cmpKv the first c = min(t // cmpRatio, rows): with cmpSparseIndices those that
    the list of the row has before its first -1, at most c. oriMaskMode 3: all rows of oriKv before t; 0: all. A row
    with t <= 0 is 0 in the modes 3 and 4. The probabilities are rounded to the data type of q. softmaxLse = the
    logarithm of the sum of exp(score)."""
    names = {"rows": ROW_ENDS, "used": ROW_COUNTS, "lists": LISTS, "keys": KEYS, "chosen": CHOSEN}
    for key, of_key in zip(("keys", "chosen"), OF_KEYS.values(), strict=True):
        names |= {f"{key} {part}": name for part, name in zip(("table", "ends", "used"), of_key, strict=True)}
    parameters = {key: name for key, name in names.items() if p.given(name)}
    results = p.steps(
        latent_attention, [p.read("q"), p.read(SINKS), *(p.read(name) for name in parameters.values())],
        [(p.shape("q"), p.dtype("q")), (lse_shape(p), T.ACL_FLOAT)], moves=True, names=tuple(parameters),
        paged=is_paged(p), scale=p["softmaxScale"],
        window=Window(p["oriMaskMode"], p["oriWinLeft"], p["oriWinRight"], p["cmpRatio"]),
    )  # fmt: skip
    p.store("attnOutOut", results[0])
    if p["returnSoftmaxLse"]:
        p.store(LSE, results[1])


@dataclass(frozen=True)
class Window:
    """The keys that a row sees."""

    mode: int
    left: int
    right: int
    ratio: int

    def of(self, behind: int, count: int) -> slice:
        """The keys of a row, of `count` keys. `behind`: the position behind the row."""
        if self.mode == EVERY_KEY:
            return slice(0, count)
        first = 0 if self.mode == CAUSAL or self.left == UNLIMITED else max(behind - self.left - 1, 0)
        last = count if self.right == UNLIMITED else min(behind + self.right, count)
        return slice(first, max(first, last))

    def empty(self, behind: int) -> bool:
        """True for a row that lies before all keys."""
        return behind <= 0 and self.mode != EVERY_KEY


def latent_attention(
    q: Array, sinks: Array, *more: Array, names: tuple[str, ...], paged: bool, window: Window, scale: float
) -> tuple[Array, Array]:  # fmt: skip
    """The output, and the logarithms of the sums of each row and head."""
    optional = dict(zip(names, more, strict=True))
    out = np.zeros(q.shape, np.float32)
    lse: Array = np.zeros(q.shape[:-1], np.float32)
    lse[...] = sinks
    for at, keys, chosen, lists in sequences(q, optional, paged=paged):
        rows = widen(q[at]) * np.float32(scale)
        targets = out[at], lse[at]
        for row in range(len(rows)):
            behind = len(keys) - len(rows) + row + 1
            if window.empty(behind):
                continue
            seen = [keys[window.of(behind, len(keys))]]
            if chosen is not None:
                seen.append(chosen[compressed_rows(lists, row, min(max(behind, 0) // window.ratio, len(chosen)))])
            result, top, total = attended_in_tiles(rows[row], widen(np.concatenate(seen)), sinks, q.dtype)
            targets[0][row], targets[1][row] = result, top + np.log(total + np.float32(1e-10))
    return out, np.expand_dims(lse, 0 if "rows" in optional else 1)


def compressed_rows(lists: Array | None, row: int, count: int) -> Array:
    """The compressed keys that a row sees: the first ones, or those of its list."""
    if lists is None:
        return np.arange(count)
    ids = lists[row, 0]
    ends = np.flatnonzero(ids < 0)
    ids = ids[: min(ends[0] if ends.size else len(ids), count)]
    return ids[ids < count]


def sequences(
    q: Array, optional: dict[str, Array], *, paged: bool
) -> Iterator[tuple[tuple[int | slice, ...], Array, Array | None, Array | None]]:
    """For each batch: the index of its queries, its keys, its compressed keys and its lists."""
    ends, lists = optional.get("rows"), optional.get("lists")
    queries = spans(ends, optional.get("used"), len(q), q.shape[0 if ends is not None else 1])
    for batch, span in enumerate(queries):
        at = (span,) if ends is not None else (batch, span)
        keys = (of_batch(optional, key, batch, paged=paged) for key in ("keys", "chosen"))
        own = lists[at] if lists is not None else None
        yield at, *keys, own  # type: ignore[misc]


def of_batch(optional: dict[str, Array], key: str, batch: int, *, paged: bool) -> Array | None:
    """The keys of a batch: (rows, elements)."""
    if key not in optional:
        return None
    x, table, ends, used = optional[key], *(optional.get(f"{key} {part}") for part in ("table", "ends", "used"))
    if paged:
        assert table is not None
        count = table.shape[1] * x.shape[1]
        count = count if used is None else min(max(int(used[batch]), 0), count)
        return x[blocks_of(table[batch], count, x)].reshape(-1, x.shape[-1])[:count]
    span = spans(ends, used, len(x), x.shape[0 if ends is not None else 1])[batch]
    return x[span, 0] if ends is not None else x[batch, span, 0]


def spans(ends: Array | None, used: Array | None, count: int, most: int) -> list[slice]:
    """The rows of each batch. `ends`: 0 and the end of each batch. `used`: how many of its rows a batch has. Rows
    behind the tensor are cut."""
    numbers = None if ends is None else np.clip(ends.astype(np.int64), 0, most).tolist()
    limits = [(0, most)] * count if numbers is None else [(start, max(start, end)) for start, end in pairwise(numbers)]
    if used is None:
        return [slice(*limit) for limit in limits]
    return [
        slice(start, start + min(max(int(number), 0), end - start))
        for (start, end), number in zip(limits, used, strict=True)
    ]


METADATA: Final = "metaData"


@planned(
    "aclnnSparseFlashMlaMetadata", listed(METADATA),
    shape(METADATA, f"{{0}} has {PART_NUMBERS} numbers", lambda _: (PART_NUMBERS,)),
)  # fmt: skip
def sparse_flash_mla_metadata(p: Planning) -> None:
    """metaData = 0. On a device it divides the work of aclnnSparseFlashMla among cores. No source describes its
    numbers; aclnnSparseFlashMla does not read them here."""
    p.fill(METADATA, 0)
