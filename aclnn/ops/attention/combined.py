"""Attention over parts of the keys, whose results are combined: AttentionUpdate, RingAttentionUpdate."""

from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, PRIVATE, TILING, Arguments, Array, Bad, Operand, Planning, Relation,
    Series, Shape, T, Tensor, before_nulls, check_range, demand, done, format_name, listed, one_of, planned, ranks,
    refused_by_kernel, same_count, same_dtype, same_shape, shape, uniform,
    with_elements,
)  # fmt: skip

MOST_PARTS, MOST_PARTS_OF_950 = 128, 16
LARGEST_HEAD, UNIT = 512, 8
"""the most elements of a head, and their divisor"""


def is_empty(tensor: Tensor) -> bool:
    return not tensor.numel


def lse_without_need(a: Arguments) -> Bad:
    right = a.given("lseOut") == (a["updateType"] == 1)
    return (
        None
        if right
        else (a["updateType"], f"{int(a.given('lseOut'))}, as lseOut is{'' if a.given('lseOut') else ' not'} given")
    )


def too_many_parts(a: Arguments) -> Bad:
    most, count = MOST_PARTS_OF_950 if a.soc.series is Series.A950 else MOST_PARTS, len(a["lse"])
    return None if 1 <= count <= most else (f"{count} tensors", f"1 to {most}")


def rows(a: Arguments) -> Shape:
    return a["lse"][0].shape


def whole(a: Arguments) -> Shape:
    return a["localOut"][0].shape


def of_one_shape(name: str) -> Relation:
    """Checks that the tensors of a list have the shape of the first one."""

    def bad(a: Arguments) -> Bad:
        shapes = [list(tensor.shape) for tensor in a[name]]
        return None if all(own == shapes[0] for own in shapes) else (shapes, "one shape")

    return demand("the tensors of {0} have one shape", name, bad=bad)


def wrong_head(a: Arguments) -> Bad:
    size = whole(a)[1]
    return None if size % UNIT == 0 and size <= LARGEST_HEAD else (size, f"a multiple of {UNIT}, up to {LARGEST_HEAD}")


def other_rows(a: Arguments) -> Bad:
    return None if rows(a)[0] == whole(a)[0] else (rows(a)[0], f"{whole(a)[0]} rows, as localOut")


@planned(
    "aclnnAttentionUpdate",
    before_nulls((), one_of("updateType", 0, 1), demand(
        "{0} is 1 exactly if lseOut is given", "updateType", bad=lse_without_need)),
    listed("lse", "localOut", "lseOut", unless=is_empty), listed("out", like="localOut", unless=is_empty),
    demand("{0} has 1 to 128 tensors", "lse", bad=too_many_parts), same_count("localOut", "lse"),
    ranks("lse", least=1, most=1), ranks("localOut", least=2, most=2), of_one_shape("lse"), of_one_shape("localOut"),
    demand("a row of {0} has whole blocks of 8 elements, at most 512", "localOut", bad=wrong_head),
    demand("{0} has the rows of {1}", "lse", "localOut", bad=other_rows),
    shape("out", "{0} has the shape of a tensor of localOut", whole),
    shape("lseOut", "{0} has the shape of a tensor of lse", rows),
    done("the first tensor of lse or of localOut is empty", "lse", "localOut",
         when=lambda a: not (a["lse"][0].numel and a["localOut"][0].numel)),
    refused_by_kernel(uniform("localOut"), same_dtype("out", "localOut")),
)  # fmt: skip
def attention_update(p: Planning) -> None:
    """out = the sum of localOut[i] * exp(lse[i] - L), with L = log(the sum of exp(lse[i])). lseOut = L, if updateType
    is 1"""
    lse, parts = p.read_all("lse", T.ACL_FLOAT), p.read_all("localOut")
    log_sum = p.step(log_sum_exp, lse, rows(p), T.ACL_FLOAT)
    columns = [p.builder.reshape(each, (*rows(p), 1)) for each in (*lse, log_sum)]
    p.store("out", p.step(summed, [*columns, *parts], whole(p), p.dtype("out")))
    p.store("lseOut", log_sum)


def log_sum_exp(*lse: Array) -> Array:
    largest = lse[0]
    for each in lse[1:]:
        largest = np.maximum(largest, each)
    total = np.exp(lse[0] - largest)
    for each in lse[1:]:
        total = total + np.exp(each - largest)
    return largest + np.log(total)


def summed(*arrays: Array) -> Array:
    """The arrays are the logarithms of the parts, their common logarithm, and the parts."""
    count = len(arrays) // 2
    out = arrays[count + 1] * np.exp(arrays[0] - arrays[count])
    for lse, part in zip(arrays[1:count], arrays[count + 2 :], strict=True):
        out = out + part * np.exp(lse - arrays[count])
    return out


# of rings


SOFTMAX: Final = ("prevSoftmaxMax", "prevSoftmaxSum", "curSoftmaxMax", "curSoftmaxSum")
PREVIOUS, CURRENT, OUT, LENGTHS = "prevAttnOut", "curAttnOut", "attnOutOut", "actualSeqQlenOptional"
STATISTICS: Final = ("softmaxMaxOut", "softmaxSumOut")
LAYOUT, SOFTMAX_LAYOUT = "inputLayoutOptional", "inputSoftmaxLayoutOptional"
SBH, TND = "SBH", "TND"
COPIES = 8
"""the equal numbers in the last dimension of a softmax tensor"""
MOST_HEADS, LARGEST_SIZE, SIZE_UNIT = 256, 768, 64
NULL = ACLNN_ERR_PARAM_NULLPTR
"""the status of what the kernel refuses"""


def packed(a: Arguments) -> bool:
    """True if attention has one dimension for the tokens of all sequences."""
    return a[LAYOUT] == TND


def in_blocks(a: Arguments) -> bool:
    """True if softmax tensors have a block of heads, then tokens, for each sequence."""
    return packed(a) and not (a.has(SOFTMAX_LAYOUT) and a[SOFTMAX_LAYOUT] == TND)


def no_float(a: Arguments) -> Bad:
    types = [a.dtype(name) for name in (*SOFTMAX, *STATISTICS)]
    return None if T.ACL_FLOAT in types else (a.type_name(SOFTMAX[0]), "FLOAT")


def wrong_ranks(a: Arguments) -> Bad:
    rank = 3 if packed(a) else 4
    wrong = [name for name in (*SOFTMAX, *STATISTICS) if a.rank(name) != rank or a.shape(name)[-1] != COPIES]
    return (list(a.shape(wrong[0])), f"{rank} dimensions, the last one {COPIES}") if wrong else None


def too_large(a: Arguments) -> Bad:
    _, heads, size = a.shape(PREVIOUS)
    good = not packed(a) or a.soc.series is Series.A950
    good = good or (heads <= MOST_HEADS and size <= LARGEST_SIZE and size % SIZE_UNIT == 0)
    return (
        None if good else ([heads, size], f"up to {MOST_HEADS} heads of up to {LARGEST_SIZE} elements, by {SIZE_UNIT}")
    )


def private(a: Arguments) -> Bad:
    formats = [a[name].storage_format for name in (PREVIOUS, CURRENT, *SOFTMAX, OUT, *STATISTICS)]
    wrong = [each for each in formats if each in PRIVATE]
    return (format_name(wrong[0]), "ND") if wrong else None


def without_lengths(a: Arguments) -> Bad:
    return ("no lengths", f"ends of sequences in {LENGTHS}") if packed(a) and not a.given(LENGTHS) else None


def softmax_shape(a: Arguments) -> Bad:
    own, attention = a.shape(SOFTMAX[0]), a.shape(PREVIOUS)
    tall = (*attention[:2], COPIES) if packed(a) else (attention[1], own[1], attention[0], COPIES)
    good = own == tall and (packed(a) or (own[1] and attention[2] % own[1] == 0))
    return None if good else (list(own), f"a number for each head of {list(attention)}, {COPIES} times")


TYPED: Final = (
    listed(PREVIOUS), same_dtype(CURRENT, PREVIOUS), same_dtype(OUT, PREVIOUS),
    demand("one of the softmax tensors is FLOAT", SOFTMAX[0], bad=no_float, provenance="public"),
    ranks(PREVIOUS, CURRENT, OUT, least=3, most=3), one_of(LAYOUT, None, "", SBH, TND),
)  # fmt: skip
RING: Final = (
    demand("the softmax tensors have the dimensions of the layout", SOFTMAX[0], LAYOUT, bad=wrong_ranks),
    demand("{0} is within the limits of the layout", PREVIOUS, LAYOUT, bad=too_large),
    demand("no tensor is stored in a private format", PREVIOUS, bad=private),
    demand("{0} has ends of sequences for tokens of all sequences", LAYOUT, bad=without_lengths, status=NULL),
    *(with_elements(name, status=TILING) for name in (PREVIOUS, CURRENT, *SOFTMAX, OUT, *STATISTICS)),
    *(listed(name, status=NULL) for name in (*SOFTMAX, *STATISTICS)),
    *(same_shape(name, PREVIOUS, status=NULL) for name in (CURRENT, OUT)),
    demand("{0} has 8 numbers for each head of {1}", SOFTMAX[0], PREVIOUS, bad=softmax_shape, status=NULL),
    *(same_shape(name, SOFTMAX[0], status=NULL) for name in (*SOFTMAX[1:], *STATISTICS)),
    ranks(LENGTHS, least=1, most=1, status=NULL),
)  # fmt: skip


@planned("aclnnRingAttentionUpdate", *TYPED, *RING)
def ring_attention_update(p: Planning) -> None:
    """softmaxMax = the larger max; softmaxSum = the sum of sum * exp(max - softmaxMax) of both parts. attnOut = the sum
    of attention * sum * exp(max - softmaxMax) / softmaxSum of both parts. In the layout TND softmax tensors have a
    block for each sequence: its heads, then its tokens. The ends of the sequences are in actualSeqQlen, after a 0."""
    update_ring(p)


@planned("aclnnRingAttentionUpdateV2", *TYPED, one_of(SOFTMAX_LAYOUT, None, "", SBH, TND), *RING)
def ring_attention_update_v2(p: Planning) -> None:
    """Like aclnnRingAttentionUpdate. If both layouts are TND, softmax tensors have tokens before heads."""
    update_ring(p)


def update_ring(p: Planning) -> None:
    statistics = [p.read(name) for name in SOFTMAX]
    sizes = statistics[0].shape
    results = p.steps(merged, statistics, [(sizes, T.ACL_FLOAT)] * 4)
    for name, result in zip(STATISTICS, results[:2], strict=True):
        p.store(name, result)
    weights = [each.along(len(sizes) - 1, slice(0, 1)) for each in results[2:]]
    heads = p.shape(PREVIOUS)
    if in_blocks(p):
        ends = p.read(LENGTHS)
        p.builder.launch(check_range, [ends], [], name=LENGTHS, count=sizes[0] + 1)
        weights = p.steps(by_token, [*weights, ends], [((*sizes[:2], 1), T.ACL_FLOAT)] * 2)
    elif not packed(p):
        heads = (*heads[:2], sizes[1], heads[2] // sizes[1])
        weights = [tokens_first(each) for each in weights]
    attention = [p.builder.reshape(p.read(name), heads) for name in (PREVIOUS, CURRENT)]
    out = p.step(weighted, [*attention, *weights], heads, p.dtype(OUT))
    p.store(OUT, p.builder.reshape(out, p.shape(OUT)))


def tokens_first(x: Operand) -> Operand:
    """A view in which the dimensions of batches, heads and tokens are those of tokens, batches and heads."""
    shape, strides = (tuple(values[i] for i in (2, 0, 1, 3)) for values in (x.shape, x.strides))
    return replace(x, shape=shape, strides=strides)


def merged(previous: Array, previous_sum: Array, current: Array, current_sum: Array) -> tuple[Array, ...]:
    """The maximum, the sum, and the weights of both parts."""
    largest = np.maximum(previous, current)
    first, second = previous_sum * np.exp(previous - largest), current_sum * np.exp(current - largest)
    total = first + second
    return largest, total, first / total, second / total


def by_token(previous: Array, current: Array, ends: Array) -> tuple[Array, ...]:
    """Weights in blocks of sequences, in the order of tokens. A step before this one reports ends out of range."""
    results: list[Array] = []
    for blocks in (previous, current):
        out = np.zeros_like(blocks)
        tokens, heads, _ = blocks.shape
        flat = blocks.reshape(-1)
        for start, end in pairwise(np.clip(ends, 0, tokens).tolist()):
            out[start:end, :, 0] = flat[start * heads : end * heads].reshape(heads, -1).T if end > start else 0
        results.append(out)
    return tuple(results)


def weighted(previous: Array, current: Array, first: Array, second: Array) -> Array:
    return previous * first + current * second
