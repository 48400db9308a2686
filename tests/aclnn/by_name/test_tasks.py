"""An operator by name is a task like any other: its memory is judged, its accesses are ordered, it can fail."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_int64, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.machine.current import current
from tests.helpers.named_operators import Laid, OnHost, Side, attributes, by_name, call, sides
from tests.helpers.outcomes import assert_status, finding_of, ok

X = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture
def side(machine: Machine) -> Iterator[tuple[Side, Side]]:
    with sides([X, X], [X]) as made:
        yield made


def test_the_trace_and_the_timeline_have_its_type(side: tuple[Side, Side], machine: Machine) -> None:
    given, made = side
    ok(call("Add", given, made))
    ok(aclrtSynchronizeStream(None))
    assert [(task.name, task.status) for task in machine.tasks] == [("Add", 0)]
    assert "Add" in str(machine.chrome_trace())
    assert "aclopCompileAndExecute" in str(machine.chrome_trace())


def test_everything_may_be_destroyed_when_the_call_returns(machine: Machine) -> None:
    """ "the call copies descriptors, attributes and addresses"."""
    ok(aclrtSetDevice(0))
    with sides([X, OnHost(np.float32(2).reshape(()))], [X]) as (given, made):
        ok(call("Mul", given, made))
        given.descs, kept = [], given.descs
        for desc in kept:
            aclDestroyTensorDesc(desc)
        ok(aclrtSynchronizeStream(None))
        assert (made.results()[0] == 2 * X).all()
        given.descs = [aclCreateTensorDesc(ACL_FLOAT, 0, None, ACL_FORMAT_ND) for _ in kept]
    ok(aclrtResetDevice(0))


def test_memory_that_is_freed_is_found(side: tuple[Side, Side], machine: Machine) -> None:
    given, made = side
    ok(aclrtFree(given.memory[1]))
    id, text = finding_of(lambda: call("Add", given, made))
    assert (id, "input `x2` of Add" in text) == ("data-freed-under-tensor", True)
    given.memory[1] = c_void_p()


def test_memory_that_is_too_short_is_found(side: tuple[Side, Side]) -> None:
    given, made = side
    large = aclCreateTensorDesc(ACL_FLOAT, 2, [300, 4], ACL_FORMAT_ND)
    id, text = finding_of(lambda: aclopCompileAndExecute(
        "Relu", 1, [large], given.buffers[:1], 1, [large], made.buffers, None, 0, 0, None, None
    ))  # fmt: skip
    assert (id, "Relu" in text) == ("storage-exceeds-alloc", True)
    aclDestroyTensorDesc(large)


def test_two_streams_race(side: tuple[Side, Side], machine: Machine) -> None:
    given, made = side
    streams = [aclrtStream() for _ in "ab"]
    for stream in streams:
        ok(aclrtCreateStream(byref(stream)))
    ok(call("Add", given, made, streams[0]))  # (the finding ends the test, which does not wait for the streams)
    id, text = finding_of(lambda: call("Sub", given, made, streams[1]))
    assert (id, "Add" in text) == ("xstream-race", True)
    for stream in streams:
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtDestroyStream(stream))


def test_memory_that_was_never_written_is_found(machine: Machine) -> None:
    with sides([X], [X]) as (given, made):
        fresh = c_void_p()
        ok(aclrtMalloc(byref(fresh), X.nbytes, 0))
        ok(aclUpdateDataBuffer(given.buffers[0], fresh, X.nbytes))
        assert finding_of(lambda: call("Relu", given, made))[0] == "uninit-read"
        ok(aclrtFree(fresh))


@pytest.mark.parametrize("device", [False, True])
def test_a_fault_can_be_injected(side: tuple[Side, Side], machine: Machine, device: bool) -> None:
    given, made = side
    machine.fail("aclopCompileAndExecute", 507015 if device else ACL_ERROR_GE_FAILURE, device=device)
    assert call("Add", given, made) == (0 if device else ACL_ERROR_GE_FAILURE)
    assert aclrtSynchronizeStream(None) == (507015 if device else 0)


# values that a plan depends on


def test_a_repeated_call_has_its_own_values_and_tensors(machine: Machine) -> None:
    """The plan of a call is that of an earlier one only if type, descriptors, attributes and host values are equal."""
    weights, bias = np.eye(4, dtype=np.float32), np.arange(4, dtype=np.float32)
    for shift in (1, 2, 1):
        moved = X + shift
        (rolled,) = by_name("RollV2", [X, OnHost(np.array([shift], np.int32)), OnHost(np.array([1], np.int32))], [X])
        assert (rolled == np.roll(X, shift, 1)).all()
        assert (by_name("Adds", [X], [X], value=float(shift))[0] == moved).all()
        assert (by_name("MatMul", [moved, weights, bias], [X])[0] == moved + bias).all()
        assert (by_name("MatMul", [moved, weights, None], [X])[0] == moved).all()


@pytest.mark.fidelity("a number on the host whose placement is the device")
def test_a_number_on_the_host_needs_no_placement(machine: Machine) -> None:
    """ "onnxruntime's GEMM gives alpha and beta as host pointers without placement"; a matrix is not such a number."""
    numbers = [OnHost(np.float32(each).reshape(())) for each in (0.5, 2)]
    with sides([X, X.T.copy(), X[:, :3].copy(), *numbers], [np.empty((3, 3), np.float32)]) as (given, made):
        for desc in given.descs:
            ok(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_DEVICE))
        ok(call("GEMM", given, made))
        ok(aclrtSynchronizeStream(None))
        assert np.allclose(made.results()[0], X @ X.T / 2 + 2 * X[:, :3])
        ok(aclUpdateDataBuffer(given.buffers[0], X.ctypes.data, X.nbytes))
        assert finding_of(lambda: call("GEMM", given, made))[0] == "ws-host-ptr"


def test_axes_on_the_device_are_read_when_the_task_runs() -> None:
    """ "read at run time when on device (earlier tasks of the stream may write them)"."""
    for schedule in ("eager", "late"):
        with Machine(schedule=schedule) as machine:
            with sides([X, np.array([0], np.int32)], [np.empty(3, np.float32)]) as (given, made):
                axes = np.array([1], np.int32)
                ok(aclrtMemcpyAsync(given.memory[1], 4, axes, 4, ACL_MEMCPY_HOST_TO_DEVICE, None))
                ok(call("ReduceSum", given, made))
                ok(aclrtSynchronizeStream(None))
                assert (made.results()[0] == X.sum(1)).all()
            assert [each.id for each in machine.findings if each.level == "error"] == []


@pytest.mark.fidelity("a plan by name that fails, as values on the device do not fit")
def test_a_plan_that_fails_late_is_the_failure_of_its_task(machine: Machine) -> None:
    with sides([X, np.array([5], np.int32)], [np.empty(3, np.float32)]) as (given, made):
        ok(call("ReverseV2", given, made))
        assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_AICORE_EXCEPTION, "ReverseV2")


# shapes that the run finds out


@pytest.mark.parametrize("known", [True, False], ids=["the largest shape", "-1"])
def test_the_second_version_gives_the_shape_of_the_result(machine: Machine, known: bool) -> None:
    """ "V2: after the run the real output dimensions stand in outputDesc"."""
    with sides([X], [np.empty((12, 2), np.int64)]) as (given, made), attributes({}) as attr:
        desc = made.descs[0] if known else aclCreateTensorDesc(ACL_INT64, 2, [-1, 2], ACL_FORMAT_ND)
        ok(aclopCompileAndExecuteV2("NonZero", *given.of_call, 1, [desc], made.buffers, attr, 0, 0, None, None))
        sizes = [aclGetTensorDescDim(desc, at) for at in range(aclGetTensorDescNumDims(desc))]
        assert sizes == [11, 2]
        assert (made.results()[0][:11] == np.argwhere(X)).all()
        if not known:
            aclDestroyTensorDesc(desc)


@pytest.mark.parametrize("sizes", [[-1, 4], [-1, -1]])
def test_unknown_sizes_of_a_result_are_those_of_its_rule(machine: Machine, sizes: list[int]) -> None:
    """ "dims -1 allowed (V2)". The buffer may be larger than the result."""
    with sides([X, X], [np.zeros((9, 4), np.float32)]) as (given, made):
        desc = aclCreateTensorDesc(ACL_FLOAT, 2, sizes, ACL_FORMAT_ND)
        ok(aclopCompileAndExecuteV2("Add", *given.of_call, 1, [desc], made.buffers, None, 0, 0, None, None))
        ok(aclrtSynchronizeStream(None))
        assert [aclGetTensorDescDim(desc, at) for at in range(2)] == [3, 4]
        assert (made.results()[0][:3] == X + X).all()
        aclDestroyTensorDesc(desc)


def test_masked_select_gives_its_count(machine: Machine) -> None:
    with sides([X, X > 4], [np.empty(12, np.float32)]) as (given, made):
        ok(aclopCompileAndExecuteV2("MaskedSelect", *given.of_call, *made.of_call, None, 0, 0, None, None))
        size = c_int64()
        ok(aclGetTensorDescDimV2(made.descs[0], 0, byref(size)))
        assert (made.results()[0][: size.value] == X[X > 4]).all()


def test_a_mask_of_dropout_keeps_its_share(machine: Machine) -> None:
    count = 1 << 14
    inputs = [OnHost(np.array([count], np.int64)), OnHost(np.array([0.75], np.float32)), *(
        OnHost(np.array([each], np.int64)) for each in (5, 0)), OnHost(np.array([0, 8], np.int64))]  # fmt: skip
    (mask,) = by_name("StatelessDropOutGenMask", inputs, [np.empty(count // 8, np.uint8)])
    assert abs(np.unpackbits(mask).mean() - 0.75) < 0.02


# attributes


def test_unknown_attributes_are_ignored_and_integers_stand_for_others(machine: Machine) -> None:
    """ "Unknown names are ignored", "callers mix Int and DataType"."""
    (found,) = by_name("Cast", [X], [X.astype(np.float16)], dst_type=1, no_such_name=[1, 2])
    assert (found == X).all()


@pytest.mark.fidelity("a call by name that a function of aclnn refuses")
@pytest.mark.parametrize(
    ("type", "attrs", "word"),
    [("Cast", {}, "dst_type is required"), ("Cast", {"dst_type": "half"}, "another type"),
     ("Cast", {"dst_type": 0}, "dst_type is 0"), ("Softplus", {}, "")],
)  # fmt: skip
def test_a_call_that_does_not_fit_is_500002(machine: Machine, type: str, attrs: dict[str, object], word: str) -> None:
    wrong = np.empty((4, 4), np.float32) if type == "Softplus" else X.astype(np.float16)
    with sides([X], [wrong]) as (given, made):
        assert_status(call(type, given, made, **attrs), ACL_ERROR_GE_FAILURE, type, word)


def test_types_are_not_promoted(machine: Machine) -> None:
    """ "Binary ops broadcast and want equal types (no promotion); other types: 500002"."""
    with sides([X, X.astype(np.float16)], [X]) as (given, made):
        assert_status(call("Mul", given, made), ACL_ERROR_GE_FAILURE, "one data type")


RESULTS = {
    "Identity": [X], "Mul": [X, X], "Select": [X > 1, X, X], "Reshape": [X, None],
    "Slice": [X, *[OnHost(np.array(each, np.int32)) for each in ([0, 0], [3, 4])]],
    "Expand": [X, OnHost(np.array([3, 4], np.int32))],
}  # fmt: skip


@pytest.mark.parametrize("type", RESULTS)
def test_a_result_has_the_data_type_of_its_inputs(machine: Machine, type: str) -> None:
    """ "Result type ... must equal the definition's rule"; other types: 500002."""
    with sides(RESULTS[type], [X.astype(np.int32)]) as (given, made):
        assert_status(call(type, given, made), ACL_ERROR_GE_FAILURE, type, "DT_INT32")


@pytest.mark.parametrize("inputs", [[X], [X, X, X], [X, None]], ids=["too few", "too many", "a missing one"])
def test_the_number_of_tensors_is_that_of_the_type(machine: Machine, inputs: list[object]) -> None:
    with sides(inputs, [X]) as (given, made):
        assert_status(call("Add", given, made), ACL_ERROR_GE_FAILURE, "Add")


# memory in private formats


def blocks(x: np.ndarray) -> np.ndarray:
    """FRACTAL_NZ of a matrix of 16-bit numbers whose sizes are multiples of 16."""
    rows, columns = x.shape
    return np.ascontiguousarray(x.reshape(rows // 16, 16, columns // 16, 16).transpose(2, 0, 1, 3))


def channel_blocks(x: np.ndarray) -> np.ndarray:
    """NC1HWC0 of an image of 16-bit numbers, by a loop."""
    n, c, h, w = x.shape
    made = np.zeros((n, -(-c // 16), h, w, 16), x.dtype)
    for at in np.ndindex(x.shape):
        made[at[0], at[1] // 16, at[2], at[3], at[1] % 16] = x[at]
    return made


def fractal_z(x: np.ndarray) -> np.ndarray:
    """FRACTAL_Z of weights of 16-bit numbers, by a loop."""
    n, c, h, w = x.shape
    made = np.zeros((-(-c // 16) * h * w, -(-n // 16), 16, 16), x.dtype)
    for a, b, i, j in np.ndindex(x.shape):
        made[(b // 16 * h + i) * w + j, a // 16, a % 16, b % 16] = x[a, b, i, j]
    return made


def test_nz_in_and_out(machine: Machine) -> None:
    """The checks know what lies in memory: bytes that the host wrote are in no private format."""
    x = np.arange(32 * 48).reshape(32, 48).astype(np.float16) % 97
    nz = Laid(x, np.zeros((3, 2, 16, 16), np.float16), ACL_FORMAT_FRACTAL_NZ)
    with sides([x], [nz]) as (given, laid):
        ok(call("Identity", given, laid))
        for type, inputs, expected in (("Identity", 1, x), ("Add", 2, x + x), ("Neg", 1, -x)):
            with sides([], [x, nz]) as (_, made):
                for at in range(2):
                    one = ([laid.descs[0], given.descs[0]][:inputs], [laid.buffers[0], given.buffers[0]][:inputs])
                    ok(aclopCompileAndExecute(
                        type, inputs, *one, 1, made.descs[at:][:1], made.buffers[at:][:1], None, 0, 0, None, None
                    ))  # fmt: skip
                ok(aclrtSynchronizeStream(None))
                assert (made.results()[0] == expected).all()
                assert (made.results()[1] == blocks(expected)).all()


def test_the_storage_of_an_output_may_be_that_behind_a_view(machine: Machine) -> None:
    """PyTorch's plugin gives the sizes of a slice with the storage of the whole tensor in FRACTAL_NZ."""
    x = np.arange(32 * 48).reshape(32, 48).astype(np.float16) % 97
    (found,) = by_name("Identity", [x], [Laid(x[2:4], np.zeros((3, 2, 16, 16), np.float16), ACL_FORMAT_FRACTAL_NZ)])
    assert (found == blocks(x)).all()
    with sides([x[:2]], [x]) as (given, made):
        assert_status(call("Identity", given, made), ACL_ERROR_GE_FAILURE, "Identity")


def test_a_view_is_written_in_place(machine: Machine) -> None:
    """ "dst ... -> dst": PyTorch's plugin gives one memory twice, and the sizes of the view for the output."""
    column = np.full(3, 9, np.float32)
    places = [OnHost(np.array(each, np.int64)) for each in ([3], [4], [1], [3], [1], [0])]
    with sides([X, *places[:3], column, *places[3:]], [X[:, 1].copy()]) as (given, made):
        ok(aclSetTensorShape(made.descs[0], 2, [3, 4]))
        ok(aclopCompileAndExecute("ViewCopy", *given.of_call, 1, made.descs, given.buffers, None, 0, 0, None, None))
        ok(aclrtSynchronizeStream(None))
        found = current().read(given.memory[0], X.shape, X.dtype)
        assert (found[:, 1] == 9).all()
        assert (np.delete(found, 1, 1) == np.delete(X, 1, 1)).all()


def test_images_in_blocks_of_channels(machine: Machine) -> None:
    generator = np.random.default_rng(3)
    x, w = (generator.integers(-3, 4, shape).astype(np.float16) for shape in ((1, 20, 4, 4), (18, 20, 1, 1)))
    expected = np.einsum("nchw,oc->nohw", x.astype(np.float32), w[:, :, 0, 0].astype(np.float32)).astype(np.float16)
    y = Laid(expected, np.zeros((1, 2, 4, 4, 16), np.float16), ACL_FORMAT_NC1HWC0)
    inputs = [Laid(x, channel_blocks(x), ACL_FORMAT_NC1HWC0), Laid(w, fractal_z(w), ACL_FORMAT_FRACTAL_Z)]
    (found,) = by_name("Conv2D", inputs, [y], strides=[1, 1, 1, 1], pads=[0, 0, 0, 0], data_format="NCHW")
    assert (found == channel_blocks(expected)).all()
    (same,) = by_name("Identity", [inputs[1]], [Laid(w, np.ones_like(fractal_z(w)), ACL_FORMAT_FRACTAL_Z)])
    assert (same == fractal_z(w)).all()
