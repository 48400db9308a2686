"""docs/performance.md and its picture, from what a run of the benchmarks wrote to docs/performance.json.

python -m tests.benchmarks.page             writes them
python -m tests.benchmarks.page --check     tells which of them are stale, and fails if any is
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks import table
from tests.benchmarks.measured import Measured
from tests.benchmarks.others import TITLES, shown, summaries
from tests.benchmarks.page_text import ACCURACY, EXPECT, HEAD, MEMORY, METHOD, MISSED, RATIOS
from tests.benchmarks.picture import picture

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
WIDTH = 120
AS_IT_IS = ("|", "#", "<", "!")
"""the beginnings of blocks that are not prose"""
LIMIT = 32 << 20
"""bytes that a call may need besides its workspace"""


def page(record: dict[str, Any]) -> str:
    """The text."""
    cases = [Measured.from_json(each) for each in record["cases"]]
    large = [one for one in cases if one.size == "large"]
    small = [one for one in cases if one.size != "large"]
    others = [
        "\n\n".join(
            [f"## {title}", introduction, *summaries(name, record[name]), table.markdown(shown(name, record[name]))]
        )
        for name, (title, introduction) in TITLES.items()
        if record.get(name)
    ]
    sections: list[str] = [
        HEAD.format(json="performance.json", command=record["command"]),
        EXPECT.format(**words(cases), sizes=table.markdown(sizes(cases))),
        RATIOS.format(
            goals=f"{goals(cases)} {busy(record['environment'])}".strip(),
            large=table.markdown(table.table(table.TIMES, large)),
            small=table.markdown(table.table(table.TIMES, small)),
        ),
        *missed(cases, record.get("tiny_call", {}).get("pair and synchronise")),
        *others,
        *thorough([one for one in cases if one.error is not None]),
        METHOD.format(command=record["command"], environment=environment(record["environment"])),
    ]
    return wrapped("\n\n".join(sections)) + "\n"


def thorough(cases: Sequence[Measured]) -> list[str]:
    """The sections that a quick run leaves out."""
    if not cases:
        return []
    return [
        MEMORY.format(limit=LIMIT >> 20, table=table.markdown(table.table(table.MEMORY, cases))),
        ACCURACY.format(table=table.markdown(table.table(table.ACCURACY, cases))),
    ]


def sizes(cases: Sequence[Measured]) -> table.Table:
    """The float32 times, from the least tensors to the largest."""
    shown = [one for size in ("tiny", "medium", "large") for one in cases if (one.size, one.dtype) == (size, "float32")]
    return ["float32", "one call"], [[one.title, table.duration(one.ours)] for one in shown]


def words(cases: Sequence[Measured]) -> dict[str, str]:
    """Sentences that follow from the figures; empty without figures."""
    tiny = [one.ours for one in cases if one.size == "tiny"]
    shares = [one.floor_share for one in cases if one.floor_share is not None and one.dtype == "float32"]
    single = {one.title: one.ours for one in cases if one.dtype == "float32" and one.size == "large"}
    factors = {
        dtype: [one.ours / single[one.title] for one in cases if one.dtype == dtype and one.title in single]
        for dtype in ("bfloat16", "float16")
    }
    halves = ", ".join(f"{dtype} {spread(each, '.1f')} times" for dtype, each in factors.items() if each)
    mixed = [seconds for title, seconds in single.items() if "mixed" in title]
    same = [seconds for title, seconds in single.items() if "transposed" in title]
    return {
        "tiny": f"A thousand calls take {spread([1000 * each for each in tiny], '.2f')} s." if tiny else "",
        "large": f"float32 uses {spread(shares, '.0%')} of the memory's bandwidth." if shares else "",
        "half": f"The time of a large call relative to float32: {halves}." if halves else "",
        "mixed": f"If only one input is transposed, a call takes {mixed[0] / same[0]:.1f} times as long as if both are."
        if mixed and same
        else "",
    }


def spread(values: Sequence[float], form: str) -> str:
    """The range of values as text."""
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def goals(cases: Sequence[Measured]) -> str:
    """A sentence with the number of goals that are met."""
    judged = [one.met for one in cases if one.met is not None]
    rest = "" if all(judged) else " [The others](#goals-that-are-not-met) have their limits beside them."
    return f"{sum(judged)} of {len(judged)} goals were met in this run.{rest}"


def busy(facts: dict[str, str]) -> str:
    """A warning, if more programs ran than there are cores."""
    least = facts.get("load", "0").partition(" ")[0]
    if float(least) <= 2 * int(facts["cores"]):
        return ""
    return (
        f"Other programs ran at the same time (load {facts['load']}, on {facts['cores']} cores), which made each time "
        "longer. torch with two threads suffers most, then small and medium calls. So these figures are rough, and the "
        "ratios may differ by half on a quiet machine."
    )


def missed(cases: Sequence[Measured], call: float | None) -> list[str]:
    """The section with the limits of the goals that are not met. `call`: the time of a tiny call, for operators without
    one of their own."""
    rows: list[list[str]] = []
    tiny = {(one.op, one.dtype): one.ours for one in cases if one.size == "tiny"}
    for one in cases:
        if one.met is False and one.torch is not None:
            alone = tiny.get((one.op, one.dtype), call)
            limits = [None if each is None else each / one.torch for each in (one.floor, one.alone, alone)]
            shown = ["–" if each is None else f"{each:.2f}" for each in limits]
            goal = one.goal or 0
            verdict = table.out_of_reach(goal, limits, None if alone is None else alone / one.torch)
            rows.append([one.title, one.dtype, f"{one.ratio:.2f}", f"{goal:g}", *shown, verdict])
    columns = ["case", "data type", "ratio", "goal", "bytes alone", "numpy alone", "a call alone", "out of reach here"]
    return [MISSED.format(table=table.markdown((columns, rows)))] if rows else []


def wrapped(text: str) -> str:
    """Lines of prose no longer than WIDTH; tables, headings and comments as they are."""
    return "\n\n".join(block if block.startswith(AS_IT_IS) else fill(block) for block in text.split("\n\n"))


def fill(block: str) -> str:
    """A paragraph, or a list."""
    items = [" ".join(item.split()) for item in ("\n" + block).split("\n- ")]
    first = [textwrap.fill(items[0], WIDTH, break_on_hyphens=False, break_long_words=False)] if items[0] else []
    rest = [textwrap.fill(f"- {item}", WIDTH, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
            for item in items[1:]]  # fmt: skip
    return "\n".join(first + rest)


def environment(facts: dict[str, str]) -> str:
    return table.markdown((["what", "which"], [[name, text] for name, text in facts.items()]))


def files() -> dict[str, str]:
    """The contents of each rendered file, by its name in docs."""
    record = json.loads((DOCS / "performance.json").read_text(encoding="utf-8"))
    cases = [Measured.from_json(each) for each in record["cases"]]
    return {"performance.md": page(record), "performance.svg": picture(cases)}


def main(arguments: list[str]) -> int:
    """Write the stale files, or only list them with --check."""
    check = "--check" in arguments
    stale = {
        name: text
        for name, text in files().items()
        if not (DOCS / name).is_file() or (DOCS / name).read_text(encoding="utf-8") != text
    }
    for name, text in stale.items():
        if not check:
            (DOCS / name).write_text(text, encoding="utf-8")
        print(f"{'stale' if check else 'wrote'} docs/{name}")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
