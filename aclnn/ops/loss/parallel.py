"""The part of a cross entropy that one device computes, if classes are spread over devices (a parallel vocabulary)."""

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, T, aclDataType, demand, generated, listed, needed_if, planned, ranks, reads,
    same_dtype, same_shape, shape, total, with_elements,
)  # fmt: skip


BLOCK = 32
"""a row of logits has a multiple of this number of bytes"""
WIDTH = {T.ACL_FLOAT: 4, T.ACL_BF16: 2}
"""bytes of an element"""
ROW_OUTPUTS = ("predictedLogitsOut", "sumExpLogitsOut", "targetOffsetOut", "targetMaskOut")


def start_out_of_range(a: Arguments) -> Bad:
    first, last = a["vocabStartIndex"], a["vocabEndIndex"]
    return None if 0 <= first < last else (first, f"from 0 to below {last}")


def wrong_class_count(a: Arguments) -> Bad:
    classes, expected_classes = a.shape("vocabParallelLogits")[-1], a["vocabEndIndex"] - a["vocabStartIndex"]
    return (
        None
        if classes == expected_classes
        else (f"{classes} classes", f"{expected_classes}, from vocabStartIndex to vocabEndIndex")
    )


def cut_block(a: Arguments) -> Bad:
    classes = a.shape("vocabParallelLogits")[-1]
    unit = BLOCK // WIDTH[aclDataType(a.dtype("vocabParallelLogits"))]
    return (f"{classes} classes", f"a multiple of {unit}") if classes % unit else None


@planned(
    "aclnnCrossEntropySumExpAndIndexLogit", generated(), ranks("vocabParallelLogits", least=2, most=3),
    shape("target", "{0} has an element for each row of logits", lambda a: a.shape("vocabParallelLogits")[:-1]),
    same_shape("globalLogitsMax", as_="target"),
    demand("{0} is below {1}, and not below 0", "vocabStartIndex", "vocabEndIndex", bad=start_out_of_range),
    demand("{0} has the classes from {1} to {2}", "vocabParallelLogits", "vocabStartIndex", "vocabEndIndex",
           bad=wrong_class_count),
    listed("vocabParallelLogits"), same_dtype("globalLogitsMax", "vocabParallelLogits"), listed("target", *ROW_OUTPUTS),
    listed("expLogitsOut"), demand("{0} has rows of whole blocks of 32 bytes", "vocabParallelLogits", bad=cut_block),
    with_elements("vocabParallelLogits"), *(same_shape(name, "target") for name in ROW_OUTPUTS),
    same_shape("expLogitsOut", as_="vocabParallelLogits"),
)  # fmt: skip
def cross_entropy_sum_exp_and_index_logit(p: Planning) -> None:
    """expLogits = exp(logits - globalLogitsMax); sumExpLogits = the sum of each of its rows. targetMask = 1 where the
    target is not among the classes of this device, vocabStartIndex to vocabEndIndex - 1, else 0. targetOffset = target
    - vocabStartIndex and predictedLogits = the logit of the target - globalLogitsMax, both 0 where the mask is 1."""
    inputs = [p.read(name) for name in ("vocabParallelLogits", "target", "globalLogitsMax")]
    rows, whole = p.shape("target"), p.shape("vocabParallelLogits")
    names = ("predictedLogitsOut", "sumExpLogitsOut", "expLogitsOut", "targetOffsetOut", "targetMaskOut")
    results = [(whole if name == "expLogitsOut" else rows, p.dtype(name)) for name in names]
    outputs = p.steps(part_of_device, inputs, results, start=p["vocabStartIndex"], end=p["vocabEndIndex"])
    for name, result in zip(names, outputs, strict=True):
        p.store(name, result)


def part_of_device(logits: Array, target: Array, maxima: Array, *, start: int, end: int) -> tuple[Array, ...]:
    masked = (target < start) | (target >= end)
    offset = np.where(masked, 0, target - start)
    shifted = logits - maxima[..., None]
    predicted = np.where(masked, np.float32(0), np.take_along_axis(shifted, offset[..., None], -1)[..., 0])
    powers = np.exp(shifted)
    return predicted, total(powers, -1), powers, offset, masked.astype(np.int32)


# the loss of all devices


VOCABULARY = "vocabParallelLogitsOptional"
ROWS = ("logitsMax", "sumExpLogits", "predictedLogits", "lossOut")


def has_smoothing(a: Arguments) -> Bad:
    return (a["labelSmoothing"], 0) if a["labelSmoothing"] else None


@planned(
    "aclnnFusedCrossEntropyLossWithMaxSum", reads(VOCABULARY), needed_if("softMaxOutOptional", VOCABULARY),
    listed(*ROWS, VOCABULARY, "softMaxOutOptional"), ranks(*ROWS), ranks(VOCABULARY, "softMaxOutOptional"),
    *(same_shape(name, as_=ROWS[0]) for name in ROWS[1:]),
    shape(VOCABULARY, "{0} has a row for each element of logitsMax",
          lambda a: (*a.shape("logitsMax"), *a.shape(VOCABULARY)[1:])),
    same_shape("softMaxOutOptional", as_=VOCABULARY), demand("{0} is 0", "labelSmoothing", bad=has_smoothing),
)  # fmt: skip
def fused_cross_entropy_loss_with_max_sum(p: Planning) -> None:
    """lossOut = log(sumExpLogits) - predictedLogits, of all devices; softMaxOut = exp(vocabParallelLogits - logitsMax)
    / sumExpLogits, of the classes of this device. inputOptional and weightOptional are not read."""
    maxima, sums, predicted = (p.read(name) for name in ROWS[:3])
    p.store("lossOut", p.step(loss_of_sums, [sums, predicted], sums.shape, sums.dtype))
    if p.given(VOCABULARY):
        inputs = [p.read(VOCABULARY), maxima, sums]
        p.store("softMaxOutOptional", p.step(softmax_of_sums, inputs, p.shape(VOCABULARY), T.ACL_FLOAT))


def loss_of_sums(sums: Array, predicted: Array) -> Array:
    return np.log(sums) - predicted


def softmax_of_sums(logits: Array, maxima: Array, sums: Array) -> Array:
    return np.exp(logits - maxima[:, None]) / sums[:, None]
