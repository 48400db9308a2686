"""The contents of a toolkit directory: the files and folders that existing build scripts look for."""

import os
import platform
import shlex
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import acl_runtime
from acl_runtime.objects.options import Options
from acl_runtime.version import __version__
from aclnn.tools.toolkit.entry import CONFIGURATION
from aclnn.tools.toolkit.template import filled

LIBRARY: Final = "libascendcl.so"
SET_ENV: Final = "set_env.sh"
NPU_SMI: Final = "bin/npu-smi"
OTHERS: Final = (
    "libacl_rt.so", "libnnopbase.so", "libopapi.so", "libopapi_nn.so", "libopapi_math.so", "libopapi_transformer.so",
    "libopapi_cv.so", "libacl_op_compiler.so", "libacl_cblas.so", "libcust_opapi.so", "libacl_tdt_channel.so",
    "libacl_tdt_queue.so", "libmsprofiler.so", "libacl_prof.so", "libascend_dump.so", "libprofapi.so", "libc_sec.so",
    "libruntime.so", "libge_runner.so", "libgraph.so", "libhccl.so", "libhcomm.so", "libms_tools_ext.so",
    "libaclnn_ops_infer.so", "libaclnn_ops_train.so", "libaclnn_math.so", "libaclnn_sparse.so", "libaclnn_fft.so",
    "libaclnn_rand.so", "libmspti.so", "libascend_hal.so",
)  # fmt: skip
"""other libraries that programs link against, or load to look operators up: links to the one library, so that a
program loads it only once. Profilers load the last two, and end with an empty trace of the device. Any other library
that programs only try to load, such as libdcmi.so, is left out if the emulator has none of its functions"""
ARCHITECTURES: Final = ("x86_64", "aarch64")
ROOTS: Final = ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH", "ASCEND_INSTALL_PATH", "ASCEND_AICPU_PATH", "DDK_PATH")
LSAN: Final = ("libpython", "_multiarray_umath", "/numpy/", "/ml_dtypes/", "ld-linux", "_ctypes", "libffi")
"""the leak sanitizer ignores memory that these libraries allocate, because Python is never finalised"""
TSAN: Final = ("race", "signal")
"""reports that the thread sanitizer suppresses for these libraries. `signal`: the handler of SIGSEGV runs Python code.
(`called_from_lib` cannot be used, as it ends the program if two libraries match.)"""
PACKAGE: Final = "AclnnEmulator"


def links() -> Iterator[tuple[str, str]]:
    """The links: path in the directory, and target."""
    for name in OTHERS:
        yield f"lib64/{name}", LIBRARY
    for folder in (f"{architecture}-linux" for architecture in ARCHITECTURES):
        for name, target in (("include", "include"), ("lib64", "lib64"), ("devlib", "lib64"), ("lib", "lib64")):
            yield f"{folder}/{name}", f"../{target}"
    yield "devlib/linux/x86_64", "../../lib64"
    yield "devlib/linux/aarch64", "../../lib64"
    yield "runtime/include", "../include"
    yield "runtime/lib64", "../lib64"
    yield "acllib/include", "../include"
    yield "acllib/lib64", "../lib64"
    yield "compiler/include", "../include"
    yield "compiler/lib64", "../lib64"
    for folder in (*(f"{architecture}-linux" for architecture in ARCHITECTURES), "compiler", "tools"):
        yield f"{folder}/tikcpp", "../tikcpp"
    yield "opp/lib64", "../lib64"
    yield "bin/setenv.bash", f"../{SET_ENV}"
    for vendor in ("customize", "customize_nn", "custom_nn"):
        yield f"opp/vendors/{vendor}/op_api/include", "../../../../include"
        yield f"opp/vendors/{vendor}/op_api/lib", "../../../../lib64"


def doubles(headers: Iterable[str], names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Links by which files have a second path: each header of an operator in `level2`, and everything in `latest`.

    `latest` is not a link to the directory itself: it would contain itself, and programs that follow links would not
    end.
    """
    for name in headers:
        folder, _, header = name.rpartition("/")
        if folder == "aclnnop":
            yield f"include/aclnnop/level2/{header}", f"../{header}"
    for name in dict.fromkeys(key.partition("/")[0] for key in names):
        yield f"latest/{name}", f"../{name}"


def texts(directory: Path, modules: Iterable[str], paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The files except headers: path in the directory, and text."""
    yield f"lib64/{CONFIGURATION}", configuration(modules, paths)
    yield SET_ENV, set_env(directory)
    yield NPU_SMI, filled("npu-smi", CONFIGURATION=CONFIGURATION)
    yield "lsan.supp", "".join(f"leak:{each}\n" for each in LSAN)
    yield "tsan.supp", "".join(f"{kind}:{each}\n" for each in LSAN for kind in TSAN)
    yield f"share/cmake/{PACKAGE}/{PACKAGE}Config.cmake", cmake()  # lib64 is not searched by all systems
    yield f"share/cmake/{PACKAGE}/{PACKAGE}ConfigVersion.cmake", cmake_version()
    yield (
        "tikcpp/ascendc_kernel_cmake/ascendc.cmake",
        filled("ascendc.cmake", CONFIGURATION=CONFIGURATION, LIBRARY=LIBRARY),
    )
    yield "version.cfg", f"runtime_running_version=[{sysconfig.get_platform()}:aclnn-emulator]\n"


def configuration(modules: Iterable[str], paths: Iterable[str]) -> str:
    """The file that the library reads to find Python."""
    packages = str(Path(acl_runtime.__file__).resolve().parent.parent)
    lines = (sys.executable, libpython(), packages, ",".join(modules), os.pathsep.join(paths))
    return "".join(f"{line}\n" for line in lines)


def libpython() -> str:
    """The path of the shared library of this Python; empty if none is found."""
    variable = sysconfig.get_config_var
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    names = [name for name in (variable("INSTSONAME"), variable("LDLIBRARY"), f"libpython{version}.so.1.0") if name]
    folders = [variable("LIBDIR"), variable("LIBPL"), os.path.join(sys.base_prefix, "lib"), "/usr/lib64",
               f"/usr/lib/{platform.machine()}-linux-gnu"]  # fmt: skip
    for folder in filter(None, folders):
        for name in names:
            if ".so" in name and os.path.exists(os.path.join(folder, name)):
                return os.path.join(folder, name)
    return ""


def set_env(directory: Path) -> str:
    """The script set_env.sh, for `source` or `.` in any shell. It finds its own directory, so the directory may be
    moved, and it works under `set -eu`."""
    exports = "".join(f'export {root}="$_aclnn"\n' for root in ROOTS)
    return filled(SET_ENV, LIBRARY=LIBRARY, DIRECTORY=shlex.quote(str(directory)), EXPORTS=exports, SOC=Options.soc)


def cmake() -> str:
    """The file for `find_package(AclnnEmulator)`: the target AclnnEmulator::ascendcl, and variables for build files."""
    return filled(f"{PACKAGE}Config.cmake", LIBRARY=LIBRARY)


def cmake_version() -> str:
    """The file for `find_package(AclnnEmulator 0.1)`. Any later version is compatible, because the functions are those
    of CANN and functions are only ever added. For a version range the upper end counts, too."""
    return filled(f"{PACKAGE}ConfigVersion.cmake", VERSION=__version__)
