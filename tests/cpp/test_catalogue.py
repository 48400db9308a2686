"""The toolkit has every documented function: the prototypes, headers and symbols are those of the facts, the compiler
accepts them, and each function passes its arguments on unchanged."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aclnn.catalogue
from aclnn.ops import FIRST
from aclnn.tools.toolkit.build import build
from aclnn.tools.toolkit.directory import OTHERS
from aclnn.tools.toolkit.exported_functions import declarations
from tests.cpp.conftest import ROOT, Build, Run

DATA = Path(aclnn.catalogue.__file__).with_name("data")
EXECUTOR, STREAM = ("aclOpExecutor *", "executor"), ("aclrtStream", "stream")
DOCUMENT = {("aclnnPreluBackward", "gradInput"): "gradIntput"}
"""names that the documents of the operators with a class print; those of the facts come from headers"""
Parameters = list[tuple[str, str]]


def facts() -> Iterator[dict[str, Any]]:
    """The lines of the data files."""
    for path in sorted(DATA.glob("*.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def phases(fact: dict[str, Any]) -> Iterator[tuple[str, Parameters]]:
    """The functions of a line, with their parameters: C type and name."""
    own = [(each["type"], DOCUMENT.get((fact["name"], each["name"]), each["name"])) for each in fact["params"]]
    if fact.get("phases") == 1:
        yield fact["name"], own
        return
    yield f"{fact['name']}{FIRST}", [*own, ("uint64_t *", "workspaceSize"), ("aclOpExecutor **", "executor")]
    const = "const " * fact.get("const_workspace_size", False)
    size = (f"{const}uint64_t", fact.get("workspace_size_name", "workspaceSize"))
    stream = ("const " * fact.get("const_stream", False) + STREAM[0], STREAM[1])
    yield fact["name"], [("void *", "workspace"), size, EXECUTOR, stream]


FUNCTIONS = {name: (fact["header"], parameters) for fact in facts() for name, parameters in phases(fact)}
NAMES = sorted(FUNCTIONS)


def spelled(parameters: Parameters) -> str:
    return ", ".join(f"{kind}{name}" if kind[-1] in "*&" else f"{kind} {name}" for kind, name in parameters)


def test_each_header_declares_what_the_facts_say_of_it(toolkit: Path) -> None:
    """Names, types, const and order. A header of an operator declares nothing else."""
    assert len(NAMES) > 2100
    for header in {header for header, _ in FUNCTIONS.values()}:
        text = (toolkit / "include" / header).read_text(encoding="utf-8")
        found = dict(re.findall(r"^ACLNN_API aclnnStatus (\w+)\((.*)\);$", text, re.MULTILINE))
        assert found == {name: spelled(given) for name, (at, given) in FUNCTIONS.items() if at == header}


def test_python_declares_the_same_functions() -> None:
    """The functions that Python makes have the prototypes and headers that the facts alone give."""
    declared = {each.name: each for each in declarations()}
    assert declared.keys() >= FUNCTIONS.keys()
    for name in NAMES:
        made = getattr(aclnn, name).c
        assert (made.prototype, made.header) == (declared[name].prototype, declared[name].header)


def test_the_compiler_finds_the_types_of_the_facts(cpp: list[str], toolkit: Path, tmp_path: Path) -> None:
    """The type of each function is that of the facts; a const that is no part of the type is in the text above."""
    headers = sorted({header for header, _ in FUNCTIONS.values()})
    lines = [f'#include "{header}"' for header in headers]
    for name in NAMES:
        kinds = ", ".join(kind for kind, _ in FUNCTIONS[name][1])
        lines.append(f'static_assert(std::is_same<decltype(&{name}), aclnnStatus (*)({kinds})>::value, "{name}");')
    source = tmp_path / "types.cpp"
    source.write_text("#include <type_traits>\n" + "\n".join(lines) + "\n", encoding="utf-8")
    line = [*cpp, "-std=c++11", "-fsyntax-only", f"-I{toolkit}/include", str(source)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_libraries_have_a_symbol_for_each_function(toolkit: Path) -> None:
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", str(toolkit / "lib64" / "libopapi.so")],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert {line.split()[-1] for line in listed.splitlines()} >= set(NAMES)
    for other in OTHERS:
        assert (toolkit / "lib64" / other).samefile(toolkit / "lib64" / "libopapi.so")


def test_a_header_brings_only_its_own_functions(cpp: list[str], toolkit: Path, tmp_path: Path) -> None:
    """A program that includes one header of an operator does not pay for the others."""
    source = tmp_path / "one.cpp"
    source.write_text('#include "aclnnop/aclnn_add.h"\n', encoding="utf-8")
    line = [*cpp, "-E", f"-I{toolkit}/include", str(source)]
    text = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    found = set(re.findall(r"\b(aclnn\w+)\(", text))
    own = {name for name, (header, _) in FUNCTIONS.items() if header == "aclnnop/aclnn_add.h"}
    assert found == own | {"aclnnInit", "aclnnFinalize"}


ECHO = """\
import ctypes, random, sys
from aclnn.tools.toolkit.exported_functions import declarations, exported

library = ctypes.CDLL(sys.argv[1])
declared = exported(declarations())
table = (ctypes.c_void_p * len(declared)).in_dll(library, "aclnn_table")
texts = (ctypes.c_char_p * len(declared)).in_dll(library, "aclnn_prototypes")
draw = random.Random(18)

def value(kind):
    if issubclass(kind, ctypes.Structure):
        return kind.from_buffer_copy(draw.randbytes(ctypes.sizeof(kind)))
    if kind in (ctypes.c_float, ctypes.c_double):
        return draw.randrange(-1 << 20, 1 << 20) / 16
    if kind is ctypes.c_bool:
        return draw.random() < 0.5
    return kind(draw.getrandbits(64)).value

def plain(one):
    return bytes(one) if isinstance(one, ctypes.Structure) else one

checked = 0
for number, each in enumerate(declared):
    assert texts[number].decode() == each.prototype
    if each.variadic:
        continue
    kinds = [ctype.raw for _, ctype in each.parameters]
    type_ = ctypes.CFUNCTYPE(each.result.raw, *kinds)
    given, got = [value(kind) for kind in kinds], []
    result = None if each.result.raw is None else value(each.result.raw)
    callback = type_(lambda *args: got.append(list(args)) or result)
    before, table[number] = table[number], ctypes.cast(callback, ctypes.c_void_p).value
    answer = type_((each.name, library))(*given)
    table[number] = before
    assert ([[plain(one) for one in got[0]]], answer) == ([[plain(one) for one in given]], result), each.prototype
    checked += 1
print(checked)
"""


def test_each_function_passes_its_arguments_and_its_result_on(toolkit: Path) -> None:
    """Each is called with random arguments of its types, and its callback returns a random result."""
    line = [sys.executable, "-c", ECHO, str(toolkit / "lib64" / "libascendcl.so")]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > len(NAMES)


LOOKED_UP = """\
from aclnn.catalogue.facts import facts
from aclnn.ops.contracts import without_formula
from aclnn.tools.toolkit.exported_functions import find

assert find("aclnnStatus aclnnFatreluMulGetWorkspaceSize(const aclTensor *input, const aclTensor *threshold, "
            "const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)")
print(facts.cache_info().currsize, without_formula.cache_info().currsize)
"""


def test_a_call_makes_no_other_function() -> None:
    done = subprocess.run([sys.executable, "-c", LOOKED_UP], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "1 1\n"


def test_a_program_calls_functions_without_a_kernel(build: Build, run: Run) -> None:
    ran = run(build("catalogued"))
    assert ran.stdout.splitlines() == [
        "null: 161001", "plan: 0, workspace 0", "launch: 561003", "says why", "references: 161002", "one phase: 561003",
    ]  # fmt: skip


def test_a_toolkit_costs_few_compilations(cpp: list[str], tmp_path: Path) -> None:
    """`aclnn toolkit` takes 3 s on two cores. Tests run beside each other, so the time of the processors is compared
    with that of a small program's compilation: a toolkit takes 16 to 20 times as long."""
    source = tmp_path / "small.cpp"
    source.write_text(
        "#include <iostream>\n#include <map>\n#include <string>\n#include <vector>\nint main() { std::cout << 1; }\n"
    )
    ratios: list[float] = []
    for turn in range(2):
        before = sum(os.times()[:4])
        build(tmp_path / f"toolkit {turn}")
        between = sum(os.times()[:4])
        for _ in range(4):
            subprocess.run([*cpp, "-O2", "-c", str(source), "-o", str(tmp_path / "small.o")], check=True)
        ratios.append((between - before) / (sum(os.times()[:4]) - between) * 4)
    assert min(ratios) < 32
