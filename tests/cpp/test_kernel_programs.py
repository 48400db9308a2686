"""Programs that launch kernels of their own, as public samples do: built by their build file, with C++ functions that
replace the kernels. Each prints what the sample prints, and makes no finding."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cpp.conftest import HERE, Run, first
from tests.helpers.patience import PATIENCE

SOURCES = HERE / "kernels"
LINES = {
    "vector_add": "1.5 3.0 4.5 6.0 7.5 9.0 10.5 12.0",
    "device_multi_thread": """
        [INFO]  soc name: Ascend910B1
        [INFO]  devices: 1, status: 0, run mode: 1
        [INFO]  vector cores: 1
        0 2 4 6 8 10 12 14 16 18""",
    "copy_to_device": """
        [INFO]  Host data: 123
        Destination data: 123""",
    "copy_to_device_async": """
        [INFO]  Host data: 123
        Destination data: 123""",
    "copy_to_host": """
        Source data: 123
        [INFO]  Host data: 123""",
    "copy_to_host_async": """
        Source data: 123
        [INFO]  Host data: 123""",
    "copy_on_device": """
        Source data: 123
        Destination data: 123""",
    "copy_on_device_async": """
        Source data: 123
        Destination data: 123""",
    "zero_copy": "[INFO]  zero copy: SUCCESS",
    "simple_stream": """
        [INFO]  default stream: 1
        [INFO]  created stream: 2
        [INFO]  stream query: 0
        [INFO]  after 3000 launches: 3002""",
    "failure_mode": """
        [INFO]  synchronize: 507035
        [INFO]  value: 2
        [INFO]  synchronize: 507035
        [INFO]  value: 1""",
    "multi_stream": """
        [INFO]  ordered by a synchronize: 2
        [INFO]  a wait of 1000 ms: 507046
        [INFO]  ordered by an event: 2
        [INFO]  a wait of 1000 ms: 507047""",
    "event_status": """
        [INFO]  after create: 0
        [INFO]  after record: 0
        [INFO]  after synchronize: 1
        [INFO]  value: 1""",
    "event_timestamp": """
        [INFO]  value: 0
        [INFO]  value: 1
        [INFO]  later: 1, elapsed: 3000 ms""",
    "callback_hostfunc": """
        [INFO]  host function: 520
        [INFO]  value: 1""",
    "report_callback": """
        [INFO]  host function: 520
        [INFO]  host function: 520
        [INFO]  host function: 520
        [INFO]  host function: 520
        [INFO]  host function: 520
        [INFO]  host function: 520
        [INFO]  value: 1""",
    "exception_callback": """
        [INFO]  last task: 2
        [INFO]  arguments: 0, kernel: 0
        [INFO]  0 bytes of error_op
        [INFO]  exception: task 2, stream 1, device 0, error code 507035
        [INFO]  synchronize: 507035
        [INFO]  last error: 507035
        [INFO]  message: 1""",
    "launch_simple": "[INFO]  simple: SUCCESS",
    "launch_placeholder": "[INFO]  placeholder: SUCCESS",
    "launch_with_reslimit": "[INFO]  limit: 8" + "\nHello World" * 8,
}


@pytest.fixture(scope="session")
def programs(cpp: list[str], toolkit: Path, built: Path) -> Path:
    """The folder into which the build file installs the programs and the binaries of kernels."""
    if shutil.which("cmake") is None:
        pytest.skip("no cmake here")
    assert cpp
    folder = built / "kernel_programs"
    with first(folder) as mine:
        if mine:
            script = f"""
                source {toolkit}/set_env.sh
                export ACL_EMULATOR_KERNELS={SOURCES}/functions.cpp
                cmake -S {SOURCES} -B {folder} -DCMAKE_INSTALL_PREFIX={folder}/out
                cmake --build {folder} -j 2
                cmake --install {folder}"""
            environment = {"PATH": os.environ["PATH"]}
            done = subprocess.run(
                ["bash", "-euc", script], capture_output=True, text=True, env=environment, timeout=PATIENCE, check=False
            )
            assert done.returncode == 0, done.stdout + done.stderr
    return folder / "out"


@pytest.mark.fidelity("ascendc.cmake")
@pytest.mark.parametrize("name", LINES)
def test_a_program_with_kernels(name: str, programs: Path, run: Run) -> None:
    ran = run(programs / "bin" / "programs", name, str(programs / "fatbin"))
    expected = [line.strip() for line in LINES[name].strip().splitlines()]
    assert [line.rstrip() for line in ran.stdout.splitlines()] == expected, ran.stderr
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("schedule", ["eager", "random", "threads"])
@pytest.mark.parametrize("name", ["simple_stream", "copy_on_device_async", "launch_placeholder"])
def test_other_schedules(name: str, schedule: str, programs: Path, run: Run) -> None:
    environment = {"ACL_EMULATOR_SCHEDULE": schedule}
    ran = run(programs / "bin" / "programs", name, str(programs / "fatbin"), environment=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.split() == LINES[name].split()
