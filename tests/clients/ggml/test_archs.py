"""llama.cpp's own test of model architectures, test-llama-archs, on the emulated device.

    ACLNN_EXHAUSTIVE=1 pytest -s tests/clients/ggml/test_archs.py
    ACLNN_GGML_ARCHS=llama,qwen3 ACLNN_EXHAUSTIVE=1 pytest ...      some architectures

For each architecture the program makes a tiny model with random weights, and compares its logits with those of the
backend for the CPU. Then it saves the model, loads it and compares again. Each architecture has a process of its own;
two run at the same time.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.clients.downloads import kept, key
from tests.clients.ggml.conftest import InToolkit, Ran
from tests.clients.ggml.expected import Expected

pytest.importorskip("tomllib", reason="Python 3.10 cannot read TOML")
pytestmark = pytest.mark.skipif(
    os.environ.get("ACLNN_EXHAUSTIVE") != "1", reason="a quarter of an hour of one core: ACLNN_EXHAUSTIVE=1 runs it"
)
CHOSEN = [name for name in os.environ.get("ACLNN_GGML_ARCHS", "").split(",") if name]
SOURCES = ("tests/test-llama-archs.cpp", *(f"common/{name}.cpp" for name in ("common", "json", "log", "unicode")))
"""the library common has more, and takes minutes; what it lacks here is in functions that the program does not use"""
INCLUDED = ("common", "include", "ggml/include", "src", "vendor")
UNUSED = ("-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections")
NAME = re.compile(r'\{ LLM_ARCH_\w+, +"([\w-]+)"')
OPTIONS = {"GGML_CANN_WEIGHT_NZ": "off", "GGML_NO_BACKTRACE": "1", "ACL_EMULATOR_ALLOWANCES": "ggml-0.3.36"}
"""the weights are FLOAT, which aclnnTransMatmulWeight refuses"""
Architecture = Callable[[str], Ran]


@pytest.fixture(scope="module")
def names(source: Path) -> list[str]:
    """The architectures that llama.cpp knows. The program passes over those that it does not test."""
    found = NAME.findall((source / "src" / "llama-arch.cpp").read_text(encoding="utf-8"))
    return [name for name in found if name != "unknown" and (not CHOSEN or name in CHOSEN)]


@pytest.fixture(scope="module")
def architecture(built: Path, source: Path, in_toolkit: InToolkit) -> Architecture:
    """Run the program for an architecture."""
    in_toolkit("cmake", "--build", "build", "-j", "2", "--target", "llama").check_returncode()
    with kept(f"archs-{key(str(built), *SOURCES)}") as (folder, done):
        program = folder / "test-llama-archs"
        if not done:
            info = folder / "build-info.cpp"
            template = (source / "common" / "build-info.cpp.in").read_text(encoding="utf-8")
            info.write_text(re.sub(r"@\w+@", "0", template), encoding="utf-8")
            libraries = ("-lllama", "-lggml", "-lggml-base", "-lpthread", f"-Wl,-rpath,{built}/build/bin")
            in_toolkit(
                "c++", "-std=c++17", "-O1", *UNUSED, *(f"-I{source / each}" for each in INCLUDED),
                *(str(source / each) for each in SOURCES), str(info), "-o", str(program), "-Lbuild/bin", *libraries,
            ).check_returncode()  # fmt: skip
    return lambda name: in_toolkit(str(program), "-b", "CANN0", "-s", "1", "-a", name, **OPTIONS)


def outcome(ran: Ran) -> str:
    """The result of an architecture. untested: the program leaves it out, with any backend; then the end of its output
    may be missing"""
    if ran.returncode == 0:
        return "right" if "passed" in ran.stdout else "untested"
    return "wrong" if "failed" in ran.stdout else "stopped"


def test_all_architectures_have_the_logits_of_the_cpu_but_those_of_the_table(
    names: list[str], architecture: Architecture
) -> None:
    def run(name: str) -> tuple[str, str, Ran]:
        start, ran = time.monotonic(), architecture(name)
        print(f"{name:20} {outcome(ran)} {time.monotonic() - start:.1f} s", flush=True)
        return name, outcome(ran), ran

    with ThreadPoolExecutor(2) as pool:
        every = list(pool.map(run, names))
    found = {name: result for name, result, _ in every if result not in ("right", "untested")}
    said = {name: ran.stdout[-800:] + ran.stderr[-800:] for name, _, ran in every if name in found}
    assert found == {each.name: each.outcome for each in Expected().architectures if each.name in names}, said
    assert sum(result == "right" for _, result, _ in every) > len(names) // 2
    reports = [
        f"{name}: {line}" for name, _, ran in every if name not in found
        for line in ran.stderr.splitlines() if line.startswith(("error[", "warning["))
    ]  # fmt: skip
    assert not reports
