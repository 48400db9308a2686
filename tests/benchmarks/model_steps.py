"""Training steps through torch_npu: the time of the processor, beside that of the CPU alone and of another tree.

    python -m tests.benchmarks.model_steps [OTHER_TREE] [--rounds N] [--loaded] [WORD ...]

The words choose the models whose name has all of them. With `--loaded`, two busy loops run beside, and the emulator has
its default threads.

The models are those of `tests/clients/torch_npu/programs/step_cost.py`, with one thread each. The sides take turns,
each in a process of its own. A row has the median of each side, and the median of the ratios of one turn; so other
programs on the computer change the ratios little.
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path
from statistics import median

from tests.benchmarks.everyday import busy
from tests.benchmarks.turns import Tree
from tests.clients.torch_npu.environment import environment, installed

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests/clients/torch_npu/programs/step_cost.py"
STEPS = 3
"""the steps of one turn, of which the fastest counts"""


def server(tree: Path, given: dict[str, str]) -> Tree:
    """A process of a tree that makes training steps."""
    command = installed(), "-m", "aclnn", "run", "--npu", PROGRAM, "--serve"
    return Tree(tree, command, **environment({"PYTHONPATH": str(tree), **given}))


def compared(model: str, sides: list[tuple[str, Tree]], rounds: int) -> list[list[float]]:
    """The milliseconds of each side, by turn. Two turns of warming up do not count."""
    found: list[list[float]] = [[] for _ in sides]
    for turn in range(rounds + 2):
        for number in range(len(sides)) if turn % 2 else reversed(range(len(sides))):
            device, tree = sides[number]
            found[number].append(tree.ask(f"{device} {STEPS} {model}"))
    return [times[2:] for times in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--loaded", action="store_true")
    options = parser.parse_args()
    other = [Path(word).resolve() for word in options.words[:1] if Path(word).is_dir()]
    words = options.words[len(other) :]
    given = {} if options.loaded else {"ACL_EMULATOR_THREADS": "1"}
    mine = server(ROOT, given)
    sides = [("cpu", mine), ("npu", mine), *[("npu", server(tree, given)) for tree in other]]
    with busy() if options.loaded else nullcontext():
        _compare(sides, words, options.rounds)


def _compare(sides: list[tuple[str, Tree]], words: list[str], rounds: int) -> None:
    for model in sides[0][1].cases:
        if all(word in model for word in words):
            cpu, npu, *before = compared(model, sides, rounds)
            row = f"{model:44}{median(cpu):9.1f} ms{median(npu):9.1f} ms, {_ratio(npu, cpu):6.2f} times the CPU"
            print(row + "".join([f", {_ratio(npu, old):5.2f} times the other tree" for old in before]), flush=True)


def _ratio(one: list[float], other: list[float]) -> float:
    return median([a / b for a, b in zip(one, other, strict=True)])


if __name__ == "__main__":
    main()
