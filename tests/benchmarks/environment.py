"""The computer and the versions with which something was measured."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def environment() -> dict[str, str]:
    """The machine and the versions."""
    return {
        "processor": processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "caches": caches(),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: package(name) for name in ("numpy", "ml_dtypes", "torch")},
    }


def package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def processor() -> str:
    """The name of the processor in the kernel, with its widest vector instructions."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    facts = dict(line.split(":", 1) for line in reversed(lines) if ":" in line)
    found = {name.strip(): text.strip() for name, text in facts.items()}
    flags = found.get("flags", "").split()
    vectors = next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags), "no AVX2")
    return f"{found.get('model name', 'unknown')}, {vectors}"


def caches() -> str:
    """Of the first core."""
    folder = Path("/sys/devices/system/cpu/cpu0/cache")
    found = [
        f"L{(each / 'level').read_text().strip()} {(each / 'size').read_text().strip()}"
        for each in sorted(folder.glob("index*"))
        if (each / "type").read_text().strip() != "Instruction"
    ]
    return ", ".join(found) or "unknown"
