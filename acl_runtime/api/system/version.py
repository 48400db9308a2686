"""acl/acl_rt.h: versions."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION
from acl_runtime.headers.enums import aclCANNPackageName as P
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_INTERNAL_ERROR, ACL_ERROR_INVALID_FILE
from acl_runtime.headers.structs import aclCANNPackageVersion
from acl_runtime.machine.packages import Version, parse, version_text

FOLDERS: Final[dict[int, str]] = {
    P.ACL_PKG_NAME_CANN: "toolkit", P.ACL_PKG_NAME_RUNTIME: "runtime", P.ACL_PKG_NAME_COMPILER: "compiler",
    P.ACL_PKG_NAME_HCCL: "hccl", P.ACL_PKG_NAME_TOOLKIT: "toolkit", P.ACL_PKG_NAME_OPP: "opp",
    P.ACL_PKG_NAME_OPP_KERNEL: "opp_kernel", P.ACL_PKG_NAME_DRIVER: "driver",
}  # fmt: skip


@acl_api("acl/acl_rt.h", pyacl="get_version")
def aclrtGetVersion(majorVersion: c.int32_t_p, minorVersion: c.int32_t_p, patchVersion: c.int32_t_p) -> c.aclError:
    """Query the version of the interface, 1.17.0. Deprecated: use aclsysGetVersionStr.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    outputs = {"majorVersion": majorVersion, "minorVersion": minorVersion, "patchVersion": patchVersion}
    for name, out in outputs.items():
        if out.null:
            raise null(name)
    for out, value in zip(outputs.values(), (ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION), strict=True):
        out.store(value)


def _version(package: str) -> Version:
    """The version of a package; AclError 100003 if it is not installed, 500000 for "text that is not X.Y.Z"."""
    file = f"share/info/{package}/version.info"
    text = version_text(package)
    if text is None:
        raise AclError(ACL_ERROR_INVALID_FILE, Item("EH0003", (file, f"the package {package} is not installed")))
    version = parse(text)
    if version is None:
        raise AclError(ACL_ERROR_INTERNAL_ERROR, Item("EH9999", (f"the version {text!r} in {file} is not X.Y.Z",)))
    return version


@acl_api("acl/acl_rt.h", harmless=(ACL_ERROR_INVALID_FILE,), pyacl="get_version_str")
def aclsysGetVersionStr(pkgName: c.char_p, versionStr: c.target_char_p) -> c.aclError:
    """Write the version of a package (runtime, compiler, hccl, toolkit, opp, ...) as a text to `versionStr`, a buffer
    of 128 bytes.

    The version is 9.1.0, or comes from the installation at ASCEND_HOME_PATH if that has a folder share/info. A package
    that is not installed leaves no error text.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_INVALID_PARAM: an argument is null.
        ACL_ERROR_INVALID_FILE: the package is not installed.
        ACL_ERROR_INTERNAL_ERROR: its version is not X.Y.Z.
        ACL_ERROR_RT_PARAM_INVALID: the text does not fit into `versionStr` (only if the machine reports findings
            instead of raising them).
    """
    if pkgName is None:
        raise null("pkgName")
    if not versionStr.value:
        raise null("versionStr")
    if version_text(pkgName) is None:
        raise AclError(ACL_ERROR_INVALID_FILE)
    store(versionStr, _version(pkgName).text.encode() + b"\0", "versionStr")


@acl_api("acl/acl_rt.h", pyacl=None)
def aclsysGetVersionNum(pkgName: c.char_p, versionNum: c.int32_t_p) -> c.aclError:
    """Query the version of a package as a number: X * 10,000,000 + Y * 100,000 + Z * 1,000, minus 300 for alpha, 200
    for beta or 100 for rc, plus the number of the pre-release. 9.1.0 is 90100000, 9.1.0-beta.2 is 90099802.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_INVALID_PARAM: an argument is null.
        ACL_ERROR_INVALID_FILE: the package is not installed.
        ACL_ERROR_INTERNAL_ERROR: its version is not X.Y.Z.
    """
    if pkgName is None:
        raise null("pkgName")
    if versionNum.null:
        raise null("versionNum")
    versionNum.store(_version(pkgName).number)


@acl_api("acl/acl_rt.h", pyacl="get_cann_version")
def aclsysGetCANNVersion(name: c.aclCANNPackageName, version: c.aclCANNPackageVersion_p) -> c.aclError:
    """Query the version of a package in parts: major, minor and release are X, Y and Z, patch is the suffix.
    Deprecated: use aclsysGetVersionStr.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_INVALID_PARAM: `name` is no aclCANNPackageName, or `version` is null.
        ACL_ERROR_INVALID_FILE: the package is not installed.
        ACL_ERROR_INTERNAL_ERROR: its version is not X.Y.Z.
        ACL_ERROR_RT_PARAM_INVALID: `version` is no memory that can be written (only if the machine reports findings
            instead of raising them).
    """
    if name not in FOLDERS:
        raise invalid(name, "name", "an aclCANNPackageName: [0, 7]")
    if not version.value:
        raise null("version")
    installed = _version(FOLDERS[name])
    parts = (installed.text, installed.major, installed.minor, installed.release, installed.patch)
    store(version, aclCANNPackageVersion(*(part.encode() for part in parts)), "version")
