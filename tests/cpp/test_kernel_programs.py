"""Programs as public samples of the runtime have them: built by their build file, some with kernels of their own that
C++ functions replace. Each prints what the sample prints, and makes no finding."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cpp.conftest import HERE, Run, first
from tests.helpers.patience import PATIENCE

SOURCES = HERE / "kernels"
PROCESSES = {
    "basics": {
        "system_info": """
            [INFO]  version: 1 1, run mode: 1
            [INFO]  1.625: 0x3e80, 1.625
            [INFO]  sizes: 4 2 8""",
        "error_handling": """
            [INFO]  null: 100000, peek: 0, last: 0, message: 1
            [INFO]  error type: 0
            [INFO]  peek: 0, last: 0, message: 0""",
        "context_query": "[INFO]  default stream: 1, cores: 24 48",
        "reduce_task": "[INFO]  2 4 6 8",
        "overflow_detection": """
            [INFO]  mode: 0, switch: 1
            [INFO]  status: 0
            [INFO]  status: 0""",
        "copy_between_hosts": "[INFO]  Host data: 123 123",
        "value_in_memory": "[INFO]  value: 123",
        "device_p2p": """
            [INFO]  peer access: 1
            [INFO]  value: 103""",
        "stream_config_query": "[INFO]  skipped: no aclrtCreateStreamConfigHandle",
    },
    "copies": {
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
    },
    "binaries": {
        "launch_simple": "[INFO]  simple: SUCCESS",
        "launch_placeholder": "[INFO]  placeholder: SUCCESS",
        "launch_with_reslimit": "[INFO]  limit: 8" + "\nHello World" * 8,
        "zero_copy": "[INFO]  zero copy: SUCCESS",
        "managed_memory": "[INFO]  managed memory: SUCCESS",
    },
    "streams": {
        "simple_stream": """
            [INFO]  default stream: 1
            [INFO]  created stream: 2
            [INFO]  stream query: 0
            [INFO]  after 3000 launches: 3002""",
        "event_status": """
            [INFO]  after create: 0
            [INFO]  after record: 0
            [INFO]  after synchronize: 1
            [INFO]  value: 1""",
        "event_timestamp": """
            [INFO]  value: 0
            [INFO]  value: 1
            [INFO]  later: 1, elapsed: 3000 ms""",
        "multi_stream": """
            [INFO]  ordered by a synchronize: 2
            [INFO]  a wait of 1000 ms: 507046
            [INFO]  ordered by an event: 2
            [INFO]  a wait of 1000 ms: 507047
            [INFO]  ordered by a notify: 2""",
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
    },
    "failures": {
        "exception_callback": """
            [INFO]  last task: 2
            [INFO]  arguments: 0, kernel: 0
            [INFO]  0 bytes of error_op
            [INFO]  exception: task 2, stream 1, device 0, error code 507035
            [INFO]  synchronize: 507035
            [INFO]  last error: 507035
            [INFO]  message: 1""",
        "failure_mode": """
            [INFO]  synchronize: 507035
            [INFO]  value: 2
            [INFO]  synchronize: 507035
            [INFO]  value: 1
            [INFO]  state of a stream: 1
            [INFO]  end: 0
            [INFO]  state of a stream: 2
            [INFO]  state of a stream: 1
            [INFO]  end: 0
            [INFO]  state of a stream: 2""",
    },
    "queues": {
        "simple_channel": """
            [INFO]  channel size: 1
            [INFO]  items: 1, tensor type: 0, data type: 0
            [INFO]  bytes: 16, dims: (2, 2), first value: 1.000
            [INFO]  channel size: 0""",
        "channel_capacity": """
            [INFO]  slice information: 0, 0 of 0
            [INFO]  channel size: 1
            [INFO]  channel size: 2
            [INFO]  third tensor: 207014
            [INFO]  channel size: 0""",
        "simple_queue": """
            [INFO]  queue: simple_queue, depth: 4
            [INFO]  id: 1""",
        "queue_route": """
            [INFO]  queue: source, depth: 4
            [INFO]  queue: destination, depth: 4
            [INFO]  routes: 1, source: 1, destination: 1, status: 1
            [INFO]  queue with a route: 500001""",
    },
    "tasks": {
        "runtime_compatibility": """
            [INFO]  version: 1
            [INFO]  attributes: 3, supported: 1 1 1
            [INFO]  compatible: 1
            [INFO]  capable: 0""",
        "random_numbers": """
            [INFO]  normal: 128, 1
            [INFO]  truncated normal: 128, 1
            [INFO]  uniform halves: 128, 1
            [INFO]  uniform integers: 128, 1
            [INFO]  bytes of the mask: 16, 1""",
        "custom_allocator": """
            [INFO]  allocation: 256
            [INFO]  advice: 128
            [INFO]  allocation: 128
            [INFO]  free: 0
            [INFO]  free: 0
            [INFO]  allocations: 2, frees: 2""",
    },
    "models": {
        "simple_label": "[INFO]  label 1: 1, label 0: 0",
        "model_switch": """
            3.4
            0.0
            5.4
            3.4
            4.4
            5.4""",
        "simple_model": "6.4 8.4 10.4 12.4 14.4 16.4 18.4 20.4\n" * 4,
        "model_update": """
            5.4 6.4 7.4 8.4 9.4 10.4 11.4 12.4
            7.6 8.6 9.6 10.6 11.6 12.6 13.6 14.6""",
        "cond_model": """
            3.0 4.0 5.0 6.0
            5.0 6.0 7.0 8.0
            0.0 0.0 0.0 0.0
            0.0 0.0 0.0 0.0
            7.0 8.0 9.0 10.0""",
        "model_sync_external": """
            [INFO]  outside, inside: 1
            [INFO]  inside, outside: 2
            [INFO]  between models: 2""",
    },
    "sharing": {
        "physical_memory_sharing": """
            Source data: 123
            [INFO]  with pid: 123
            Source data: 124
            [INFO]  without pid: 124
            Source data: 125
            [INFO]  cross server: 125""",
    },
    "keys": {
        "memory_by_key": """
            Source data: 123
            Destination data: 123
            Source data: 123
            Destination data: 123""",
        "notify_by_key": """
            Source data: 123
            Destination data: 123
            Source data: 123
            Destination data: 123""",
    },
    "symbols": {
        "symbol_copies": """
            [INFO]  bytes: 12, here: 0
            [INFO]  first value: 5, middle of the table: 2
            [INFO]  sum: 36, on the host: 5
            [INFO]  no symbol: 107043
            [INFO]  message: 1""",
        "launch_with_threads": """
            [INFO]  blocks: 6, threads: 128
            [INFO]  blocks: 128, threads: 6""",
    },
    "operators": {
        "hello_cann": "1.5 3.0 4.5 6.0 7.5 9.0 10.5 12.0",
        "mstx_with_domain": "1.2 2.2 3.2 5.4 6.4 7.4 9.6 10.6",
        "dumps": """
            [INFO]  path: 0
            1.0 2.0 3.0 5.0 6.0 7.0 10.0 11.0
            1.0 2.0 3.0 5.0 6.0 7.0 10.0 11.0
            [INFO]  chunks: 0
            1.0 2.0 3.0 5.0 6.0 7.0 10.0 11.0""",
        "profiling": """
            1.2 2.2 3.2 5.4 6.4 7.4 9.6 10.6
            [INFO]  stamps: 1""",
        "save_exception_info": """
            1.0 2.0 3.0 5.0 6.0 7.0 10.0 11.0
            [INFO]  path: 500001
            [INFO]  saved: 500001""",
        "subscribe_model": """
            [INFO]  subscribed: 100011
            1.2 2.2 3.2 5.4 6.4 7.4 9.6 10.6
            [INFO]  unsubscribed: 100011
            [INFO]  bytes: 0""",
    },
}
"""the lines that programs print; those of a process run one after the other"""
ENVIRONMENT = {
    "basics": {"ACL_EMULATOR_DEVICE_COUNT": "2", "ACL_EMULATOR_ALLOW": "stale-errmsg"},
    "operators": {"ACL_EMULATOR_ALLOW": "ignored-ret"},
    "keys": {"ACL_EMULATOR_DEVICE_COUNT": "4"},
    "symbols": {"ACL_EMULATOR_SOC": "Ascend950PR_9599"},
}
"""a program asks for the text of an error a second time, to show that it is null; others print statuses and go on"""
LINES = {name: lines for process in PROCESSES.values() for name, lines in process.items()}


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


def assert_prints(names: list[str], programs: Path, run: Run, environment: dict[str, str] | None = None) -> None:
    """Run programs in one process, and compare what they print."""
    ran = run(programs / "bin" / "programs", str(programs / "fatbin"), *names, environment=environment)
    expected = [line.strip() for name in names for line in LINES[name].strip().splitlines()]
    assert [line.rstrip() for line in ran.stdout.splitlines()] == expected, ran.stderr
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.fidelity("ascendc.cmake")
@pytest.mark.parametrize("process", PROCESSES)
def test_programs(process: str, programs: Path, run: Run) -> None:
    assert_prints([*PROCESSES[process]], programs, run, ENVIRONMENT.get(process))


@pytest.mark.parametrize("schedule", ["eager", "random", "threads"])
def test_other_schedules(schedule: str, programs: Path, run: Run) -> None:
    names = ["simple_stream", "copy_on_device_async", "launch_placeholder"]
    assert_prints(names, programs, run, {"ACL_EMULATOR_SCHEDULE": schedule})
