"""Versions and attributes of the software (public)."""

from collections.abc import Callable
from ctypes import POINTER, byref, c_int32, c_uint64, c_void_p, create_string_buffer
from pathlib import Path
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import SOCS
from aclnn.engine.parameters import FLOATS
from tests.conftest import check_documented
from tests.helpers.outcomes import assert_status, finding_of

PACKAGES = ("runtime", "compiler", "hccl", "toolkit", "opp")


@pytest.fixture(autouse=True)
def no_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str, str], None]:
    """Install a package: `install("runtime", "Version=9.1.0")`."""
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))

    def write(package: str, content: str) -> None:
        folder = tmp_path / "share" / "info" / package
        folder.mkdir(parents=True)
        (folder / "version.info").write_text(content)

    return write


def version(package: str) -> tuple[int, str]:
    text = create_string_buffer(128)
    status = aclsysGetVersionStr(package, text)
    return status, text.value.decode()


def number(package: str) -> tuple[int, int]:
    value = c_int32(-1)
    return aclsysGetVersionNum(package, byref(value)), value.value


def test_the_version_of_the_interface_is_1_17_0(machine: Machine) -> None:
    """1, 17, 0 (public)."""
    parts = [c_int32() for _ in range(3)]
    assert aclrtGetVersion(*map(byref, parts)) == ACL_SUCCESS
    assert [part.value for part in parts] == [1, 17, 0]


@pytest.mark.parametrize("which", range(3), ids=["majorVersion", "minorVersion", "patchVersion"])
def test_version_of_the_interface_null_100000(machine: Machine, which: int) -> None:
    """Null -> 100000 (public)."""
    parts = [c_int32(-1) for _ in range(3)]
    outputs: list[Any] = [byref(part) for part in parts]
    outputs[which] = None
    name = ("majorVersion", "minorVersion", "patchVersion")[which]
    assert_status(aclrtGetVersion(*outputs), ACL_ERROR_INVALID_PARAM, "(EH0008)", name)
    assert [part.value for part in parts] == [-1, -1, -1]


@pytest.mark.fidelity("packages of the simulated installation")
@pytest.mark.parametrize("package", PACKAGES)
def test_simulated_packages_answer_9_1_0(machine: Machine, package: str) -> None:
    """Version queries answer 9.1.0 (ours); 9.1.0 -> 90100000 (public)."""
    assert version(package) == (ACL_SUCCESS, "9.1.0")
    assert number(package) == (ACL_SUCCESS, 90100000)


@pytest.mark.parametrize("package", ["frobnicate", "", "../runtime", "Runtime"])
def test_an_unknown_package_is_100003(machine: Machine, package: str) -> None:
    """Missing -> 100003 (public)."""
    assert version(package) == (ACL_ERROR_INVALID_FILE, "")
    assert aclGetRecentErrMsg() is None
    assert_status(number(package)[0], ACL_ERROR_INVALID_FILE, "(EH0003)", package)


@pytest.mark.fidelity("aclsysGetVersionStr for a package that is not installed")
def test_a_package_that_is_absent_is_an_answer() -> None:
    """A framework asks for packages that need not be there: a later failure must not show their text, and the status
    may be dropped (ours)."""
    with Machine() as machine:
        aclsysGetVersionStr("ops_math", create_string_buffer(128))
        assert aclrtSetDevice(9) == ACL_ERROR_RT_INVALID_DEVICEID
        text = aclGetRecentErrMsg() or ""
        assert "deviceId" in text
        assert "ops_math" not in text
    assert [finding.id for finding in machine.findings if finding.id == "ignored-ret"] == []


def test_a_null_package_is_100000(machine: Machine) -> None:
    """Null -> 100000, before the package is looked for (public)."""
    assert_status(aclsysGetVersionStr(None, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "pkgName")
    assert_status(aclsysGetVersionStr("frobnicate", None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "versionStr")
    assert_status(aclsysGetVersionNum(None, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "pkgName")
    assert_status(aclsysGetVersionNum("frobnicate", None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "versionNum")


@pytest.mark.fidelity("packages of the simulated installation")
def test_an_installation_without_the_folder_does_not_count(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The simulated installation answers where ASCEND_HOME_PATH holds no share/info (ours)."""
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path))
    assert version("runtime") == (ACL_SUCCESS, "9.1.0")


@pytest.mark.fidelity("packages of the simulated installation")
def test_an_installed_package_tells_its_version(machine: Machine, install: Callable[[str, str], None]) -> None:
    """ "Read `<install>/share/info/<package>/version.info` (install from `ASCEND_HOME_PATH`). Missing -> 100003"
    (public)."""
    install("runtime", "# CANN\nVersion = 8.5.1-rc.2 \nversion_dir=8.5.1\nVersion=1.2.3\n")
    install("mine", "version=1.2.3")
    assert version("runtime") == (ACL_SUCCESS, "8.5.1-rc.2")
    assert number("runtime") == (ACL_SUCCESS, 80500902)
    assert number("mine") == (ACL_SUCCESS, 10203000)
    assert version("compiler") == (ACL_ERROR_INVALID_FILE, "")


NUMBERS = {
    "9.1.0": 90100000,
    "9.1.0-beta.2": 90099802,
    "9.1.0-alpha.1": 90099701,
    "9.1.0-rc.3": 90099903,
    "9.1.0-rc3": 90099903,
    "9.1.0-RC": 90099900,
    "10.20.3": 102003000,
}


@pytest.mark.parametrize(("text", "expected"), NUMBERS.items(), ids=NUMBERS)
def test_a_version_number_counts_its_parts(
    machine: Machine, install: Callable[[str, str], None], text: str, expected: int
) -> None:
    """X*10,000,000 + Y*100,000 + Z*1,000; alpha -300, beta -200, rc -100, plus its number (public)."""
    install("runtime", f"Version={text}")
    assert number("runtime") == (ACL_SUCCESS, expected)


@pytest.mark.parametrize(
    "content", ["Version=9.1", "Version=8.0.RC1", "Version=", "", "Version=9.1.0-final", "Version=9.1.0.1", "9.1.0"]
)
def test_text_that_is_no_version_500000(machine: Machine, install: Callable[[str, str], None], content: str) -> None:
    """Text that is not X.Y.Z -> 500000 (public)."""
    install("runtime", content)
    assert version("runtime") == (ACL_ERROR_INTERNAL_ERROR, "")
    assert number("runtime") == (ACL_ERROR_INTERNAL_ERROR, -1)
    whole = aclCANNPackageVersion()
    status = aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, byref(whole))
    assert_status(status, ACL_ERROR_INTERNAL_ERROR, "EH9999", "not X.Y.Z", "runtime")


def test_a_text_that_does_not_fit_is_a_finding() -> None:
    """A write past the end of a buffer is a finding (ours)."""
    with Machine():
        id, text = finding_of(lambda: aclsysGetVersionStr("runtime", create_string_buffer(5)))
        assert id == "host-overrun"
        assert "versionStr" in text
    with Machine(on_undefined="report") as machine:
        assert aclsysGetVersionStr("runtime", create_string_buffer(5)) == ACL_ERROR_RT_PARAM_INVALID
        assert aclsysGetVersionStr("runtime", create_string_buffer(6)) == ACL_SUCCESS
        assert aclsysGetCANNVersion(ACL_PKG_NAME_CANN, 0x10) == ACL_ERROR_RT_PARAM_INVALID
    check_documented(machine)


def parts(whole: aclCANNPackageVersion) -> tuple[bytes, ...]:
    return whole.version, whole.majorVersion, whole.minorVersion, whole.releaseVersion, whole.patchVersion


@pytest.mark.parametrize("name", range(8))
def test_every_package_tells_its_version_in_parts(machine: Machine, name: int) -> None:
    """Every aclCANNPackageName answers (public)."""
    whole = aclCANNPackageVersion(b"x", b"x", b"x", b"x", b"x", b"x")
    assert aclsysGetCANNVersion(name, byref(whole)) == ACL_SUCCESS
    assert parts(whole) == (b"9.1.0", b"9", b"1", b"0", b"")


def test_version_in_parts_of_an_installation(machine: Machine, install: Callable[[str, str], None]) -> None:
    """The suffix is the patch (ours)."""
    install("runtime", "Version=9.2.10-beta.2")
    whole = aclCANNPackageVersion()
    assert aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, byref(whole)) == ACL_SUCCESS
    assert parts(whole) == (b"9.2.10-beta.2", b"9", b"2", b"10", b"beta.2")
    assert aclsysGetCANNVersion(ACL_PKG_NAME_CANN, byref(whole)) == ACL_ERROR_INVALID_FILE


def test_a_version_in_parts_refuses_null_and_unknown_packages(machine: Machine) -> None:
    """Null -> 100000; a number that is no package, as well (public)."""
    assert_status(aclsysGetCANNVersion(8, None), ACL_ERROR_INVALID_PARAM, "(EH0007)", "name")
    assert_status(aclsysGetCANNVersion(-1, byref(aclCANNPackageVersion())), ACL_ERROR_INVALID_PARAM, "(EH0007)", "name")
    assert_status(aclsysGetCANNVersion(0, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "version")


def test_there_are_three_attributes(machine: Machine) -> None:
    """Three attributes; "the list pointer is static" (public)."""
    array, count = POINTER(c_int32)(), c_uint64()
    assert aclGetCannAttributeList(byref(array), byref(count)) == ACL_SUCCESS
    assert array[: count.value] == [ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE]
    again = c_void_p()
    assert aclGetCannAttributeList(byref(again), byref(count)) == ACL_SUCCESS
    assert again.value == c_void_p.from_buffer(array).value


def test_list_of_attributes_null_100000(machine: Machine) -> None:
    """Null -> 100000 (public)."""
    array, count = POINTER(c_int32)(), c_uint64()
    assert_status(aclGetCannAttributeList(None, byref(count)), ACL_ERROR_INVALID_PARAM, "(EH0008)", "cannAttrList")
    assert_status(aclGetCannAttributeList(byref(array), None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "num")
    assert not array


def attribute(number: int) -> int:
    value = c_int32(-1)
    assert aclGetCannAttribute(number, byref(value)) == ACL_SUCCESS
    return value.value


@pytest.mark.fidelity("attributes of CANN")
@pytest.mark.parametrize("soc", SOCS)
def test_each_product_answers_every_attribute(soc: str) -> None:
    """Value 1 or 0: bfloat16 where operators take it, inf/nan "on A2 and newer", JIT everywhere."""
    with Machine(soc) as machine:
        bfloat16 = aclDataType.ACL_BF16 in FLOATS.on(machine.soc.series)
        assert attribute(ACL_CANN_ATTR_BF16) == int(bfloat16)
        assert attribute(ACL_CANN_ATTR_INF_NAN) == int(soc.startswith(("Ascend910B", "Ascend910_93", "Ascend950")))
        assert attribute(ACL_CANN_ATTR_JIT_COMPILE) == 1
    check_documented(machine)


@pytest.mark.parametrize("number", [ACL_CANN_ATTR_UNDEFINED, 3, 99], ids=["undefined -1", "3", "99"])
def test_an_unknown_attribute_is_100000(machine: Machine, number: int) -> None:
    """Unknown or -1 -> 100000; null -> 100000 (public)."""
    value = c_int32(-1)
    status = aclGetCannAttribute(number, byref(value))
    assert_status(status, ACL_ERROR_INVALID_PARAM, "(EH0007)", "cannAttr", "[0, 2]")
    assert value.value == -1
    assert_status(aclGetCannAttribute(0, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "value")
