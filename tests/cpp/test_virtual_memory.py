"""C++ programs with virtual memory, against the toolkit: pools, memory of the host, other processes, mistakes."""

import signal

import pytest

from tests.cpp.conftest import Build, Run, line_of

FILE = "virtual_memory.cpp"


@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
def test_a_pool_grows_by_mapping_more_memory(build: Build, run: Run, schedule: str) -> None:
    """Reserve a large range once; map a handle behind the last; unmap, free and release at the end."""
    ran = run(build("virtual_memory"), "pool", environment={"ACL_EMULATOR_SCHEDULE": schedule})
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "2 handles\n", "")


def test_a_pool_ends_before_the_memory_of_the_host_does(build: Build, run: Run) -> None:
    """The device has 64 GiB, the host 9 MiB for it: four blocks of 2 MiB can be written."""
    ran = run(build("virtual_memory"), "exhausted", environment={"ACL_EMULATOR_HOST_BYTES": str(9 << 20)})
    assert (ran.returncode, ran.stdout) == (0, "207001 after 5 blocks, host\n"), ran.stderr


def test_memory_of_the_host_is_memory_of_the_program(build: Build, run: Run) -> None:
    ran = run(build("virtual_memory"), "host")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_handles_do_not_leave_their_process(build: Build, run: Run) -> None:
    """The process that exported a handle cannot import it, and nobody can after its end (107000)."""
    program = build("virtual_memory")
    ran = run(program, "share")
    assert ran.returncode == 0, ran.stderr
    status, number = ran.stdout.split()
    assert status == "107000"
    ran = run(program, "import", number)
    assert (ran.returncode, ran.stdout) == (0, "107000\n"), ran.stderr


FOUND = {
    "hole": "error[unmapped-access]: dst is 4194304 bytes at virtual memory 1 + 0x0, but the device cannot access "
    "virtual memory 1 + 0x200000: nothing is mapped there.",
    "hole-of-the-host": "error[unmapped-access]: src is 64 bytes at virtual memory 1 + 0x200000",
    "unmapped-early": "error[io-freed-early]: the 2097152 bytes at virtual memory 1 + 0x0 are unmapped",
    "leaked": "warning[mem-leaked]: 1 x 2097152 bytes of virtual memory were never released",
    "struct-nowhere": "error[host-overrun]: prop",
}


@pytest.mark.parametrize("what", FOUND)
def test_a_mistake_is_found(what: str, build: Build, run: Run) -> None:
    ran = run(build("virtual_memory"), what)
    assert ran.returncode == 0, ran.stderr
    assert FOUND[what] in ran.stderr
    assert line_of(FILE, what) in ran.stderr
    assert ran.stderr.count("error[") + ran.stderr.count("warning[") == 1, ran.stderr


ENDED = {
    "dereference": "virtual memory 1 + 0x8 is memory of a device: the host can access it only with aclrtMemcpy.",
    "dereference-of-a-hole": "Nothing is mapped to virtual memory 1 + 0x200000.",
    "dereference-of-released": "virtual memory 1 + 0x0 was released.",
    "output-nowhere": "neither in device memory nor a handle",
}


@pytest.mark.parametrize("what", ENDED)
def test_a_dereference_that_ends_the_process_is_explained(what: str, build: Build, run: Run) -> None:
    ran = run(build("virtual_memory"), what)
    assert ran.returncode == -signal.SIGSEGV
    assert ENDED[what] in ran.stderr
    assert line_of(FILE, what) in ran.stderr
