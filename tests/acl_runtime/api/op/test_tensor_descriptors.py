"""aclTensorDesc: the description of a tensor before aclnn."""

from collections.abc import Callable
from ctypes import byref, c_int64

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.outcomes import assert_status, finding_of, ok

USES: dict[str, Callable[[aclTensorDesc], object]] = {
    "aclDestroyTensorDesc": aclDestroyTensorDesc,
    "aclGetTensorDescType": aclGetTensorDescType,
    "aclGetTensorDescFormat": aclGetTensorDescFormat,
    "aclGetTensorDescNumDims": aclGetTensorDescNumDims,
    "aclGetTensorDescDimV2": lambda desc: aclGetTensorDescDimV2(desc, 0, byref(c_int64())),
    "aclSetTensorShape": lambda desc: aclSetTensorShape(desc, 1, [1]),
    "aclSetTensorFormat": lambda desc: aclSetTensorFormat(desc, ACL_FORMAT_ND),
    "aclGetTensorDescDim": lambda desc: aclGetTensorDescDim(desc, 0),
    "aclGetTensorDescDimRange": lambda desc: aclGetTensorDescDimRange(desc, 0, 2, (c_int64 * 2)()),
    "aclGetTensorDescElementCount": aclGetTensorDescElementCount,
    "aclGetTensorDescSize": aclGetTensorDescSize,
    "aclGetTensorDescAddress": aclGetTensorDescAddress,
    "aclGetTensorDescByIndex": lambda desc: aclGetTensorDescByIndex(desc, 0),
    "aclSetTensorStorageShape": lambda desc: aclSetTensorStorageShape(desc, 1, [1]),
    "aclSetTensorOriginShape": lambda desc: aclSetTensorOriginShape(desc, 1, [1]),
    "aclSetTensorStorageFormat": lambda desc: aclSetTensorStorageFormat(desc, ACL_FORMAT_ND),
    "aclSetTensorOriginFormat": lambda desc: aclSetTensorOriginFormat(desc, ACL_FORMAT_ND),
    "aclSetTensorShapeRange": lambda desc: aclSetTensorShapeRange(desc, 1, [1, 2]),
    "aclSetTensorValueRange": lambda desc: aclSetTensorValueRange(desc, 1, [1, 2]),
    "aclSetTensorDynamicInput": lambda desc: aclSetTensorDynamicInput(desc, "x"),
    "aclSetTensorDescName": lambda desc: aclSetTensorDescName(desc, "x"),
    "aclSetTensorPlaceMent": lambda desc: aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST),
    "aclSetTensorConst": lambda desc: aclSetTensorConst(desc, b"1234", 4),
}


def sizes(desc: aclTensorDesc) -> list[int]:
    """The dimensions that the getters return."""
    found: list[int] = []
    for index in range(aclGetTensorDescNumDims(desc)):
        size = c_int64()
        ok(aclGetTensorDescDimV2(desc, index, byref(size)))
        found.append(size.value)
    return found


def test_it_keeps_a_copy_of_what_it_is_made_of(machine: Machine) -> None:
    """ "owns a copy of the dims"; "negative dims are allowed (dynamic)"."""
    dims = np.array([2, -1, 4], np.int64)
    desc = aclCreateTensorDesc(ACL_FLOAT16, 3, dims, ACL_FORMAT_NCHW)
    dims[:] = 0
    assert sizes(desc) == [2, -1, 4]
    assert (aclGetTensorDescType(desc), aclGetTensorDescFormat(desc)) == (ACL_FLOAT16, ACL_FORMAT_NCHW)
    aclDestroyTensorDesc(desc)


def test_no_dimension_is_a_scalar(machine: Machine) -> None:
    desc = aclCreateTensorDesc(ACL_INT32, 0, None, ACL_FORMAT_ND)
    assert desc
    assert sizes(desc) == []
    aclDestroyTensorDesc(desc)


@pytest.mark.parametrize(("count", "dims"), [(-1, [1]), (1, None)], ids=["a negative count", "null dims"])
def test_a_bad_shape_gives_null(machine: Machine, count: int, dims: list[int] | None) -> None:
    assert not aclCreateTensorDesc(ACL_FLOAT, count, dims, ACL_FORMAT_ND)


@pytest.mark.fidelity("aclGetTensorDescByIndex")
def test_a_description_is_the_first_of_one(machine: Machine) -> None:
    desc = aclCreateTensorDesc(ACL_FLOAT, 1, [3], ACL_FORMAT_ND)
    assert aclGetTensorDescByIndex(desc, 0).value == desc.value
    assert not aclGetTensorDescByIndex(desc, 1)
    assert not aclGetTensorDescByIndex(None, 0)
    aclDestroyTensorDesc(desc)


def test_null_reads_as_undefined(machine: Machine) -> None:
    assert aclGetTensorDescType(None) == ACL_DT_UNDEFINED
    assert aclGetTensorDescFormat(None) == ACL_FORMAT_UNDEFINED
    assert aclGetTensorDescNumDims(None) == 0
    assert aclGetTensorDescDim(None, 0) == -1
    assert aclGetTensorDescSize(None) == aclGetTensorDescElementCount(None) == 0
    assert (aclGetTensorDescName(None), aclGetTensorDescAddress(None)) == ("", None)
    aclDestroyTensorDesc(None)
    aclSetTensorDescName(None, "x")


def test_formats_of_null_are_ignored(machine: Machine) -> None:
    """ "aclSetTensorFormat, -StorageFormat, -OriginFormat with null desc: 0 (nothing)"."""
    for change in (aclSetTensorFormat, aclSetTensorStorageFormat, aclSetTensorOriginFormat):
        ok(change(None, ACL_FORMAT_NCHW))


@pytest.mark.parametrize(
    ("shape", "count", "size"), [([], 1, 4), ([2, 3], 6, 24), ([2, -1], 0, 0), ([0, 3], 0, 0)], ids=str
)
def test_counts(machine: Machine, shape: list[int], count: int, size: int) -> None:
    """ "aclGetTensorDescSize of a scalar = element size, of a shape with -1 = 0"."""
    desc = aclCreateTensorDesc(ACL_FLOAT, len(shape), shape, ACL_FORMAT_ND)
    assert (aclGetTensorDescElementCount(desc), aclGetTensorDescSize(desc)) == (count, size)
    assert [aclGetTensorDescDim(desc, at) for at in range(3)] == (shape + [-1] * 3)[:3]
    aclDestroyTensorDesc(desc)


def test_ranges(machine: Machine) -> None:
    desc, found = aclCreateTensorDesc(ACL_FLOAT, 2, [-1, 3], ACL_FORMAT_ND), (c_int64 * 2)()
    ok(aclGetTensorDescDimRange(desc, 1, 2, found))
    assert list(found) == [3, 3]
    ok(aclSetTensorShapeRange(desc, 2, np.array([[1, 8], [3, 3]], np.int64)))
    ok(aclGetTensorDescDimRange(desc, 0, 2, found))
    assert list(found) == [1, 8]
    ok(aclSetTensorValueRange(desc, 1, [0, 5]))
    aclDestroyTensorDesc(desc)


def test_the_origin_can_change(machine: Machine) -> None:
    desc = aclCreateTensorDesc(ACL_FLOAT, 2, [3, 4], ACL_FORMAT_ND)
    ok(aclSetTensorOriginShape(desc, 1, [12]))
    ok(aclSetTensorOriginFormat(desc, ACL_FORMAT_NHWC))
    assert (sizes(desc), aclGetTensorDescFormat(desc)) == ([12], ACL_FORMAT_NHWC)
    other = aclTensorDesc()
    assert_status(aclTransTensorDescFormat(desc, ACL_FORMAT_NCHW, byref(other)), ACL_ERROR_API_NOT_SUPPORT)
    assert not other
    aclDestroyTensorDesc(desc)


def test_the_storage_changes_and_the_origin_stays(machine: Machine) -> None:
    """ "*storage* shape and format (origin stay those of Create)"."""
    desc = aclCreateTensorDesc(ACL_FLOAT, 2, [3, 4], ACL_FORMAT_ND)
    ok(aclSetTensorShape(desc, 3, [1, 3, 4]))
    ok(aclSetTensorFormat(desc, ACL_FORMAT_FRACTAL_NZ))
    assert (sizes(desc), aclGetTensorDescFormat(desc)) == ([3, 4], ACL_FORMAT_ND)
    (found,) = machine.handles.all(type(machine.handles.get(desc.value or 0)))
    assert (found.storage_shape, found.storage_format) == ((1, 3, 4), ACL_FORMAT_FRACTAL_NZ)  # type: ignore[attr-defined]
    aclDestroyTensorDesc(desc)


def test_name_placement_and_constant_are_kept(machine: Machine) -> None:
    desc = aclCreateTensorDesc(ACL_FLOAT, 1, [1], ACL_FORMAT_ND)
    value = np.array([1.5], np.float32)
    aclSetTensorDescName(desc, "x")
    ok(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST))
    ok(aclSetTensorConst(desc, value, value.nbytes))
    expected = value.tobytes()
    value[0] = 0
    found = machine.handles.get(desc.value or 0)
    assert (found.name, found.placement, found.constant) == ("x", 1, expected)  # type: ignore[union-attr]
    aclSetTensorDescName(desc, None)
    assert found.name == ""  # type: ignore[union-attr]
    aclDestroyTensorDesc(desc)


@pytest.mark.fidelity("arguments of the interface before aclnn that no page judges")
@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda desc: aclGetTensorDescDimV2(None, 0, byref(c_int64())), "desc"),
        (lambda desc: aclGetTensorDescDimV2(desc, 0, None), "dimSize"),
        (lambda desc: aclGetTensorDescDimV2(desc, 2, byref(c_int64())), "index"),
        (lambda desc: aclSetTensorShape(None, 0, None), "desc"),
        (lambda desc: aclSetTensorShape(desc, 1, None), "dims"),
        (lambda desc: aclSetTensorShape(desc, -1, [1]), "numDims"),
        (lambda desc: aclSetTensorShape(desc, 0, None), "dims"),
        (lambda desc: aclSetTensorStorageShape(None, 0, None), "desc"),
        (lambda desc: aclSetTensorOriginShape(desc, 0, None), "dims"),
        (lambda desc: aclSetTensorShapeRange(None, 1, [1, 2]), "desc"),
        (lambda desc: aclSetTensorShapeRange(desc, 1, None), "dimsRange"),
        (lambda desc: aclSetTensorValueRange(desc, 1, None), "valueRange"),
        (lambda desc: aclSetTensorDynamicInput(None, "x"), "desc"),
        (lambda desc: aclSetTensorDynamicInput(desc, None), "dynamicInputName"),
        (lambda desc: aclGetTensorDescDimRange(None, 0, 2, (c_int64 * 2)()), "desc"),
        (lambda desc: aclGetTensorDescDimRange(desc, 0, 2, None), "dimRange"),
        (lambda desc: aclGetTensorDescDimRange(desc, 0, 1, (c_int64 * 2)()), "dimRangeNum"),
        (lambda desc: aclGetTensorDescDimRange(desc, 2, 2, (c_int64 * 2)()), "index"),
        (lambda desc: aclSetTensorPlaceMent(None, 0), "desc"),
        (lambda desc: aclSetTensorPlaceMent(desc, 3), "memType"),
        (lambda desc: aclSetTensorConst(None, b"1234", 4), "desc"),
        (lambda desc: aclSetTensorConst(desc, None, 4), "dataBuffer"),
        (lambda desc: aclSetTensorConst(desc, b"1234", 0), "length"),
    ],
)
def test_a_bad_argument_is_100000(machine: Machine, call: Callable[[aclTensorDesc], int], word: str) -> None:
    desc = aclCreateTensorDesc(ACL_FLOAT, 2, [3, 4], ACL_FORMAT_ND)
    assert_status(call(desc), ACL_ERROR_INVALID_PARAM, word)
    aclDestroyTensorDesc(desc)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_use_after_destroy_is_found(machine: Machine, use: Callable[[aclTensorDesc], object]) -> None:
    desc = aclCreateTensorDesc(ACL_FLOAT, 1, [1], ACL_FORMAT_ND)
    aclDestroyTensorDesc(desc)
    id, text = finding_of(lambda: use(desc))
    assert id == "dead-handle"
    assert "tensor descriptor 1" in text


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_machine_that_only_reports_does_nothing(use: Callable[[aclTensorDesc], object]) -> None:
    with Machine(on_undefined="report") as machine:
        desc = aclCreateTensorDesc(ACL_FLOAT, 1, [1], ACL_FORMAT_ND)
        aclDestroyTensorDesc(desc)
        assert use(desc) in (None, ACL_ERROR_RT_PARAM_INVALID, ACL_DT_UNDEFINED, 0)
        assert [finding.id for finding in machine.findings] == ["dead-handle"]
    check_documented(machine)


def test_dims_that_are_too_few_are_found(machine: Machine) -> None:
    assert finding_of(lambda: aclCreateTensorDesc(ACL_FLOAT, 3, [1, 2], ACL_FORMAT_ND))[0] == "host-overrun"


def test_one_that_is_left_behind_is_a_leak() -> None:
    with Machine() as machine:
        desc = aclCreateTensorDesc(ACL_FLOAT, 1, [1], ACL_FORMAT_ND)
        assert desc
    (leak,) = [finding for finding in machine.findings if finding.id == "tensor-leaked"]
    assert "tensor descriptor 1" in leak.what
    assert "aclDestroyTensorDesc" in leak.what
