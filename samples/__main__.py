"""Run every sample, each in a process of its own: `python samples`."""

import subprocess
import sys
from pathlib import Path


def main() -> int:
    here = Path(__file__).resolve().parent
    failed = []
    for sample in sorted(path for path in here.glob("*.py") if path.stem != "__main__"):
        print(f"== {sample.stem}", flush=True)
        if subprocess.run([sys.executable, str(sample)], check=False).returncode:
            failed.append(sample.stem)
    print(f"failed: {', '.join(failed)}" if failed else "all samples ran")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
