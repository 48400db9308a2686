"""The headers compile without warnings, alone and together. They have the layout and the numbers of the Python API, and
work for public host programs. Nothing is declared twice. An operator of the user is included without further edits."""

import ctypes
import inspect
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest

import acl_runtime
from acl_runtime.headers import enums, statuses, structs
from aclnn.tools.toolkit.directory import libpython
from aclnn.tools.toolkit.exported_functions import declarations
from aclnn.tools.toolkit.headers import INCLUDES, MACROS, STATUS, headers
from aclnn.tools.toolkit.library import C_COMPILERS, CPP_COMPILERS, NoCompiler, compiler
from tests.helpers.doc_blocks import own_operator
from tests.helpers.places import ROOT

HERE = Path(__file__).parent
STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic")
STANDARDS = ("c11", "c++11", "c++14", "c++17", "c++20")
TEXTS = headers(declarations())
OPERATORS = [name for name, text in TEXTS.items() if name not in INCLUDES and "GetWorkspaceSize(" in text]
"""the headers of operators"""


def command(family: str, standard: str) -> list[str]:
    """The compiler for a standard; the test is skipped if there is none."""
    cpp = "++" in standard
    if family == "clang":
        found = shutil.which("clang++" if cpp else "clang")
        if found is None:
            pytest.skip("no clang here")
        return [found]
    try:
        return compiler("CXX", CPP_COMPILERS) if cpp else compiler("CC", C_COMPILERS)
    except NoCompiler as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The headers, without a library."""
    folder = tmp_path_factory.mktemp("headers") / "include"
    for name, text in TEXTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "aclnnop" / "level2").symlink_to(".")
    return folder


def accepted(compile_: list[str], standard: str, include: Path, *sources: Path) -> None:
    """Compiles without a warning."""
    prototypes = [] if "++" in standard else ["-Wstrict-prototypes"]  # part of clang's -pedantic from 15 on
    line = [*compile_, f"-std={standard}", *STRICT, *prototypes, "-fsyntax-only", f"-I{include}", *map(str, sources)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr


@pytest.mark.fidelity("prototypes without parameters")
@pytest.mark.parametrize("family", ["default", "clang"])
@pytest.mark.parametrize("standard", STANDARDS)
def test_headers_are_clean(family: str, standard: str, include: Path, tmp_path: Path) -> None:
    """All in one file in both orders; those of operators in one file without the others. Under the oldest standard of
    its language each header alone in a file, and of those of operators one, as all include the same."""
    compile_ = command(family, standard)
    suffix = "cpp" if "++" in standard else "c"
    sources = []
    together = [*sorted(TEXTS), *sorted(TEXTS, reverse=True)]
    alone = [[name] for name in TEXTS if name not in OPERATORS[1:]] if standard.endswith("11") else []
    for number, names in enumerate([together, together[::-1], OPERATORS, OPERATORS[::-1], *alone]):
        sources.append(tmp_path / f"of_{number}.{suffix}")
        text = "".join(f'#include "{name}"\n' for name in names)
        sources[-1].write_text(f"{text}int main(void) {{ return 0; }}\n", encoding="utf-8")
    accepted(compile_, standard, include, *sources)


def test_headers_of_operators_include_the_same() -> None:
    """So one of them alone in a file stands for all."""
    starts = {re.sub(r"ACLNN_EMULATOR_\w+", "", TEXTS[name].partition('extern "C"')[0]) for name in OPERATORS}
    assert len(starts) == 1
    assert len(OPERATORS) > 850


@pytest.mark.fidelity("types of macros that are numbers")
@pytest.mark.parametrize("family", ["default", "clang"])
@pytest.mark.parametrize("standard", STANDARDS[1:])
def test_public_ways_to_use_them_are_clean(family: str, standard: str, include: Path) -> None:
    accepted(command(family, standard), standard, include, HERE / "host_code.cpp")


def test_headers_may_be_included_in_a_block_of_c(include: Path, tmp_path: Path) -> None:
    """`extern "C" { #include ... }`, where there can be no template."""
    source = tmp_path / "block.cpp"
    body = "".join(f'#include "{name}"\n' for name in TEXTS)
    source.write_text(f'extern "C" {{\n{body}}}\nint main() {{ return sizeof(std::array<int, 1>) == 0; }}\n')
    accepted(command("default", "c++11"), "c++11", include, source)


def asserted(include: Path, tmp_path: Path, facts: list[str]) -> None:
    """Facts as constant expressions of C."""
    assert facts
    source = tmp_path / "facts.cpp"
    body = "".join(f'static_assert({fact}, "");\n' for fact in facts)
    source.write_text(f'#include "acl/acl.h"\n#include "aclnn/aclnn_base.h"\n{body}', encoding="utf-8")
    accepted(command("default", "c++11"), "c++11", include, source)


def test_structs_have_the_layout_of_python(include: Path, tmp_path: Path) -> None:
    facts: list[str] = []
    for name in structs.__all__:
        kind: Any = getattr(structs, name)
        facts.append(f"sizeof({name}) == {ctypes.sizeof(kind)} && alignof({name}) == {ctypes.alignment(kind)}")
        for field, ctype in kind._fields_:
            facts.append(f"offsetof({name}, {field}) == {getattr(kind, field).offset}")
            facts.append(f"sizeof((({name} *)nullptr)->{field}) == {ctypes.sizeof(ctype)}")
    asserted(include, tmp_path, facts)


def all_enums() -> dict[str, type[IntEnum]]:
    members = inspect.getmembers(enums, inspect.isclass)
    return {name: kind for name, kind in members if issubclass(kind, IntEnum) and kind is not IntEnum}


def test_numbers_are_those_of_python(include: Path, tmp_path: Path) -> None:
    facts = [f"{each} == {value}" for kind in all_enums().values() for each, value in kind.__members__.items()]
    facts += [f"sizeof({name}) == 4" for name in all_enums()]
    flags = [name for name in enums.__all__ if type(getattr(enums, name)) is int]
    codes = [name for name in statuses.__all__ if name.startswith("ACL")]
    assert len(facts) > 300
    assert len(flags) > 50
    assert len(codes) > 250
    asserted(include, tmp_path, [*facts, *(f"{name} == {int(getattr(acl_runtime, name))}" for name in flags + codes)])


def test_nothing_is_declared_twice() -> None:
    """A function, a constant, a type, a macro is in one header, once. A prototype is that of its help in Python."""
    text = "\n".join(TEXTS.values())
    declared = Counter(re.findall(r"^(?:ACLNN_API|ACL_FUNC_VISIBILITY) .*?\b(\w+)\(", text, re.MULTILINE))
    assert declared == Counter(each.name for each in declarations())
    for each in declarations():
        assert each.prototype.removesuffix("()") in TEXTS[each.header]
    constants = Counter(re.findall(r"^(?:static const int | {4})(\w+) = -?\d+[,;]?$", text, re.MULTILINE))
    constants += Counter(re.findall(r"^#define (?!ACLNN_EMULATOR)(\w+)", text, re.MULTILINE))
    constants += Counter(re.findall(r"^(?:typedef .*|\}) \(?\*?(\w+)(?:\)\(.*)?;$", text, re.MULTILINE))
    assert {name for name, times in constants.items() if times > 1} == set()
    assert constants.keys() >= {"ACL_SUCCESS", "ACL_FLOAT", "ACL_EVENT_SYNC", "aclTensor", "aclrtStream", "aclError",
                                "aclrtCallback", "aclDataType", "aclrtUuid", *MACROS} - MACROS.keys()  # fmt: skip


def test_an_overload_is_there_with_the_functions_it_calls() -> None:
    given = [each for each in declarations() if each.name != "aclrtMallocWithCfg"]
    left, all_of_them = headers(given)["acl/acl_rt_api.h"], TEXTS["acl/acl_rt_api.h"]
    assert "aclrtMalloc(T **" in all_of_them
    assert "aclrtMalloc(T **" not in left
    assert left.count("return ") == all_of_them.count("return ") - 1


def built(toolkit: Path, source: Path, program: Path, *flags: str) -> Path:
    line = [*command("default", "c++17"), "-std=c++17", *STRICT, *flags, "-o", str(program), str(source),
            f"-I{toolkit}/include", f"-L{toolkit}/lib64", "-lascendcl", f"-Wl,-rpath,{toolkit}/lib64"]  # fmt: skip
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def output_of(program: Path) -> str:
    """The library search path of a program that finds everything by itself."""
    if not libpython():
        pytest.skip(f"{sys.executable} has no shared library: a program cannot start it")
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_public_ways_to_use_them_work(toolkit: Path, tmp_path: Path) -> None:
    assert output_of(built(toolkit, HERE / "host_code.cpp", tmp_path / "program")) == "done Ascend910B1\n"


RELU = """\
#include "acl/acl.h"
#include "aclnnop/aclnn_ramp.h"

int main()
{
    float values[] = {-1, 2}, result[2];
    const int64_t shape[] = {2};
    void *in = nullptr, *out = nullptr, *workspace = nullptr;
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtMalloc(&in, 8, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&out, 8, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(in, 8, values, 8, ACL_MEMCPY_HOST_TO_DEVICE);
    aclTensor *self = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, in);
    aclTensor *answer = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, out);
    aclnnStatus status = aclnnRampGetWorkspaceSize(self, answer, &size, &executor);
    if (size > 0) aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == ACLNN_SUCCESS) status = aclnnRamp(workspace, size, executor, nullptr);
    aclrtSynchronizeDevice();
    aclrtMemcpy(result, 8, out, 8, ACL_MEMCPY_DEVICE_TO_HOST);
    printf("%d: %g %g\\n", status, static_cast<double>(result[0]), static_cast<double>(result[1]));
    aclDestroyTensor(self);
    aclDestroyTensor(answer);
    aclrtFree(in);
    aclrtFree(out);
    if (workspace != nullptr) aclrtFree(workspace);
    aclrtResetDevice(0);
    return aclFinalize();
}
"""


def test_an_operator_of_the_users_is_called_from_cpp(tmp_path: Path) -> None:
    """The operator of docs/adding-an-op.md, in a module outside of the emulator."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "relu_op.py").write_text(own_operator(), encoding="utf-8")
    (tmp_path / "ramp.cpp").write_text(RELU, encoding="utf-8")
    command("default", "c++17")
    where = os.pathsep.join([str(tmp_path / "mine"), str(ROOT)])
    line = [sys.executable, "-m", "aclnn.tools.toolkit", str(tmp_path / "toolkit"), "--with", "relu_op"]
    done = subprocess.run(
        line, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": where}, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    program = built(tmp_path / "toolkit", tmp_path / "ramp.cpp", tmp_path / "program")
    assert output_of(program) == "0: 0 2\n"


NODISCARD = "-DACL_EMULATOR_NODISCARD"
DROPS = """\
#include "acl/acl.h"
#include "acl/acl_rt_api.h"
#include "aclnnop/aclnn_softmax_backward.h"
void drops(void)
{
    aclInit(NULL);
    aclDestroyTensor(NULL);
    aclnnSoftmaxBackward(NULL, 0, NULL, NULL);
}
"""
DROPS_OVERLOADS = "void typed(float **memory) { aclrtMalloc(memory, 4); aclrtSynchronizeDevice(1); }\n"
READS = """\
#include "acl/acl.h"
const char *reads(void)
{
    aclError status = aclInit(NULL);
    return status == ACL_SUCCESS ? aclrtGetSocName() : aclGetRecentErrMsg();
}
"""


@pytest.mark.parametrize("standard", ["c11", "c2x", "c++11", "c++17"])
def test_the_compiler_finds_statuses_that_nothing_reads(standard: str, include: Path, tmp_path: Path) -> None:
    """Only with the macro: without it, a program that drops statuses compiles without a warning."""
    suffix, overloads = ("cpp", DROPS_OVERLOADS) if "++" in standard else ("c", "")
    drops, reads = tmp_path / f"drops.{suffix}", tmp_path / f"reads.{suffix}"
    drops.write_text(DROPS + overloads, encoding="utf-8")
    reads.write_text(READS, encoding="utf-8")
    compile_ = command("default", standard)
    accepted(compile_, standard, include, drops, reads)
    accepted([*compile_, NODISCARD], standard, include, reads)
    line = [*compile_, f"-std={standard}", NODISCARD, "-c", "-o", os.devnull, f"-I{include}", str(drops)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    assert done.returncode == 0
    lines = re.findall(r"drops\.\w+:(\d+):\d+: warning: ignoring return value", done.stderr)
    assert lines == ["6", "7", "8", *(["10", "10"] if overloads else [])], done.stderr


@pytest.mark.parametrize("standard", STANDARDS)
def test_headers_with_nodiscard_are_clean(standard: str, include: Path, tmp_path: Path) -> None:
    source = tmp_path / f"all.{'cpp' if '++' in standard else 'c'}"
    source.write_text("".join(f'#include "{name}"\n' for name in TEXTS), encoding="utf-8")
    sources = [source, HERE / "host_code.cpp"] if "++" in standard else [source]
    accepted([*command("default", standard), NODISCARD], standard, include, *sources)


def test_every_function_that_returns_a_status_can_be_nodiscard() -> None:
    """Results of other functions, such as a handle or a number, may be dropped."""
    for each in declarations():
        before, _, _ = TEXTS[each.header].partition(f" {each.prototype.removesuffix('()')}")
        assert before.splitlines()[-2].endswith(STATUS) == each.result.status, each.name


@pytest.mark.fidelity("acl_op.h, acl_mdl.h, acl_op_compiler.h", "functions without a prototype in the headers")
@pytest.mark.parametrize("header", ["acl/acl_op.h", "acl/acl_mdl.h", "acl/acl_op_compiler.h", "acl/acl_rt.h"])
def test_an_absent_function_is_an_error_of_the_compiler(header: str, include: Path, tmp_path: Path) -> None:
    """The compiler reports it, not the linker, and there is no stub that succeeds."""
    assert any(each.header == header for each in declarations())
    (tmp_path / "absent.cpp").write_text(f'#include "{header}"\nint main() {{ return aclrtCreateStreamV2(); }}\n')
    line = [*command("default", "c++11"), "-fsyntax-only", f"-I{include}", str(tmp_path / "absent.cpp")]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
    assert done.returncode != 0
    assert "aclrtCreateStreamV2" in done.stderr
