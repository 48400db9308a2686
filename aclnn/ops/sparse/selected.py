"""NsaSelectedAttention: attention of packed sequences to the blocks of keys that each row selects, and its gradient."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Relation, Shape, T, demand, lacks, listed, one_of, planned,
    ranks, required, same_dtype, shape, widen,
)  # fmt: skip
from aclnn.ops.attention._scores import numbers
from aclnn.ops.sparse._rows import attended, attended_back
from aclnn.ops.sparse._sequences import check_blocks
from aclnn.ops.sparse.compression import ends_of_sequences

ENDS, KEY_ENDS = "actualSeqQLenOptional", "actualSeqKvLenOptional"
MASK, BLOCK, COUNT = "attenMaskOptional", "selectedBlockSize", "selectedBlockCount"
KEY_SIZE, VALUE_SIZE = 192, 128
UNIT, MOST, LARGEST_GROUP = 16, 128, 32
"""the divisor of the size of a block; the largest size and number of blocks; the most heads for a head of keys"""
COPIES: Final = 8
"""copies of each number of the statistics"""


def wrong_heads(a: Arguments) -> Bad:
    (_, heads, size), (_, of_keys, of_key), (_, of_values, value) = (a.shape(x) for x in ("query", "key", "value"))
    good = of_keys and heads % of_keys == 0 and heads <= LARGEST_GROUP * of_keys and of_values == of_keys
    if not good or heads != a["headNum"]:
        return [heads, of_keys, of_values], f"headNum {a['headNum']}, at most {LARGEST_GROUP} for each head of key"
    sizes = [size, of_key, value]
    return None if sizes == [KEY_SIZE, KEY_SIZE, VALUE_SIZE] else (sizes, [KEY_SIZE, KEY_SIZE, VALUE_SIZE])


def wrong_blocks(a: Arguments) -> Bad:
    size, count = a[BLOCK], a[COUNT]
    if not (0 < size <= MOST and size % UNIT == 0 and 1 <= count <= MOST):
        return size, f"a multiple of {UNIT} up to {MOST}, and 1 to {MOST} of them"
    lengths = [stop - start for start, stop in pairwise((0, *a[KEY_ENDS].values)) if stop > start]
    bad = next((each for each in lengths if each % size or each < count * size), None)
    return None if bad is None else (size, f"a divisor of {bad} keys, and {count} blocks of them")


def statistics(a: Arguments) -> Shape:
    return (*a.shape("query")[:2], COPIES)


def out_shape(a: Arguments) -> Shape:
    return (*a.shape("query")[:2], a.shape("value")[2])


def plain_mask(a: Arguments) -> bool:
    return a.given(MASK) and a["sparseMode"] == 0


def selecting(tops: str, sums: str, *outputs: str) -> tuple[Relation, ...]:
    """The checks of both functions. `tops`, `sums`: the names of the statistics."""
    return (
        required(ENDS, KEY_ENDS), lacks("a mask in sparse mode 0", plain_mask),
        listed("query", "key", "value", "topkIndices", MASK, tops, sums, *outputs),
        *(same_dtype(name, "query") for name in ("key", "value", *outputs)),
        one_of("inputLayout", "TND"), one_of("sparseMode", 0, 2),
        ranks("query", "key", "value", "topkIndices", least=3, most=3),
        demand("the heads and sizes of {0}, {1} and {2} fit", "query", "key", "value", bad=wrong_heads),
        shape("value", "{0} has the rows of key", lambda a: (*a.shape("key")[:2], VALUE_SIZE)),
        ends_of_sequences(ENDS, "query"), ends_of_sequences(KEY_ENDS, "key", beside=ENDS),
        demand("blocks of {0} keys divide each sequence", BLOCK, KEY_ENDS, bad=wrong_blocks),
        shape("topkIndices", "{0} has the blocks of each row and head of key",
              lambda a: (a.shape("query")[0], a.shape("key")[1], a[COUNT])),
        *(shape(name, "{0} has eight numbers for each row and head", statistics) for name in (tops, sums)),
    )  # fmt: skip


def attributes(p: Planning) -> dict[str, object]:
    return {"ends": tuple(p[ENDS].values), "key_ends": tuple(p[KEY_ENDS].values), "scale": p["scaleValue"],
            "block": p[BLOCK], "causal": p.given(MASK)}  # fmt: skip


@planned(
    "aclnnNsaSelectedAttention", *selecting("softmaxMaxOut", "softmaxSumOut", "attentionOut"),
    shape("attentionOut", "{0} has the rows of query and the elements of value", out_shape),
)  # fmt: skip
def selected_attention(p: Planning) -> None:
    """attentionOut = softmax(scaleValue * query @ key^T) @ value over the keys of the blocks that topkIndices lists for
    each row and head of key. With a mask a row sees no keys behind its own number. softmaxMax and softmaxSum: the
    largest scores and the sums of the exponentials, eight times each."""
    inputs = [p.read(name) for name in ("query", "key", "value", "topkIndices")]
    of_rows = (statistics(p), T.ACL_FLOAT)
    results = p.steps(
        chosen, inputs, [(out_shape(p), p.dtype("query")), of_rows, of_rows], moves=True, **attributes(p)
    )  # fmt: skip
    for name, result in zip(("attentionOut", "softmaxMaxOut", "softmaxSumOut"), results, strict=True):
        p.store(name, result)


def picked(
    indices: Array, ends: tuple[int, ...], key_ends: tuple[int, ...], block: int, causal: bool
) -> Iterator[tuple[int, int, Array]]:  # fmt: skip
    """A row, a head of keys, and the keys that the row sees."""
    for (start, stop), (first, last) in zip(pairwise((0, *ends)), pairwise((0, *key_ends)), strict=True):
        count = (last - first) // block
        own = indices[start:stop]
        check_blocks(own, count, "topkIndices")
        for row in range(stop - start):
            for head, blocks in enumerate(own[row].astype(np.int64)):
                places = (blocks[:, None] * block + numbers(slice(0, block))).reshape(-1)
                places = places[places <= row] if causal else places
                if places.size:
                    yield start + row, head, first + places


def chosen(
    q: Array, k: Array, v: Array, indices: Array, *, ends: tuple[int, ...], key_ends: tuple[int, ...], scale: float,
    block: int, causal: bool,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The output and the statistics."""
    out = np.zeros((*q.shape[:2], v.shape[2]), np.float32)
    tops, sums = np.zeros((2, *q.shape[:2], COPIES), np.float32)
    group = q.shape[1] // k.shape[1]
    for row, head, places in picked(indices, ends, key_ends, block, causal):
        heads = slice(head * group, (head + 1) * group)
        query, keys, values = widen(q[row, heads]) * np.float32(scale), widen(k[places, head]), widen(v[places, head])
        result, top, total = attended(query, keys, values, None, np.dtype(np.float32))
        out[row, heads], tops[row, heads], sums[row, heads] = result, top[:, None], total[:, None]
    return out, tops, sums


# the gradient

GRADS: Final = {"dqOut": "query", "dkOut": "key", "dvOut": "value"}


@planned(
    "aclnnNsaSelectedAttentionGrad", *selecting("softmaxMax", "softmaxSum", "attentionOut", "attentionOutGrad"),
    listed(*GRADS),
    *(shape(name, "{0} has the rows of query and the elements of value", out_shape)
      for name in ("attentionOut", "attentionOutGrad")),
    *(shape(name, "{0} has the shape of its input", lambda a, source=source: a.shape(source))
      for name, source in GRADS.items()),
)  # fmt: skip
def selected_attention_grad(p: Planning) -> None:
    """The gradients of aclnnNsaSelectedAttention. P = exp(scores - softmaxMax) / softmaxSum over the selected keys,
    dv = P^T attentionOutGrad, dScores = P * (attentionOutGrad value^T - the sum of attentionOutGrad * attentionOut),
    dq = scaleValue * dScores key, dk = scaleValue * dScores^T query."""
    names = ("query", "key", "value", "topkIndices", "attentionOutGrad", "attentionOut", "softmaxMax", "softmaxSum")
    results = p.steps(
        gradients, [p.read(name) for name in names], [(p.shape(name), T.ACL_FLOAT) for name in GRADS], moves=True,
        **attributes(p),
    )  # fmt: skip
    for name, result in zip(GRADS, results, strict=True):
        p.store(name, result)


def gradients(
    q: Array, k: Array, v: Array, indices: Array, grad: Array, out: Array, tops: Array, sums: Array, *,
    ends: tuple[int, ...], key_ends: tuple[int, ...], scale: float, block: int, causal: bool,
) -> tuple[Array, Array, Array]:  # fmt: skip
    dq, dk, dv = (np.zeros(x.shape, np.float32) for x in (q, k, v))
    group, unit = q.shape[1] // k.shape[1], np.float32(scale)
    for row, head, places in picked(indices, ends, key_ends, block, causal):
        heads = slice(head * group, (head + 1) * group)
        slope = widen(grad[row, heads])
        delta = (slope * widen(out[row, heads])).sum(-1)
        of_query, of_keys, of_values = attended_back(
            widen(q[row, heads]) * unit, widen(k[places, head]), widen(v[places, head]), slope, delta,
            (tops[row, heads, 0], sums[row, heads, 0]),
        )  # fmt: skip
        dq[row, heads] = of_query * unit
        np.add.at(dk[:, head], places, of_keys)
        np.add.at(dv[:, head], places, of_values)
    return dq, dk, dv
