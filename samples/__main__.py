"""`python samples [NAME ...]` runs all samples, or those with these names, each with a machine of its own."""

import os
import runpy
import sys
import traceback
import unittest.mock
from pathlib import Path

from acl_runtime import Machine
from aclnn import pyacl

OPTIONS = {"devices_and_threads": {"ACL_EMULATOR_DEVICE_COUNT": "2"}}
"""by sample, the environment variables that set its options"""


def main(names: list[str]) -> int:
    here = Path(__file__).resolve().parent
    samples = {path.stem: path for path in sorted(here.glob("*.py")) if path.stem != "__main__"}
    unknown = [name for name in names if name not in samples]
    if unknown:
        print(f"no sample is called {', '.join(unknown)}; the samples are {', '.join(samples)}", file=sys.stderr)
        return 1
    try:
        return run({name: samples[name] for name in names or samples}, ", ".join(names) if names else "all samples")
    except BrokenPipeError:  # `python samples | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def run(programs: dict[str, Path], which: str) -> int:
    failed = []
    for name, path in programs.items():
        print(f"== {name}", flush=True)
        # a machine reads its options from the environment, which a sample may change
        with unittest.mock.patch.dict(os.environ, {**OPTIONS.get(name, {}), **os.environ}), Machine():
            if not ran(name, path):
                failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else f"{which} ran", flush=True)
    return 1 if failed else 0


def ran(name: str, path: Path) -> bool:
    """Run a sample as `python FILE` does. Returns True if it ended with status 0."""
    try:
        if name.startswith("pyacl_"):  # they import acl
            pyacl.run(path)
        else:
            runpy.run_path(str(path), run_name="__main__")
    except SystemExit as end:
        return not end.code
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception:
        traceback.print_exc()
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
