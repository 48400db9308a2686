"""Kernels of the user's: what the function gets, what it may return, and how it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ctypes import byref
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.headers.dtypes import Array
from tests.aclnn.ops.case import INFERENCE, board
from tests.helpers.builders import malloc, on_device, plan, run

SCHEDULES = ("late", "eager", "random", "threads")
every_schedule = pytest.mark.parametrize("schedule", SCHEDULES)
F = np.float32


@pytest.fixture
def stream(machine: Machine) -> Iterator[aclrtStream]:
    made = aclrtStream()
    assert aclrtCreateStream(byref(made)) == ACL_SUCCESS
    yield made
    aclrtDestroyStream(made)


def pair(name: str) -> tuple[Callable[..., int], Callable[..., int]]:
    return getattr(aclnn, f"{name}GetWorkspaceSize"), getattr(aclnn, name)


def call(name: str, *arguments: Any) -> None:
    """Both phases and a synchronise, all of which succeed."""
    run(*pair(name), *arguments)


def launched(name: str, *arguments: Any) -> tuple[int, str]:
    """Both phases and a synchronise; the status of the synchronise with its text."""
    first, second = pair(name)
    planned = plan(first, *arguments)
    assert planned.status == ACL_SUCCESS, planned.text
    memory = None
    if planned.workspace_size:
        memory = malloc(planned.workspace_size)
    status = second(memory, planned.workspace_size, planned.executor, None)
    assert status == ACL_SUCCESS, aclGetRecentErrMsg()
    status = aclrtSynchronizeStream(None)
    return status, aclGetRecentErrMsg() or ""


def values(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).uniform(-2, 2, shape).astype(F)


class Seen:
    """A kernel that keeps what it gets, and returns zeros of the shape of its first array, if no result is given."""

    def __init__(self, result: Any = None) -> None:
        self.given: list[Any] = []
        self.result = result

    def __call__(self, *given: Any) -> Any:
        self.given = list(given)
        return np.zeros_like(given[0]) if self.result is None else self.result


# what the function gets


def test_tensors_are_read_only_dense_arrays_in_the_order_of_the_prototype(machine: Machine) -> None:
    """Also where the view has strides and an offset."""
    x, y = values(3, 4), values(3, 4, seed=1)
    seen = machine.kernels["aclnnMaximum"] = Seen()
    call("aclnnMaximum", on_device(x, strides=(9, 2), offset=5, tail=3), on_device(y), on_device(np.zeros((3, 4), F)))
    assert len(seen.given) == 2, "outputs are not among the arguments"
    for given, expected in zip(seen.given, (x, y), strict=True):
        np.testing.assert_array_equal(given, expected)
        assert given.dtype == F
        assert given.flags.c_contiguous
        assert not given.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            given[0, 0] = 1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int32", "int64", "uint8"])
def test_arrays_have_the_data_type_of_the_tensor(machine: Machine, dtype: str) -> None:
    """16-bit floats are not widened: the kernel says what it computes in."""
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    x = np.arange(4).astype(kind)
    seen = machine.kernels["aclnnAbs"] = Seen()
    call("aclnnAbs", on_device(x), on_device(np.zeros(4, kind)))
    assert seen.given[0].dtype == kind
    np.testing.assert_array_equal(seen.given[0].astype(F), np.arange(4, dtype=F))


def test_scalars_are_python_values(machine: Machine) -> None:
    x, out = values(4), on_device(np.zeros(4, F))
    seen = machine.kernels["aclnnLeakyRelu"] = Seen()
    call("aclnnLeakyRelu", on_device(x), aclCreateScalar(np.array(0.25, F), ACL_FLOAT), out)
    assert seen.given[1:] == [0.25]
    assert type(seen.given[1]) is float


def test_arrays_of_numbers_are_lists(machine: Machine) -> None:
    seen = machine.kernels["aclnnFlip"] = Seen()
    x = on_device(values(2, 3))
    call("aclnnFlip", x, aclCreateIntArray([0, -1], 2), on_device(np.zeros((2, 3), F)))
    assert seen.given[1:] == [[0, -1]]


def test_values_are_passed_as_they_are(machine: Machine) -> None:
    indices, results = np.zeros((2, 2), np.int64), np.zeros((2, 2), F)
    seen = machine.kernels["aclnnTopk"] = Seen((results, indices))
    call("aclnnTopk", on_device(values(2, 3)), 2, -1, True, False, on_device(results), on_device(indices))
    assert seen.given[1:] == [2, -1, True, False]


def test_a_list_of_tensors_is_a_list_of_arrays(machine: Machine) -> None:
    x = [values(2), values(3, 1, seed=1)]
    results = [on_device(np.zeros(2, F)), on_device(np.zeros((3, 1), F))]
    machine.kernels["aclnnForeachNeg"] = lambda given: tuple(-each for each in given)
    call("aclnnForeachNeg", tensor_list(map(on_device, x)), tensor_list(results))
    for result, expected in zip(results, x, strict=True):
        np.testing.assert_array_equal(result.read(), -expected)


def tensor_list(members: Any) -> aclTensorList:
    handles = [each.handle for each in members]
    return aclCreateTensorList(handles, len(handles))


def test_an_optional_tensor_that_is_null_is_none(machine: Machine) -> None:
    shape = (2, 3, 4)
    seen = machine.kernels["aclnnAdaLayerNorm"] = Seen()
    rows = [on_device(values(2, 4)) for _ in ("scale", "shift")]
    call("aclnnAdaLayerNorm", on_device(values(*shape)), *rows, None, None, 1e-5, on_device(np.zeros(shape, F)))
    assert seen.given[3:5] == [None, None]


# what the function returns


def test_a_result_lands_in_the_output_also_through_its_strides(machine: Machine) -> None:
    x = values(3, 4)
    out = on_device(np.zeros((3, 4), F), strides=(11, 2), offset=3, tail=2, background=7)
    machine.kernels["aclnnAbs"] = np.abs
    call("aclnnAbs", on_device(x), out)
    np.testing.assert_array_equal(out.read(), np.abs(x))
    assert (out.read_storage() == 7).sum() == out.storage.size - 12, "elements between those of the view stay"


def test_an_in_place_tensor_is_an_argument_and_a_result(machine: Machine) -> None:
    x = values(5)
    self = on_device(x)
    machine.kernels["aclnnInplaceLeakyRelu"] = lambda self, slope: np.where(self > 0, self, F(slope) * self)
    call("aclnnInplaceLeakyRelu", self, aclCreateScalar(np.array(0.5, F), ACL_FLOAT))
    np.testing.assert_array_equal(self.read(), np.where(x > 0, x, x / 2))


def largest(self: Array, k: int, *_: Any) -> tuple[Array, Array]:
    order = np.argsort(-self, axis=-1)[:, :k]
    return np.take_along_axis(self, order, -1), order.astype(np.int64)


def by_name(self: Array, k: int, *_: Any) -> dict[str, Array]:
    found, order = largest(self, k)
    return {"indicesOut": order, "valuesOut": found}


@pytest.mark.parametrize("kernel", [largest, by_name])
def test_several_outputs_are_a_tuple_or_a_dict_by_name(machine: Machine, kernel: Callable[..., Any]) -> None:
    x = values(3, 5)
    found, places = on_device(np.zeros((3, 2), F)), on_device(np.zeros((3, 2), np.int64))
    machine.kernels["aclnnTopk"] = kernel
    call("aclnnTopk", on_device(x), 2, -1, True, True, found, places)
    np.testing.assert_array_equal(found.read(), -np.sort(-x, axis=-1)[:, :2])
    np.testing.assert_array_equal(places.read(), np.argsort(-x, axis=-1)[:, :2])


@every_schedule
def test_it_runs_when_the_stream_runs_and_sees_the_bytes_of_that_moment(schedule: str) -> None:
    with board(schedule=schedule, seed=1) as machine:
        x, middle, out = on_device(values(6)), on_device(np.zeros(6, F)), on_device(np.zeros(6, F))
        machine.kernels["aclnnAbs"] = lambda self: np.abs(self) + 1
        machine.kernels["aclnnNeg"] = np.negative
        for name, arguments in (("aclnnAbs", (x, middle)), ("aclnnNeg", (middle, out))):
            first, second = pair(name)
            assert second(None, 0, plan(first, *arguments).executor, None) == ACL_SUCCESS
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        np.testing.assert_array_equal(out.read(), -(np.abs(values(6)) + 1))
        assert machine.findings == []


# failures


def raises(self: Array) -> Array:
    raise KeyError("the table has no row 7")


WRONG: list[tuple[str, Callable[..., Any], str]] = [
    ("shape", lambda self: self[:1], "out has the shape [2, 3], but the result has [1, 3]"),
    ("data type", lambda self: self.astype(np.float64), "out has the data type float32, but the result has float64"),
    ("nothing", lambda self: None, "out has the shape [2, 3], but the result has []"),
    ("too many", lambda self: (self, self), "it returned 2 results; the outputs are out"),
    ("another name", lambda self: {"result": self}, "it returned ['result']; the outputs are out"),
    ("a name too many", lambda self: {"out": self, "b": self}, "it returned ['b', 'out']; the outputs are out"),
    ("none of the names", lambda self: {}, "it returned []; the outputs are out"),
    ("an exception", raises, "the table has no row 7"),
]
every_wrong = pytest.mark.parametrize(("kernel", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])


@every_schedule
@every_wrong
def test_a_wrong_result_or_an_exception_is_the_finding_kernel_raised(
    schedule: str, kernel: Callable[..., Any], words: str
) -> None:
    with Machine(schedule=schedule, seed=2) as machine:
        aclrtSetDevice(0)
        machine.kernels["aclnnAbs"] = kernel
        with pytest.raises(UndefinedBehaviour) as error:
            launched("aclnnAbs", on_device(values(2, 3)), on_device(np.zeros((2, 3), F)))
        assert error.value.finding.id == "kernel-raised"
        assert words in str(error.value)
        assert "aclnnAbs" in str(error.value)


@pytest.mark.fidelity("a kernel of the user's that raises or returns something wrong")
@every_schedule
@every_wrong
def test_in_a_machine_that_reports_the_task_fails_with_507015(
    schedule: str, kernel: Callable[..., Any], words: str
) -> None:
    with Machine(schedule=schedule, seed=2, on_undefined="report") as machine:
        aclrtSetDevice(0)
        machine.kernels["aclnnAbs"] = kernel
        out = on_device(np.full((2, 3), 4, F))
        first, second = pair("aclnnAbs")
        status = second(None, 0, plan(first, on_device(values(2, 3)), out).executor, None)
        statuses = [status, aclrtSynchronizeStream(None)]
        assert ACL_ERROR_RT_AICORE_EXCEPTION in statuses
        found = [each for each in machine.findings if each.level == "error"]
        assert [each.id for each in found] == ["kernel-raised"]
        assert words in found[0].what
        stored = np.frombuffer(bytes(machine.read(out.address, (24,), np.uint8)), F)
        np.testing.assert_array_equal(stored, np.full(6, 4, F), "the output is not written")


def test_the_text_of_an_exception_has_the_lines_of_the_kernel() -> None:
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        machine.kernels["aclnnAbs"] = raises
        status, text = launched("aclnnAbs", on_device(values(2)), on_device(np.zeros(2, F)))
        (found,) = (each for each in machine.findings if each.id == "kernel-raised")
    assert status == ACL_ERROR_RT_AICORE_EXCEPTION
    assert "the kernel raises of aclnnAbs failed" in found.what
    assert "test_kernels.py" in found.what
    assert 'raise KeyError("the table has no row 7")' in found.what
    assert "kernels.py" not in found.what.replace("test_kernels.py", ""), "the emulator's own frames are left out"
    assert "the table has no row 7" in text


# which kernel runs


def constant(number: float) -> Callable[..., Array]:
    return lambda self, *_: np.full_like(self, number)


@pytest.mark.parametrize("name", ["aclnnAbs", "aclnnRelu"], ids=["without a formula", "with a formula"])
def test_a_kernel_comes_before_the_formula(machine: Machine, name: str) -> None:
    out = on_device(np.zeros(3, F))
    machine.kernels[name] = constant(5)
    call(name, on_device(values(3)), out)
    np.testing.assert_array_equal(out.read(), np.full(3, 5, F))


def test_a_kernel_comes_before_the_formula_of_an_exact_operator(machine: Machine) -> None:
    seen = machine.kernels["aclnnSoftmaxBackward"] = Seen()
    grad, output, out = values(2, 3), values(2, 3, seed=1), on_device(np.ones((2, 3), F))
    call("aclnnSoftmaxBackward", on_device(grad), on_device(output), 1, out)
    np.testing.assert_array_equal(seen.given[0], grad)
    assert seen.given[2] == 1
    np.testing.assert_array_equal(out.read(), np.zeros((2, 3), F))


def test_the_kernel_of_a_machine_comes_before_that_of_the_process(machine: Machine) -> None:
    aclnn.kernel("aclnnAbs")(constant(1))
    out = on_device(np.zeros(3, F))
    for kernel, expected in ((None, 1), (constant(2), 2), (None, 1)):
        if kernel is None:
            machine.kernels.clear()
        else:
            machine.kernels["aclnnAbs"] = kernel
        call("aclnnAbs", on_device(values(3)), out)
        assert set(out.read()) == {expected}


def test_a_kernel_of_the_process_holds_for_machines_that_exist_already_and_for_later_ones() -> None:
    for before in (True, False):
        with board():
            if before:

                @aclnn.kernel("aclnnAbs")
                def four(self: Array) -> Array:
                    return np.full_like(self, 4)

                assert four(np.zeros(1)) == 4, "the decorator returns the function"
            out = on_device(np.zeros(3, F))
            call("aclnnAbs", on_device(values(3)), out)
            assert set(out.read()) == {4}


def test_the_kernel_of_one_machine_is_not_that_of_another() -> None:
    with board() as one:
        one.kernels["aclnnAbs"] = constant(1)
    with board() as other:
        assert "aclnnAbs" not in other.kernels


def test_alike_calls_follow_a_change_of_the_kernel(machine: Machine) -> None:
    """The memo answers for alike calls; what it keeps belongs to one kernel."""
    x, out = on_device(values(3)), on_device(np.zeros(3, F))
    found: list[float] = []
    for kernel in (None, constant(1), constant(2), None, constant(1)):
        machine.kernels.pop("aclnnRelu", None)
        if kernel is not None:
            machine.kernels["aclnnRelu"] = kernel
        for _ in range(2):
            call("aclnnRelu", x, out)
            found.append(float(out.read()[0]))
    relu = float(np.maximum(values(3)[0], 0))
    assert found == [relu, relu, 1, 1, 2, 2, relu, relu, 1, 1]


def test_a_launch_keeps_the_kernel_of_its_first_phase(machine: Machine) -> None:
    out = on_device(np.zeros(3, F))
    first, second = pair("aclnnAbs")
    machine.kernels["aclnnAbs"] = constant(1)
    executor = plan(first, on_device(values(3)), out).executor
    machine.kernels["aclnnAbs"] = constant(2)
    assert second(None, 0, executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert set(out.read()) == {1}


# the checks stay


@pytest.mark.parametrize(
    ("change", "status"),
    [
        pytest.param({0: None}, ACLNN_ERR_PARAM_NULLPTR, id="null"),
        pytest.param({1: (4, 4)}, ACLNN_ERR_PARAM_INVALID, id="shape"),
    ],
)
def test_a_kernel_runs_behind_the_checks(machine: Machine, change: dict[int, Any], status: int) -> None:
    seen = machine.kernels["aclnnAbs"] = Seen()
    arguments: list[Any] = [on_device(values(3)), on_device(np.zeros(3, F))]
    for at, value in change.items():
        arguments[at] = value if value is None else on_device(np.zeros(value, F))
    assert plan(pair("aclnnAbs")[0], *arguments).status == status
    assert not seen.given


def test_a_product_that_lacks_the_operator_refuses_it_with_a_kernel_too() -> None:
    with board(INFERENCE) as machine:
        machine.kernels["aclnnSquare"] = constant(1)
        planned = plan(pair("aclnnSquare")[0], on_device(values(3)), on_device(np.zeros(3, F)))
        assert planned.status == ACLNN_ERR_PARAM_INVALID
        assert "does not exist on" in planned.text


def test_a_race_is_found_with_a_kernel_too(machine: Machine, stream: aclrtStream) -> None:
    """The launch reads and writes as that of any operator does."""
    machine.kernels["aclnnAbs"] = np.abs
    x, out = on_device(values(3)), on_device(np.zeros(3, F))
    first, second = pair("aclnnAbs")
    assert second(None, 0, plan(first, x, out).executor, stream) == ACL_SUCCESS
    with pytest.raises(UndefinedBehaviour) as error:
        second(None, 0, plan(first, out, x).executor, None)
    assert error.value.finding.id == "xstream-race"


def three(x: list[Array]) -> list[Array]:
    return [each + each.dtype.type(1) for each in x]


@pytest.mark.parametrize("sizes", [(2, 3), (2, 2), (4,)], ids=str)
@pytest.mark.parametrize(
    "kernel",
    [three, lambda x: tuple(three(x)), lambda x: {"out": three(x)}],
    ids=["a list", "a tuple", "a dict with a list"],
)
def test_a_list_of_outputs_may_be_returned_as_a_list(
    machine: Machine, kernel: Callable[..., Any], sizes: tuple[int, ...]
) -> None:
    machine.kernels["aclnnForeachSinh"] = kernel
    inputs = [on_device(values(size, seed=size)) for size in sizes]
    outputs = [on_device(np.zeros(size, F)) for size in sizes]
    lists = [aclCreateTensorList([each.handle for each in of], len(of)) for of in (inputs, outputs)]
    call("aclnnForeachSinh", *lists)
    for size, output in zip(sizes, outputs, strict=True):
        assert np.array_equal(output.read(), values(size, seed=size) + F(1))


def test_a_kernel_of_too_few_parameters_reads_what_it_is_called_with(machine: Machine) -> None:
    machine.kernels["aclnnFatreluMul"] = lambda x: x
    arguments = [on_device(values(*shape)) for shape in ((2, 4), (1,), (2, 2))]
    with pytest.raises(UndefinedBehaviour, match=r"(?s)takes 1 positional argument but 2 were given.It is called with "
                                                 r"input, threshold\."):  # fmt: skip
        launched("aclnnFatreluMul", *arguments)


def test_what_is_no_function_is_no_kernel(machine: Machine) -> None:
    wrong: Any = "np.abs"
    with pytest.raises(TypeError, match=r"the kernel of aclnnAbs has to be a function, not 'np\.abs'"):
        machine.kernels["aclnnAbs"] = wrong
    with pytest.raises(TypeError, match="the kernel of aclnnAbs has to be a function"):
        aclnn.kernel("aclnnAbs")(wrong)


def test_the_text_of_561003_names_no_kernel_of_another_function(machine: Machine) -> None:
    machine.kernels["aclnnGeluMul"] = machine.kernels["my_device_kernel"] = np.abs
    first, second = pair("aclnnFatreluMul")
    planned = plan(first, *(on_device(values(*shape)) for shape in ((2, 4), (1,), (2, 2))))
    assert second(None, 0, planned.executor, None) == ACLNN_ERR_INNER_FIND_KERNEL_ERROR
    assert "misspelt" not in (aclGetRecentErrMsg() or "")


@pytest.mark.parametrize("name", ["aclnnFatReluMul", "aclnnFatrelMul", "aclnnFatreluMull"])
def test_a_kernel_of_no_operator_is_refused(machine: Machine, name: str) -> None:
    """At once, not by the launch. Other names are device kernels, which the program chooses."""
    with pytest.raises(ValueError, match=f"'{name}' is no function .*did you mean aclnnFatreluMul"):
        aclnn.kernel(name)(np.add)
    with pytest.raises(ValueError, match="did you mean aclnnFatreluMul"):
        machine.kernels[name] = np.add
    machine.kernels["fatrel_mul"] = np.add
    aclnn.kernel("aclnnFatreluMul")(np.add)
