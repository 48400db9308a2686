"""ggml's CANN backend configures, compiles and links against the toolkit, unmodified, and finds the machine's devices.

This needs cmake, a C++ compiler and the source of ggml, and so is run by name only: pytest tests/clients/ggml.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.clients import pages
from tests.clients.ggml.conftest import HERE, PAGE, InToolkit, project

PROGRAM = "build/bin/test-backend-ops"


def test_the_page_of_the_client_does_what_it_says(built: Path) -> None:
    """It configures, compiles and links the backend, and lists the devices. The fixture reads the page."""
    both = pages.pinned(HERE / "requirements.txt") | pages.pinned(HERE / "gguf.txt")
    assert pages.installed(PAGE) == {each for each in both if not each.startswith("pyyaml")}  # gguf needs that
    assert (built / PROGRAM).is_file()


def test_the_backend_is_linked_against_the_toolkit(built: Path) -> None:
    """And not against a CANN that this host may have."""
    (library,) = {path.resolve() for path in (built / "build").rglob("libggml-cann.so*")}
    listed = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
    assert "[libascendcl.so]" in listed
    assert f"{built}/tk/lib64" in listed


@pytest.mark.fidelity("npu-smi")
@pytest.mark.parametrize("soc", ["Ascend910B3", "Ascend310P3"])
def test_without_a_name_it_asks_npu_smi_for_the_chip(
    soc: str, built: Path, in_toolkit: InToolkit, tmp_path: Path
) -> None:
    ran = in_toolkit("cmake", *project(built), "-B", str(tmp_path), "-DGGML_CANN=ON", ACL_EMULATOR_SOC=soc)
    assert ran.returncode == 0, ran.stderr
    assert f"SOC_VERSION auto-detected is:{soc}\n" in ran.stdout


@pytest.mark.parametrize(("count", "soc"), [(1, "Ascend910B1"), (2, "Ascend910B4")])
def test_the_program_lists_the_devices_of_the_machine(count: int, soc: str, in_toolkit: InToolkit) -> None:
    """`support` asks each device which operations it takes. ggml's own code answers that, after it has opened the
    device through the runtime."""
    ran = in_toolkit(PROGRAM, "support", ACL_EMULATOR_DEVICE_COUNT=str(count), ACL_EMULATOR_SOC=soc)
    assert ran.returncode == 0, ran.stderr
    assert f"Testing {count + 1} devices" in ran.stdout  # those of the machine, and the CPU
    assert re.findall(r"Backend \d+/\d+: (CANN\d+)\n  Device description: (\w+)\n", ran.stdout) == [
        (f"CANN{number}", soc) for number in range(count)
    ]
    assert "error[" not in ran.stderr


CASE = "NEG(type=f32,ne_a=[128,2,2,2],v=0)"


@pytest.mark.parametrize(("asked", "mode"), [("on", "GRAPH"), ("off", "EAGER")])
def test_a_build_with_graphs_captures_them_where_it_is_asked(
    asked: str, mode: str, with_graphs: Mapping[str, str], in_toolkit: InToolkit, tmp_path: Path
) -> None:
    trace = tmp_path / "trace.json"
    ran = in_toolkit(
        PROGRAM, "test", "-b", "CANN0", "-o", CASE,
        **{**with_graphs, "GGML_CANN_ACL_GRAPH": asked, "ACL_EMULATOR_TRACE_FILE": str(trace)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert f"execution mode is {mode}" in ran.stderr
    assert ("aclmdlRIExecuteAsync" in trace.read_text(encoding="utf-8")) == (asked == "on")
