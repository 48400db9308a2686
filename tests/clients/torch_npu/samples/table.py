"""The result: totals, what has no reason, and the page with the table of operators."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.clients.torch_npu.samples.outcomes import Outcome

REASONS = Path(__file__).with_name("reasons.toml")
JUDGED = (Outcome.RIGHT, Outcome.DIFFERS, Outcome.FOUND, Outcome.FAILED)
"""the samples all of whose functions have a kernel, and which the plugin computes on the device"""
WRONG = JUDGED[1:]
EXPLAINED = (*WRONG, Outcome.NOT_COMPARED)
"""the outcomes that rows of reasons explain"""
Results = Iterable[Mapping[str, Any]]


def reasons() -> list[dict[str, str]]:
    import tomllib  # Python 3.11

    return tomllib.loads(REASONS.read_text(encoding="utf-8"))["row"]


def reason(op: str, outcome: str) -> str:
    """Why samples of an operator differ or fail; empty if no row says it."""
    rows = (row for row in reasons() if row["outcome"] == outcome and re.fullmatch(row["ops"], op))
    return next((f"{row['why']} ({row['by']})" for row in rows), "")


def totals(results: Results) -> Counter[str]:
    found = Counter[str]()
    for each in results:
        found.update(each["counts"])
    return found


def summary(results: Results) -> str:
    """One line for each outcome, and the share of right samples."""
    found = totals(results)
    judged = sum(found[each] for each in JUDGED)
    lines = [f"{found[each]:7} {each.value}" for each in Outcome]
    share = f"{found[Outcome.RIGHT] / judged:.1%} of {judged}" if judged else "none"
    return "\n".join([*lines, f"right, of the samples all of whose functions have a kernel: {share}"])


def outcomes(results: Results) -> str:
    """The summary, as a table of a page."""
    *counted, share = summary(results).splitlines()
    rows = [line.split(maxsplit=1) for line in counted]
    lines = ["| samples | outcome |", "|---:|---|", *(f"| {number} | {name} |" for number, name in rows)]
    return "\n".join([*lines, "", f"{share[0].upper()}{share[1:]}."])


def unexplained(results: Results) -> list[str]:
    """Operators that differ or fail, and no row says why."""
    found: list[str] = []
    for each in results:
        op, dtype = each["pair"].split()
        for outcome in WRONG:
            if each["counts"].get(outcome) and not reason(op, outcome):
                why = next(iter(each["reasons"].get(outcome, {"": 0})))
                found.append(f"{op} {dtype}: {each['counts'][outcome]} {outcome.value}: {why}")
    return found


def unused(results: Results) -> list[str]:
    """Rows of the reasons that no operator needs any more."""
    explained = {
        (each["pair"].split()[0], outcome) for each in results for outcome in EXPLAINED if each["counts"].get(outcome)
    }
    return [
        row["ops"] for row in reasons()
        if not any(outcome == row["outcome"] and re.fullmatch(row["ops"], op) for op, outcome in explained)
    ]  # fmt: skip


def page(results: Results) -> str:
    """The page of the operators of PyTorch."""
    results = list(results)
    by_op: dict[str, Counter[str]] = defaultdict(Counter)
    said: dict[str, dict[str, None]] = defaultdict(dict)
    for each in results:
        op = each["pair"].split()[0]
        by_op[op].update(each["counts"])
        for outcome, texts in each["reasons"].items():
            if outcome == Outcome.NO_KERNEL:
                said[op] |= dict.fromkeys(f"no kernel: {name}" for name in texts)
            if outcome == Outcome.REFUSED_BY_FUNCTION:
                said[op] |= dict.fromkeys(f"{text.split()[0]} refuses" for text in texts)
            if outcome == Outcome.REFUSED:
                said[op] |= dict.fromkeys(map(refusal, texts))
            if outcome in EXPLAINED and (why := reason(op, outcome)):
                said[op][why] = None
    columns = [Outcome.RIGHT, Outcome.DIFFERS, Outcome.NOT_COMPARED, Outcome.FAILED, Outcome.NO_KERNEL,
               Outcome.REFUSED_BY_FUNCTION, Outcome.REFUSED, Outcome.FELL_BACK]  # fmt: skip
    head = ["operator", *(each.value for each in columns), "notes"]
    rows = [head, ["---"] * len(head)]
    for op, counts in sorted(by_op.items()):
        if set(counts) != {Outcome.RIGHT.value}:
            rows.append([op, *(str(counts[each] or "") for each in columns), "; ".join(said[op])])
    right = sorted(op for op, counts in by_op.items() if set(counts) == {Outcome.RIGHT.value})
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return INTRODUCTION.format(summary=outcomes(results), table=table, count=len(right), right=", ".join(right))


def refusal(text: str) -> str:
    """Why the plugin refuses, in a few words."""
    if found := re.search(r"OPS function error: (\w+)", text):
        return f"the plugin takes the older operator {found[1]}, which the emulator has not"
    if found := re.search(r"(\w+) or \w+GetWorkspaceSize not in libopapi", text):
        return f"{found[1]} does not exist here"
    return text.partition(": ")[2].partition(" [ERROR]")[0][:90].replace("|", "/")


INTRODUCTION = """\
# PyTorch's operators with torch_npu

PyTorch has samples of arguments for its operators (`op_db`). This page counts the results of all samples on the
emulated Ascend910B1 with torch 2.13.0 and torch_npu 2.13.0, in float32, float16, bfloat16, int64 and bool, compared
with the CPU by PyTorch's tolerances. `python -m tests.clients.torch_npu.samples --table
docs/clients/torch_npu_operators.md` writes it.

{summary}

- **right**: as on the CPU. 16-bit results may also be those of float32 on the CPU, rounded once.
- **differs**, **failed**: the reason is in the notes.
- **not compared**: the values differ from those of the CPU, and PyTorch's own test does not compare them. Most are
  random numbers, memory that nobody wrote, or one of several right results. This is not counted as right.
- **no kernel**: the emulator has no formula for the function.
- **refused by contract**: an aclnn function refuses the arguments, as documented; so would an NPU.
- **refused**: the plugin itself refuses the call, or uses an operator that is not an aclnn function.
- **on the CPU**: the plugin has no operator for the NPU and computes on the CPU. This is not counted as right.

## Operators with other outcomes

{table}

## Operators whose samples are all right

{count} operators: {right}.
"""
