"""Translations of kernel files: what stays, what is left out, and what becomes of a launch."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acl_runtime.objects.elf import functions
from aclnn.tools.toolkit.kernel_sources import launchers, main, names

DEVICE = """\
using namespace AscendC;
class KernelAdd {
public:
    __aicore__ inline KernelAdd() {}
    __aicore__ inline void Init(GM_ADDR x) { pipe.InitBuffer(queue, 1, 4); if (GetBlockIdx() > 0) { x += 1; } }
private:
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> queue;
};
template <typename T> __aicore__ inline void Help(T x) { x = T(); }
"""
KERNEL = (
    'extern "C" __global__ __aicore__ void add(GM_ADDR x, __gm__ float *y, uint32_t n) { KernelAdd op; op.Init(x); }\n'
)


def translated(tmp_path: Path, text: str, folder: Path | None = None) -> str:
    """The lines of a translation that come from the file."""
    file = tmp_path / "kernels.cpp"
    file.write_text(text, encoding="utf-8")
    whole = launchers(file, [folder] if folder else [])
    lines = whole[whole.index("#line") :] if "#line" in whole else ""
    return re.sub(r"^#line .*\n", "", lines, flags=re.MULTILINE).rstrip("\n")


@pytest.mark.parametrize(
    "text",
    [
        "constexpr int32_t COUNT = 2;",
        "struct Tiling { uint32_t n; int m[2] = {1, 2}; };",
        "struct Tiling { uint32_t n; } tiling;",
        "enum class Mode { A, B };",
        "typedef unsigned int word;",
        "static const char *TEXT = \"a; { } \\\" // not a comment\";",
        "static const char CHAR = '{';",
        "static int table[] = {1, 2, 3};",
        "uint32_t twice(uint32_t n) { if (n) { return 2 * n; } return 0; }",
        "#define TWICE(n) \\\n    (2 * (n))",
        "#include <vector>",
        "auto f = [](int x) { return x; };",
        "template <typename T> T same(T x) { return x; }",
        "namespace a {\nint one() { return 1; }\n}",
        'extern "C" {\nint one();\n}',
    ],
)  # fmt: skip
def test_host_code_stays(text: str, tmp_path: Path) -> None:
    assert translated(tmp_path, f"/* a comment; {{ */\n{DEVICE}{text}\n{KERNEL}") == text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("__gm__ int32_t total = 5;", "total"),
        ("const __gm__ uint32_t table[2] = {1, 2};", "table"),
        ("static __device__ float grid[2][3];", "grid"),
        ("namespace a {\n__gm__ Tiling tiling{1};\n}", "tiling"),
    ],
)
def test_a_variable_of_the_device_becomes_one_of_the_program(text: str, name: str, tmp_path: Path) -> None:
    lines = translated(tmp_path, text).splitlines()
    stays = text.replace("__gm__ ", "").replace("__device__ ", "").splitlines()
    assert [line for line in lines if "aclnn" not in line] == stays
    assert f'    aclnnEmulatorVariable(aclnn_emulator_binary, &{name}, "{name}", sizeof({name}));' in lines


@pytest.mark.parametrize(
    "text",
    [
        "extern __gm__ int32_t total;",
        "__gm__ AscendC::GlobalTensor<float> tensor;",
        "__device__ int twice(int n) { return 2 * n; }",
        "__gm__ int *first(__gm__ int *x) { return x; }",
    ],
)
def test_other_declarations_for_the_device_are_left_out(text: str, tmp_path: Path) -> None:
    assert translated(tmp_path, text) == ""


@pytest.mark.parametrize("text", [DEVICE, KERNEL, "#pragma once", "#define GM __gm__ uint8_t *", "// nothing\n/* { */"])
def test_code_of_the_device_is_left_out(text: str, tmp_path: Path) -> None:
    assert translated(tmp_path, text) == ""


@pytest.mark.parametrize(
    ("launch", "call"),
    [
        ("add<<<blocks, nullptr, stream>>>(x, y, n);",
         "launch_as<GM_ADDR, __gm__ float *, uint32_t>(&aclnn_emulator_stub_add, blocks, stream, x, y, n);"),
        ("add<<<f(1, 2), l2, s[0]>>>(x, y, (n + 1));",
         "launch_as<GM_ADDR, __gm__ float *, uint32_t>(&aclnn_emulator_stub_add, f(1, 2), s[0], x, y, (n + 1));"),
        ("other <<< 1, nullptr, stream >>> ();", "launch(&aclnn_emulator_stub_other, 1, stream);"),
        ("ns::typed<float, 2><<<1, nullptr, stream>>>(x);", "launch(&aclnn_emulator_stub_typed, 1, stream, x);"),
    ],
)  # fmt: skip
def test_a_launch_becomes_a_call(launch: str, call: str, tmp_path: Path) -> None:
    head = "void Do(uint32_t blocks, void *stream)\n{\n    "
    assert translated(tmp_path, f"{KERNEL}{head}{launch}\n}}\n") == f"{head}aclnn_emulator::{call}\n}}"


def test_two_launches_in_a_function(tmp_path: Path) -> None:
    text = translated(tmp_path, "void Do() { a<<<1, nullptr, 0>>>(); if (1) { b<<<2, nullptr, 0>>>(3); } }")
    assert text == (
        "void Do() { aclnn_emulator::launch(&aclnn_emulator_stub_a, 1, 0); "
        "if (1) { aclnn_emulator::launch(&aclnn_emulator_stub_b, 2, 0, 3); } }"
    )


def test_a_launch_that_never_ends_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=">>>"):
        translated(tmp_path, "void Do() { a<<<1, nullptr, 0>(); }")


ADD = "aclnn_emulator::launch_as<GM_ADDR, __gm__ float *, uint32_t>(&aclnn_emulator_stub_add"


def test_headers(tmp_path: Path) -> None:
    """A header with code of the device is translated too, once; another one is included; one that is not here is
    included if the compiler finds it."""
    folder = tmp_path / "include"
    folder.mkdir()
    (folder / "impl.h").write_text(f'#pragma once\n#include "plain.h"\n{DEVICE}constexpr int N = 1;\n{KERNEL}')
    (folder / "plain.h").write_text("struct Plain {};\n")
    text = (
        '#include "impl.h"\n#include "kernel_operator.h"\n#include "impl.h"\nvoid Do() { add<<<1, 0, 0>>>(0, 0, N); }\n'
    )
    assert translated(tmp_path, text, folder).splitlines() == [
        f'#include "{folder}/plain.h"', "constexpr int N = 1;", '#if __has_include("kernel_operator.h")',
        '#include "kernel_operator.h"', "#endif",
        f"void Do() {{ {ADD}, 1, 0, 0, 0, N); }}",
    ]  # fmt: skip


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "k.cpp").write_text(f"// one\n{KERNEL}\n/* four\nfive */ int six = 1;\n", encoding="utf-8")
    assert f'#line 5 "{tmp_path}/k.cpp"\nint six = 1;' in launchers(tmp_path / "k.cpp", [])


def test_the_kernels_of_a_file_are_registered(tmp_path: Path) -> None:
    (tmp_path / "k.cpp").write_text(KERNEL + KERNEL.replace("add", "mul"), encoding="utf-8")
    whole = launchers(tmp_path / "k.cpp", [])
    assert set(re.findall(r"rtFunctionRegister\(.*\"(\w+)\", 0\)", whole)) == {"add", "mul"}
    numbers = re.search(r"elf\[\] = \{([\d,]+)\}", whole)
    assert numbers is not None
    assert functions(bytes(map(int, numbers[1].split(",")))) == ("add", "mul")


def test_a_binary_has_the_kernels_of_all_files(tmp_path: Path) -> None:
    for name in ("add", "mul"):
        (tmp_path / f"{name}.cpp").write_text(KERNEL.replace("add", name), encoding="utf-8")
    text = names([tmp_path / "add.cpp", tmp_path / "mul.cpp"], [])
    assert re.findall(r"(\w+)\(void\)", text) == ["add", "mul"]


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "k.cpp").write_text(KERNEL, encoding="utf-8")
    out = tmp_path / "out.cpp"
    main(["launchers", str(out), str(tmp_path / "k.cpp"), "--link=keep", f"--folders={tmp_path};"])
    assert 'extern "C" int keep();' in out.read_text(encoding="utf-8")
    main(["names", str(out), str(tmp_path / "k.cpp"), "--link=", "--folders="])
    assert "add(void)" in out.read_text(encoding="utf-8")
