"""Run every sample, or those that are named, each in a process of its own: `python samples`."""

import subprocess
import sys
from pathlib import Path


def main(names: list[str]) -> int:
    here = Path(__file__).resolve().parent
    every = {path.stem: path for path in sorted(here.glob("*.py")) if path.stem != "__main__"}
    unknown = [name for name in names if name not in every]
    if unknown:
        print(f"no sample is called {', '.join(unknown)}; there are {', '.join(every)}", file=sys.stderr)
        return 1
    failed = []
    for name in names or every:
        print(f"== {name}", flush=True)
        pyacl = ("-m", "aclnn.pyacl") if name.startswith("pyacl_") else ()  # they say `import acl`
        if subprocess.run([sys.executable, *pyacl, str(every[name])], check=False).returncode:
            failed.append(name)
    which = "all samples" if not names else ", ".join(names)
    print(f"failed: {', '.join(failed)}" if failed else f"{which} ran")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
