"""`python samples [NAME ...]` runs all samples, or those with these names, each in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path


def main(names: list[str]) -> int:
    here = Path(__file__).resolve().parent
    every = {path.stem: path for path in sorted(here.glob("*.py")) if path.stem != "__main__"}
    unknown = [name for name in names if name not in every]
    if unknown:
        print(f"no sample is called {', '.join(unknown)}; the samples are {', '.join(every)}", file=sys.stderr)
        return 1
    try:
        return run({name: every[name] for name in names or every}, "all samples" if not names else ", ".join(names))
    except BrokenPipeError:  # `python samples | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def run(programs: dict[str, Path], which: str) -> int:
    failed = []
    for name, path in programs.items():
        print(f"== {name}", flush=True)
        pyacl = ("-m", "aclnn.pyacl") if name.startswith("pyacl_") else ()  # they import acl
        done = subprocess.run([sys.executable, *pyacl, str(path)], stdout=subprocess.PIPE, check=False)
        sys.stdout.buffer.write(done.stdout)  # written here, because this process handles a closed pipe
        if done.returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else f"{which} ran", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
