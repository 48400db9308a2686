"""The executor: how much workspace a plan asks for, and what its steps see.

"6. Workspace size" and "8. L0 building blocks" of the library's base layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn.engine.workspace import Intermediate, aligned, lay_out, share
from tests.aclnn.ops.case import A2, A3, TRAINING, Case, Meta, board
from tests.aclnn.ops.cases import BATCH_NORM, CROSS_ENTROPY, EMBEDDING, PRELU, SOFTMAX
from tests.helpers.builders import acl_type, meta, on_device, plan, run

# the model: slots and buckets


@pytest.mark.parametrize(
    ("nbytes", "slot"), [(0, 512), (1, 512), (480, 512), (481, 1024), (992, 1024), (993, 1536), (16 << 20, 16_777_728)]
)
def test_a_slot_is_rounded_up_with_32_bytes_more(nbytes: int, slot: int) -> None:
    """ "A(n) = round_up(n + 32, 512). (So 0 bytes -> 512; 480 -> 512; 481 -> 1024; 16 MiB -> 16,777,728.)"."""
    assert aligned(nbytes) == slot


BUCKETS = {  # slots as (bytes, first step, last step); total; offset of each
    "nothing": ([], 0, []),
    "one": ([(100, 0, 1)], 512, [0]),
    "at-the-same-time": ([(100, 0, 2), (1000, 1, 2)], 512 + 1536, [0, 512]),
    "one-after-the-other": ([(100, 0, 1), (1000, 2, 3)], 1536, [0, 0]),
    "an-input-of-the-same-step-is-not-reused": ([(100, 0, 1), (100, 1, 2)], 1024, [0, 512]),
    "chain": ([(100, 0, 1), (2000, 1, 2), (600, 2, 3)], 1024 + 2048, [0, 1024, 0]),
    "the-last-free-bucket": ([(100, 0, 1), (100, 0, 1), (100, 2, 3)], 1024, [0, 512, 512]),
    "an-earlier-bucket-if-the-last-is-taken": ([(100, 0, 1), (100, 0, 3), (100, 2, 3)], 1024, [0, 512, 0]),
    "latest-occupant-counts": (
        [(100, 0, 1), (100, 0, 5), (100, 2, 4), (100, 3, 3), (100, 5, 5)], 1536, [0, 512, 0, 1024, 1024],
    ),
    "size-is-that-of-the-largest-occupant": (
        [(100, 0, 1), (100, 0, 9), (5000, 2, 3), (100, 4, 9)], 5120 + 512, [0, 5120, 0, 0],
    ),
    "in-the-order-of-the-steps": ([(100, 2, 3), (1000, 0, 1), (600, 1, 2)], 1536 + 1024, [0, 0, 1536]),
}  # fmt: skip


@pytest.mark.fidelity("absolute workspace sizes")
@pytest.mark.parametrize(("slots", "total", "offsets"), BUCKETS.values(), ids=BUCKETS)
def test_slots_whose_lifetimes_do_not_overlap_share_a_bucket(
    slots: list[tuple[int, int, int]], total: int, offsets: list[int]
) -> None:
    """ "Take the last bucket whose latest occupant's lifetime does not overlap and which is not an input of the same
    node; else open a new bucket. Bucket size = max aligned size of its occupants. Offsets = prefix sums in bucket
    creation order. Total = sum of bucket sizes"."""
    made = [Intermediate(*slot) for slot in slots]
    assert share(made) == total
    assert [slot.offset for slot in made] == offsets


def test_copies_of_a_generated_operator_lie_one_after_the_other() -> None:
    """ "Laid out one after the other without sharing", behind the kernel's workspace."""
    slots = [Intermediate(100, 0, 0), Intermediate(600, 5, 5), Intermediate(0, 9, 9)]
    assert lay_out(slots, 160) == 160 + 512 + 1024 + 512
    assert [slot.offset for slot in slots] == [160, 672, 1696]


# what the operators ask for

WIDE = (40, 30)  # 4800 bytes of FLOAT: a slot of 5120; 2400 of FLOAT16: 2560


def dense(dtype: int = ACL_FLOAT, shape: tuple[int, ...] = WIDE) -> Meta:
    return Meta(shape, dtype)


def gaps(dtype: int = ACL_FLOAT, shape: tuple[int, ...] = WIDE) -> Meta:
    """Every second element of a storage."""
    strides = tuple(2 * int(np.prod(shape[i + 1 :])) for i in range(len(shape)))
    return Meta(shape, dtype, strides=strides, storage=(2 * int(np.prod(shape)),))


_SOFTMAX = {"gradOutput": dense(), "output": dense(), "out": dense()}
_HALF = {"gradOutput": dense(ACL_FLOAT16), "output": dense(ACL_FLOAT16)}
_PRELU = {"gradOutput": dense(), "self": dense(), "weight": dense(shape=(30,)), "gradInput": dense(),
          "gradWeight": dense(shape=(30,))}  # fmt: skip
_LOSS = {"gradLoss": Meta((40,)), "logProb": dense(), "target": dense(ACL_INT64, (40,)),
         "weightOptional": dense(shape=(30,)), "reductionOptional": "none", "out": dense()}  # fmt: skip
_TABLE = {"grad": dense(), "indices": dense(ACL_INT32, (40,)), "out": dense(shape=(4, 30))}
KERNEL = 16 << 20
SIZES = {
    "softmax-dense": (SOFTMAX, A2, _SOFTMAX, 0),  # "R lives in workspace unless step 5 aliases it"
    "softmax-copy-of-one-input": (SOFTMAX, A2, {**_SOFTMAX, "output": gaps()}, 5120),
    "softmax-copies-of-two-inputs": (SOFTMAX, A2, {**_SOFTMAX, "output": gaps(), "gradOutput": gaps()}, 10240),
    "softmax-strided-output": (SOFTMAX, A2, {**_SOFTMAX, "out": gaps()}, 5120),
    "softmax-everything-strided": (SOFTMAX, A2, dict.fromkeys(_SOFTMAX, gaps()), 3 * 5120),
    "softmax-cast": (SOFTMAX, A2, {**_SOFTMAX, "out": dense(ACL_FLOAT16)}, 5120),
    "softmax-cast-of-float16": (SOFTMAX, A2, {**_SOFTMAX, **_HALF}, 2560),
    "softmax-cast-into-strides": (SOFTMAX, A2, {**_SOFTMAX, "out": gaps(ACL_FLOAT16)}, 5120 + 2560),
    "softmax-cast-takes-the-place-of-a-copy": (
        SOFTMAX, A2, {"gradOutput": gaps(), "output": gaps(), "out": gaps(ACL_FLOAT16)}, 3 * 5120
    ),
    "prelu-sample": (PRELU, A2, {}, 512),
    "prelu-dense": (PRELU, A2, _PRELU, 5120),  # "U always lives in the workspace"
    "prelu-copy": (PRELU, A2, {**_PRELU, "self": gaps()}, 10240),
    "prelu-strided-gradinput": (PRELU, A2, {**_PRELU, "gradInput": gaps()}, 10240),
    "prelu-strided-gradweight": (PRELU, A2, {**_PRELU, "gradWeight": gaps(shape=(30,))}, 5120 + 512),
    "embedding-dense": (EMBEDDING, A2, _TABLE, 0),
    "embedding-int64-becomes-int32": (EMBEDDING, A2, {**_TABLE, "indices": dense(ACL_INT64, (40,))}, 512),
    "embedding-int64-stays-on-the-training-series": (
        EMBEDDING, TRAINING, {**_TABLE, "indices": dense(ACL_INT64, (40,))}, 0
    ),
    "embedding-float16": (
        EMBEDDING, A2, {**_TABLE, "grad": dense(ACL_FLOAT16), "out": dense(ACL_FLOAT16, (4, 30))}, 5120 + 512
    ),
    "cross-entropy-48-vector-cores": (CROSS_ENTROPY, A2, _LOSS, 16_777_408),
    "cross-entropy-40-vector-cores": (CROSS_ENTROPY, "Ascend910B3", _LOSS, 16_777_376),
    "cross-entropy-a3": (CROSS_ENTROPY, A3, _LOSS, 16_777_408),
    "cross-entropy-copy": (CROSS_ENTROPY, A2, {**_LOSS, "logProb": gaps()}, KERNEL + 192 + 5120),
    "cross-entropy-copies": (
        CROSS_ENTROPY, A2,
        {**_LOSS, "gradLoss": gaps(shape=(40,)), "logProb": gaps(), "target": gaps(ACL_INT64, (40,)),
         "weightOptional": gaps(shape=(30,))},
        KERNEL + 192 + 5120 + 3 * 512,
    ),
}  # fmt: skip


@pytest.mark.fidelity("absolute workspace sizes", "aclnnSoftmaxBackward, workspace for out of a listed data type")
@pytest.mark.parametrize(("case", "soc", "changes", "size"), SIZES.values(), ids=SIZES)
def test_the_workspace_has_the_size_of_the_contract(case: Case, soc: str, changes: dict[str, Any], size: int) -> None:
    with board(soc):
        planned = case.plan(changes)
    assert planned.status == ACL_SUCCESS, planned.text
    assert planned.workspace_size == size


@pytest.mark.parametrize("masks", [(True, True, True), (False, False, False), (False, True, False)], ids=str)
def test_batch_norm_asks_for_whole_slots(machine: Machine, masks: tuple[bool, bool, bool]) -> None:
    """ "Non-empty calls normally report > 0"; steps are "queued even when all three masks are false"."""
    size = BATCH_NORM.plan(dict(zip(("inputG", "weightG", "biasG"), masks, strict=True))).workspace_size
    assert size > 0
    assert size % 512 == 0


def test_least_workspace_of_a_machine() -> None:
    """`min_workspace` is the least size for calls that have work. An empty call still needs 0 bytes."""
    with board(min_workspace=5000):
        assert SOFTMAX.plan().workspace_size == 5000
        assert SOFTMAX.plan({"gradOutput": Meta((0, 2))}).workspace_size == 0
        assert CROSS_ENTROPY.plan().workspace_size == 16_777_408


# views


def softmax_of(tensor: aclTensor, values: np.ndarray) -> None:
    """aclnnSoftmaxBackward sees `values` in the tensor, whatever its layout."""
    y = np.full(values.shape, 0.25, np.float32)
    out = on_device(np.zeros(values.shape, np.float32))
    run(SOFTMAX.first, SOFTMAX.second, tensor, on_device(y), -1, out)
    expected = y * (values - (y * values).sum(-1, keepdims=True))
    np.testing.assert_array_equal(out.read(), expected)


def view(storage: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> aclTensor:
    flat = on_device(storage.ravel())
    return aclCreateTensor(list(shape), len(shape), acl_type(storage.dtype), list(strides), offset, ACL_FORMAT_ND,
                           [storage.size], 1, flat.address)  # fmt: skip


VIEWS = {  # (shape, strides, offset, the elements of 0..23 that it shows)
    "offset": ((2, 3), (3, 1), 4, [[4, 5, 6], [7, 8, 9]]),
    "rows-of-a-matrix": ((2, 3), (8, 1), 0, [[0, 1, 2], [8, 9, 10]]),
    "transposed": ((2, 3), (1, 4), 0, [[0, 4, 8], [1, 5, 9]]),
    "every-third": ((4,), (3,), 2, [2, 5, 8, 11]),
    "broadcast": ((3, 2), (0, 1), 6, [[6, 7]] * 3),
    "one-element-many-times": ((4,), (0,), 5, [5, 5, 5, 5]),
    "overlapping-windows": ((3, 3), (1, 1), 0, [[0, 1, 2], [1, 2, 3], [2, 3, 4]]),
    "backwards": ((4,), (-1,), 3, [3, 2, 1, 0]),
    "backwards-rows": ((2, 2), (-4, 2), 8, [[8, 10], [4, 6]]),
    "rank-8": ((1, 2, 1, 1, 1, 1, 1, 2), (9, 5, 9, 9, 9, 9, 9, 1), 1, [[[[[[[[1, 2]]]]]], [[[[[[6, 7]]]]]]]]),
}  # fmt: skip


@pytest.mark.parametrize(("shape", "strides", "offset", "elements"), VIEWS.values(), ids=VIEWS)
def test_a_kernel_sees_the_elements_of_a_view(
    machine: Machine, shape: tuple[int, ...], strides: tuple[int, ...], offset: int, elements: Any
) -> None:
    storage = np.arange(24, dtype=np.float32) ** 2
    softmax_of(view(storage, shape, strides, offset), storage[np.array(elements)])


@pytest.mark.parametrize(
    ("shape", "strides"),
    [((1, 4), (999, 1)), ((4, 1), (1, 77)), ((1,), (5,)), ((1, 1), (0, 0)), ((2, 1, 2), (2, -3, 1))],
)
def test_strides_of_dimensions_of_one_element_do_not_matter(
    machine: Machine, shape: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    """ "Numel 0 or 1: yes; size-1 dims ignored": contiguous, no copy."""
    storage = np.arange(4, dtype=np.float32)
    tensor = view(storage, shape, strides, 0)
    same = [meta(shape), 0, meta(shape)]
    assert plan(SOFTMAX.first, tensor, *same).workspace_size == 0
    softmax_of(tensor, storage[: int(np.prod(shape))].reshape(shape))


def test_one_storage_for_input_and_output(machine: Machine) -> None:
    """Both inputs and the output are parts of one allocation."""
    flat = on_device(np.array([1, 2, 3, 4, 0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0], np.float32))
    tensors = [
        aclCreateTensor([4], 1, ACL_FLOAT, [1], 4 * i, ACL_FORMAT_ND, [12], 1, flat.address) for i in range(3)
    ]  # fmt: skip
    run(SOFTMAX.first, SOFTMAX.second, tensors[0], tensors[1], 0, tensors[2])
    np.testing.assert_array_equal(flat.read(), [1, 2, 3, 4, 0.5, 0.5, 0.5, 0.5, -2, -1.5, -1, -0.5])
