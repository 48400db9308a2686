"""Other versions of torch and torch_npu than the pinned ones, by hand.

`python -m tests.clients.torch_npu.versions 2.14.0 2.9.0=2.9.0.post9` prints the rows of the table in
docs/clients/pytorch.md; the second is a plugin whose version differs from that of torch. Each version gets a virtual
environment from PyPI, which is removed at the end. A torch of PyPI is built for CUDA, without whose libraries it runs
here (`cuda.py`): it takes two gigabytes.

`python -m tests.clients.torch_npu.versions --bound 2.5.1` needs no torch. It lists the functions of CANN which the
plugin binds when it is loaded, and which the libraries of the toolkit lack.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from zipfile import ZipFile

from aclnn.tools.command.toolkit import toolkit
from tests.clients.torch_npu.environment import clean, environment

PROGRAMS = Path(__file__).with_name("programs")
FIRST = """\
import torch, torch_npu
torch.npu.set_device(0)
assert (torch.ones(2, 3).npu() @ torch.ones(3, 2).npu() + 1).cpu().tolist() == [[4, 4], [4, 4]]
"""
LEFT = {"device-not-reset", "stream-leaked", "event-leaked", "mem-leaked", "host-mem-leaked", "tensor-leaked"}
"""what the plugin leaves behind, which our allowances name for some versions only"""
COLUMNS = (("everyday",), ("optimisers",), ("models",), ("threads", "10"), ("ranks", "2"))
"""the programs, and their arguments, that follow the first steps"""
PACKAGES = (
    "filelock", "fsspec", "jinja2", "ml_dtypes", "networkx", "numpy", "pyyaml", "setuptools", "sympy",
    "typing_extensions",
)  # fmt: skip
"""that torch, the plugin and the emulator need"""
PATIENCE = 300
OF_CANN = re.compile(r"acl|Hccl|rt[A-Z]|GE[A-Z]|ge[A-Z]|_ZNK?2ge|hal|mstx|Msprof|prof[A-Z]")
"""how the names of CANN's functions begin"""


def symbols(library: Path, which: str) -> set[str]:
    """The names that a library defines, or those that it needs."""
    ran = subprocess.run(["nm", "-D", f"--{which}-only", str(library)], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in ran.stdout.splitlines()}


def absent(version: str) -> list[str]:
    """The functions that the plugin of this version binds, and the toolkit lacks, as C++ writes them."""
    with tempfile.TemporaryDirectory() as name:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", name]
        subprocess.run([*pip, f"torch-npu=={version}"], check=True)
        with ZipFile(next(Path(name).glob("*.whl"))) as wheel:
            library = Path(wheel.extract("torch_npu/lib/libtorch_npu.so", name))
        toolkit(Path(name, "tk"), [])
        ours = {symbol for each in Path(name, "tk", "lib64").glob("*.so") for symbol in symbols(each, "defined")}
        lacking = sorted(symbol for symbol in symbols(library, "undefined") - ours if OF_CANN.match(symbol))
    ran = subprocess.run(["c++filt"], input="\n".join(lacking), capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


def install(version: str, folder: Path) -> Path:
    """A Python with these versions."""
    torch, _, plugin = version.partition("=")
    own = folder / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    pip = [str(own), "-m", "pip", "install", "--quiet", "--no-cache-dir", "--only-binary", ":all:"]
    subprocess.run([*pip, *PACKAGES], check=True)
    # the plugin asks for the torch without CUDA, which PyPI does not have
    subprocess.run([*pip, "--no-deps", f"torch=={torch}", f"torch-npu=={plugin or torch}"], check=True)
    clean(folder)
    return own


def outcome(python: Path, folder: Path, program: Path, *arguments: str) -> str:
    """`right`, or how the program ended."""
    command = [str(python), "-m", "aclnn", "run", "--npu", "--devices", "2", str(program), *arguments]
    cache = {"XDG_CACHE_HOME": str(folder / "cache")}
    try:
        ran = subprocess.run(command, env=environment(cache), cwd=folder, capture_output=True, encoding="utf-8",
                             errors="replace", timeout=PATIENCE, check=False)  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no end in {PATIENCE} s"
    found = sorted(set(re.findall(r"^(?:error|warning)\[([\w-]+)\]", ran.stderr, re.MULTILINE)) - LEFT)
    if ran.returncode == 0 and not found:
        return "right"
    if os.environ.get("VERBOSE"):
        sys.stderr.write(ran.stdout + ran.stderr)
    if ran.returncode == 0:
        return ", ".join(found)
    said = [line for line in ran.stderr.splitlines() if re.match(r"\w*(Error|Exception)\b.*:", line)]
    return f"exit status {ran.returncode}: {(said or ['no exception'])[-1][:120]}"


def outcomes(python: Path, folder: Path) -> list[str]:
    """One for each column of the table."""
    (folder / "first.py").write_text(FIRST, encoding="utf-8")
    found = [outcome(python, folder, folder / "first.py")]
    for name, *arguments in COLUMNS:
        found.append(outcome(python, folder, PROGRAMS / f"{name}.py", *arguments))
    return found


def row(version: str) -> str:
    """The row of the table."""
    since = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            python = install(version, folder)
        except subprocess.CalledProcessError as error:
            return f"| {version} | cannot be installed: pip ended with {error.returncode} |"
        print(f"{version}: installed after {time.monotonic() - since:.0f} s", file=sys.stderr, flush=True)
        found = outcomes(python, folder)
    print(f"{version}: {time.monotonic() - since:.0f} s in all", file=sys.stderr, flush=True)
    return f"| {version} | {' | '.join(found)} |"


def main() -> int:
    if sys.argv[1:2] == ["--bound"]:
        for version in sys.argv[2:]:
            print(f"{version}: {', '.join(absent(version)) or 'all are there'}", flush=True)
        return 0
    print("| version | first steps | everyday | optimisers | models | threads | two ranks |")
    print("|---|---|---|---|---|---|---|")
    for version in sys.argv[1:]:
        print(row(version), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
