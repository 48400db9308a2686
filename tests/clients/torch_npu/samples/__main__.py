"""The command: start the workers, restart those that end early, write the results and the table."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.clients.torch_npu.environment import ROOT, environment, installed
from tests.clients.torch_npu.samples import table
from tests.clients.torch_npu.samples.outcomes import Outcome

WORKER = Path(__file__).with_name("worker.py")
DEVICE_LOST = 3
"""the exit code of a worker whose device has failed"""
HANGS = 120
"""seconds without a word after which a worker is stopped"""


def lines(file: Path) -> list[dict[str, Any]]:
    """The lines that a worker has written; the last one may be cut."""
    found = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def begun(file: Path) -> str | None:
    """The operator and data type that a worker has begun but not finished."""
    last = lines(file)[-1:]
    return last[0].get("begin") if last else None


def watched(command: list[str], file: Path) -> int:
    """Run a worker; stop it if it writes nothing for a long time."""
    with tempfile.TemporaryFile() as log, subprocess.Popen(command, cwd=ROOT, env=environment({}), stderr=log) as child:
        size, since = -1, time.monotonic()
        while child.poll() is None:
            time.sleep(0.5)
            now = file.stat().st_size if file.exists() else 0
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > HANGS:
                child.kill()
        return child.returncode


def part(python: Path, asked: argparse.Namespace, number: int, folder: Path) -> list[dict[str, Any]]:
    """All samples of one worker; it is started again behind an operator that ends or stops it."""
    file = folder / f"{number}.jsonl"
    given = ["--out", str(file), "--part", f"{number}/{asked.jobs}", "--most", str(asked.most)]
    given += ["--seed", str(asked.seed), "--ops", asked.ops, "--dtypes", asked.dtypes, "--share", str(asked.share)]
    while True:
        done = ",".join(each["pair"] for each in lines(file) if "pair" in each)
        code = watched([str(python), "-m", "aclnn", "run", "--npu", str(WORKER), *given, "--done", done], file)
        lost = begun(file)
        if lost is None and code == DEVICE_LOST:
            continue
        if lost is None:
            return [each for each in lines(file) if "pair" in each]
        reason = f"the process ended with {code}" if code != -9 else f"no answer in {HANGS} s"
        result = {"pair": lost, "counts": {Outcome.FAILED: 1}, "reasons": {Outcome.FAILED: {reason: 1}}, "seconds": 0}
        with file.open("a", encoding="utf-8") as out:
            out.write("\n" + json.dumps(result) + "\n")


def run(python: Path, asked: argparse.Namespace) -> list[dict[str, Any]]:
    """The results of all workers."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        parts = pool.map(lambda number: part(python, asked, number, Path(folder)), range(asked.jobs))
        return sorted((each for found in parts for each in found), key=lambda each: each["pair"])


def options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.clients.torch_npu.samples")
    parser.add_argument("--most", type=int, default=0, help="samples of each operator and data type; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1, help="of the operators and data types, drawn with the seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--ops", default=".*", help="a regular expression")
    parser.add_argument("--dtypes", default="float32,float16,bfloat16,int64,bool")
    parser.add_argument("--results", type=Path, help="write the results as lines of JSON")
    parser.add_argument("--table", type=Path, help="write the table of operators as a page")
    return parser.parse_args(words)


def main() -> int:
    asked = options(sys.argv[1:])
    results = run(installed(), asked)
    if asked.results:
        asked.results.write_text("".join(json.dumps(each) + "\n" for each in results), encoding="utf-8")
    if asked.table:
        asked.table.write_text(table.page(results), encoding="utf-8")
    print(table.summary(results))
    for line in (unexplained := table.unexplained(results)):
        print(line)
    return 1 if unexplained else 0


if __name__ == "__main__":
    raise SystemExit(main())
