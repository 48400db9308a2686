"""Gears and unknown sizes: the choice of sizes for a run, and what the function of the model gets."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.structs import aclmdlIODims
from acl_runtime.models import Model, Tensor, batch, dims, hw
from tests.helpers.offline_models import Array, Sets, data_sets, description, double, load, small
from tests.helpers.outcomes import assert_status, finding_of, ok

BATCHES = Model(
    [Tensor("data", np.float32, (-1, 2))], [Tensor("twice", np.float32, (-1, 2))], double, gears=batch([1, 2, 4])
)
IMAGES = Model([Tensor("data", np.uint8, (1, -1, -1))], [Tensor("out", np.float32, (1, -1, -1))], double,
               gears=hw([(2, 3), (4, 3)]))  # fmt: skip


def dot(inputs: dict[str, Array]) -> Array:
    return inputs["left"] @ inputs["right"]


PRODUCTS = Model(
    [Tensor("left", np.float32, (-1, 2)), Tensor("right", np.float32, (2, -1))],
    [Tensor("product", np.float32, lambda shapes: (shapes["left"][0], shapes["right"][1]))],
    dot, gears=dims([(1, 2), (3, 1)]),
)  # fmt: skip
UNKNOWN = Model(
    [Tensor("data", np.float32, (-1, 2))], [Tensor("twice", np.float32, (-1, 2))], double,
    ranges={"data": [(1, 8), (2, 2)]},
)  # fmt: skip


def sizes(values: list[int], count: int | None = None) -> Any:
    """The sizes of all inputs, as an argument."""
    made = aclmdlIODims(dimCount=len(values) if count is None else count)
    made.dims[: len(values)] = values
    return byref(made)


def set_batch(id: int, data_set: Any, index: int = 1, value: int = 2) -> int:
    return aclmdlSetDynamicBatchSize(id, data_set, index, value)


def set_image(id: int, data_set: Any, index: int = 1, value: int = 2) -> int:
    return aclmdlSetDynamicHWSize(id, data_set, index, value, 3)


def set_sizes(id: int, data_set: Any, index: int = 2, value: int = 1) -> int:
    return aclmdlSetInputDynamicDims(id, data_set, index, sizes([value, 2, 2, 2]))


SETTERS: dict[str, tuple[Model, Callable[..., int], int]] = {
    "batch": (BATCHES, set_batch, 4),
    "hw": (IMAGES, set_image, 8),
    "dims": (PRODUCTS, set_sizes, 8),
}


@pytest.mark.fidelity("sizes of a model with gears (acl_mdl.h)")
@pytest.mark.parametrize("kind", SETTERS)
def test_the_order_of_a_setter(kind: str, machine: Machine, tmp_path: Path) -> None:
    """ "null dataset; size 0; no buffer at index; buffer address null: 100000; buffer < 4 bytes 145012; unknown id
    145003; not among the gears 145013"."""
    model, setter, room = SETTERS[kind]
    id, static = load(tmp_path, model), load(tmp_path, small(), "static.om")
    count = len(model.inputs)
    inputs = Sets(*[16] * count, room - 1)
    inputs.add(0, room)
    assert_status(setter(9, None), ACL_ERROR_INVALID_PARAM, "dataset")
    assert_status(setter(9, inputs.handle, 9), ACL_ERROR_INVALID_PARAM, "index")
    assert_status(setter(9, inputs.handle, count + 1), ACL_ERROR_INVALID_PARAM, "address")
    if kind != "dims":
        assert_status(setter(9, inputs.handle, 9, 0), ACL_ERROR_INVALID_PARAM, "greater than 0")
        assert_status(setter(9, inputs.handle, count), ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID)
    else:  # the bytes depend on the model
        assert_status(setter(9, inputs.handle, count), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID)
        assert_status(setter(id, inputs.handle, count), ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID)
    enough = Sets(*[16] * count, room)
    assert_status(setter(9, enough.handle), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID)
    for wrong in (id, static):
        refused = setter(wrong, enough.handle, count, 3) if wrong == id else setter(static, enough.handle)
        expected = ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID
        if kind == "dims" and wrong == static:
            expected = ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID
        assert_status(refused, expected)
    ok(setter(id, enough.handle))


def test_the_sizes_of_all_inputs(machine: Machine, tmp_path: Path) -> None:
    """ "wrong count or a static axis with another value 145012"; "null dims, dimCount 0: 100000"."""
    id, inputs = load(tmp_path, PRODUCTS), Sets(8, 16, 8)
    assert_status(aclmdlSetInputDynamicDims(id, inputs.handle, 2, None), ACL_ERROR_INVALID_PARAM, "dims")
    assert_status(aclmdlSetInputDynamicDims(id, inputs.handle, 2, sizes([])), ACL_ERROR_INVALID_PARAM, "dimCount")
    for wrong in ([1, 2, 2], [1, 2, 2, 2, 1], [1, 3, 2, 2], [1] * 129):
        call = aclmdlSetInputDynamicDims(id, inputs.handle, 2, sizes(wrong[:128], len(wrong)))
        assert_status(call, ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID)


def test_the_buffer_of_a_batch_size(machine: Machine, tmp_path: Path) -> None:
    """Worked example 2: "SetDynamicBatchSize(…, 2) -> 0, then CurOutputDims of (-1,1000) -> (2,1000), buffer (4 bytes)
    = 02 00 00 00; with a buffer of 8 bytes or more 02 00 00 00 00 00 00 00"."""
    id, current_dims = load(tmp_path, BATCHES), aclmdlIODims()
    with description(id) as desc:
        ok(aclmdlGetCurOutputDims(desc, 0, byref(current_dims)))
        assert current_dims.dims[:2] == [4, 2]
        for room, expected in ((4, "02000000"), (8, "0200000000000000")):
            inputs = Sets(32, room)
            ok(set_batch(id, inputs.handle))
            assert inputs.read(1, (room,), np.uint8).tobytes().hex() == expected
        ok(aclmdlGetCurOutputDims(desc, 0, byref(current_dims)))
        assert current_dims.dims[:2] == [2, 2]


@pytest.mark.parametrize("room", [4, 8, 64])
@pytest.mark.parametrize("call", [aclmdlExecute, lambda *given: aclmdlExecuteAsync(*given, None)])
def test_the_function_gets_arrays_of_the_chosen_size(
    call: Callable[..., int], room: int, machine: Machine, tmp_path: Path
) -> None:
    """ "buffers may be larger: only the first bytes are used"; "the output of a gear smaller than the largest fills
    only the leading bytes"."""
    id, data = load(tmp_path, BATCHES), np.arange(8, dtype=np.float32)
    with data_sets([data, room], [np.full(8, 7, np.float32)]) as (inputs, outputs):
        for size in (2, 1, 4):
            ok(aclrtMemcpy(outputs.addresses[0], 32, np.full(8, 7, np.float32), 32, ACL_MEMCPY_HOST_TO_DEVICE))
            ok(set_batch(id, inputs.handle, value=size))
            ok(call(id, inputs.handle, outputs.handle))
            ok(aclrtSynchronizeStream(None))
            assert outputs.read(0, (8,)).tolist() == [*(2 * data[: 2 * size]), *[7] * (8 - 2 * size)]


@pytest.mark.parametrize("room", [8, 16, 64])
def test_a_model_with_sizes_of_all_dimensions(room: int, machine: Machine, tmp_path: Path) -> None:
    """ "a caller may give a larger buffer (8 x n bytes: then 8-byte values are written)"."""
    id, left, right = load(tmp_path, PRODUCTS), np.float32([[1, 2]]), np.float32([[1, 2], [3, 4]])
    with data_sets([left, right, room], [16]) as (inputs, outputs):
        ok(aclmdlSetInputDynamicDims(id, inputs.handle, 2, sizes([1, 2, 2, 2])))
        assert inputs.read(2, (2,), np.int32 if room == 8 else np.int64).tolist() == [1, 2]
        ok(aclmdlExecute(id, inputs.handle, outputs.handle))
        assert outputs.read(0, (2,)).tolist() == [7, 10]


def test_no_size_test_when_a_gear_was_set(machine: Machine, tmp_path: Path) -> None:
    """A buffer for the chosen size is enough; one that is too short for it is only a finding."""
    wide = (Tensor(name, np.float32, (-1, 64)) for name in ("data", "twice"))
    id, data = load(tmp_path, Model([next(wide)], [next(wide)], double, gears=batch([1, 4]))), np.ones(64, np.float32)
    with data_sets([data, 4], [256]) as (inputs, outputs):
        ok(set_batch(id, inputs.handle, value=1))
        ok(aclmdlExecute(id, inputs.handle, outputs.handle))
        ok(set_batch(id, inputs.handle, value=4))
        assert finding_of(lambda: aclmdlExecute(id, inputs.handle, outputs.handle))[0] == "model-buffer-short"


@pytest.mark.fidelity("sizes of a model with gears (acl_mdl.h)")
def test_a_gear_that_was_never_set(tmp_path: Path) -> None:
    """The bytes in the buffer decide: a program may write them itself."""
    with Machine() as machine:
        ok(aclrtSetDevice(0))
        id, data = load(tmp_path, BATCHES), np.zeros(8, np.float32)
        with data_sets([data, np.int32([2])], [32]) as (inputs, outputs):
            ok(aclmdlExecute(id, inputs.handle, outputs.handle))
        with data_sets([data, 4], [32]) as (inputs, outputs):
            name, text = finding_of(lambda: aclmdlExecute(id, inputs.handle, outputs.handle))
            assert name == "gear-not-set"
            assert "aclmdlSetDynamicBatchSize" in text
            machine.cut_short = True


def test_a_gear_that_is_set_again_too_early(machine: Machine, tmp_path: Path) -> None:
    """The setter writes at once, while the execution before may still read."""
    id, data = load(tmp_path, BATCHES), np.zeros(8, np.float32)
    with data_sets([data, 4], [32]) as (inputs, outputs):
        ok(set_batch(id, inputs.handle))
        ok(aclmdlExecuteAsync(id, inputs.handle, outputs.handle, None))
        assert finding_of(lambda: set_batch(id, inputs.handle, value=1))[0] == "xstream-race"
        ok(aclrtSynchronizeStream(None))


# unknown sizes


def described(data_set: Sets, values: list[int]) -> None:
    """State the sizes of the input."""
    desc = aclCreateTensorDesc(ACL_FLOAT, len(values), values, ACL_FORMAT_ND)
    ok(aclmdlSetDatasetTensorDesc(data_set.handle, desc, 0))
    aclDestroyTensorDesc(desc)


@pytest.mark.fidelity("an execution of a model (acl_mdl.h)")
@pytest.mark.parametrize("asynchronous", [False, True])
def test_sizes_that_only_the_run_knows(asynchronous: bool, machine: Machine, tmp_path: Path) -> None:
    """ "after a synchronous run each output's description holds the real dims, format and type"."""
    id, data = load(tmp_path, UNKNOWN), np.arange(6, dtype=np.float32)
    with data_sets([data], [24 if asynchronous else 0]) as (inputs, outputs):
        sets = inputs.handle, outputs.handle
        for wrong in ([], [9, 2], [3, 3], [3], [0, 2]):
            if wrong:
                described(inputs, wrong)
            assert_status(aclmdlExecute(id, *sets), ACL_ERROR_INVALID_PARAM, "input data")
        described(inputs, [3, 2])
        ok(aclmdlExecuteAsync(id, *sets, None) if asynchronous else aclmdlExecute(id, *sets))
        ok(aclrtSynchronizeStream(None))
        desc = aclmdlGetDatasetTensorDesc(outputs.handle, 0)
        assert [aclGetTensorDescDim(desc, i) for i in range(2)] == [3, 2]
        assert aclGetTensorDescType(desc) == ACL_FLOAT
        assert outputs.read(0, (6,)).tolist() == (2 * data).tolist()


@pytest.mark.parametrize("schedule", ["eager", "threads", "random"])
def test_sizes_that_a_worker_finds_out(schedule: str, tmp_path: Path) -> None:
    with Machine(schedule=schedule) as machine:
        ok(aclrtSetDevice(0))
        id, data = load(tmp_path, UNKNOWN), np.arange(6, dtype=np.float32)
        with data_sets([data], [24]) as (inputs, outputs):
            described(inputs, [3, 2])
            ok(aclmdlExecuteAsync(id, inputs.handle, outputs.handle, None))
            ok(aclrtSynchronizeStream(None))
            desc = aclmdlGetDatasetTensorDesc(outputs.handle, 0)
            assert [aclGetTensorDescDim(desc, i) for i in range(2)] == [3, 2]
        ok(aclmdlUnload(id))
    assert not [finding for finding in machine.findings if finding.level == "error"]


def test_more_inputs_are_ignored_and_fewer_are_100000(machine: Machine, tmp_path: Path) -> None:
    id, data = load(tmp_path, UNKNOWN), np.arange(2, dtype=np.float32)
    with data_sets([data, 4], [8]) as (inputs, outputs), data_sets([], []) as (none, _):
        described(inputs, [1, 2])
        ok(aclmdlExecute(id, inputs.handle, outputs.handle))
        assert_status(aclmdlExecute(id, none.handle, outputs.handle), ACL_ERROR_INVALID_PARAM, "1 or more")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gears": batch([1])}, "the inputs have 0 dimensions of size -1"),
        ({"gears": dims([(1, 2)])}, "a gear has 2 values"),
    ],
)
def test_gears_that_do_not_fit_are_refused_at_once(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        small(**options)
    with pytest.raises(ValueError, match="all of one length"):
        dims([(1, 2), (1,)])
    with pytest.raises(ValueError, match="a height and a width"):
        hw([(1, 2, 3)])
