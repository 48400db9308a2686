"""`python -m tests.mutations [WORD ...]`: one-line mistakes in the sources, and which of them no test notices."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutations.listed import ALL, named, share
from tests.mutations.mutation import Mutation
from tests.mutations.run import Result, Verdict, judge
from tests.mutations.trees import Evaluator, Tree


def run(chosen: list[Mutation], at_once: int, seconds: float) -> Counter[Verdict]:
    """Run mutations, each in one of so many copies of the project. After so many seconds no more of them begin."""
    end, found = time.monotonic() + seconds, Counter[Verdict]()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(at_once) as threads:
        evaluator = Evaluator(Path(folder, "objects"))
        trees = SimpleQueue[Tree]()
        for number in range(at_once):
            trees.put(Tree(Path(folder, f"tree{number}"), evaluator))

        def one(number: int) -> Result | None:
            if time.monotonic() > end:
                return None
            tree = trees.get()
            try:
                return judge(tree, chosen[number], number)
            finally:
                trees.put(tree)

        for mutation, result in zip(chosen, threads.map(one, range(len(chosen))), strict=True):
            if result is not None:
                found[result.verdict] += 1
                print(f"{result.verdict.value:8} {mutation.file}: {mutation.name}\n         {result.why}", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("words", nargs="*", metavar="WORD", help="a part of a name or of a file; all by default")
    parser.add_argument("--share", metavar="SEED/N", help="one N-th of the list, drawn by this seed (any text)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin none after so many seconds")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, help="so many at once; all processors by default")
    asked = parser.parse_args()
    chosen = named(asked.words) if asked.words else list(ALL)
    if asked.share:
        seed, _, parts = asked.share.rpartition("/")
        chosen = share(seed, int(parts))
    if not chosen:
        parser.error("no mutation has such a name or file")
    found = run(chosen, asked.j, asked.seconds)
    judged = found[Verdict.KILLED] + found[Verdict.SURVIVED]
    left = len(chosen) - found.total()
    rest = [f"{found[each]} {each.value}" for each in (Verdict.UNSOUND, Verdict.SKIPPED) if found[each]]
    print(f"{found[Verdict.KILLED]} of {judged} killed", *rest, *([f"{left} not begun"] if left else []), sep="; ")
    return bool(found[Verdict.SURVIVED] or found[Verdict.UNSOUND])


if __name__ == "__main__":
    sys.exit(main())
