"""The picture of the page: our time over torch's for each case, as SVG for light and dark backgrounds.

A bar starts at the time of torch. It goes to the left if we are faster, to the right if we are slower. The axis is
logarithmic; a notch is a goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from math import log10

from tests.benchmarks.measured import Measured

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 900, 270, 60, 62, 34
BAR, GAP, BETWEEN = 11, 3, 11
STYLE = """
  .ground { fill: #ffffff } .text { fill: #24292f } .soft { fill: #57606a } .grid { stroke: #d8dee4 }
  .one { stroke: #24292f } .goal { stroke: #24292f } .halo { stroke: #ffffff }
  .float32 { fill: #2f81f7 } .bfloat16 { fill: #2da44e } .float16 { fill: #d9730d }
  text { font: 12px system-ui, sans-serif } .small { font-size: 11px } .title { font-size: 15px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .text { fill: #e6edf3 } .soft { fill: #9198a1 } .grid { stroke: #30363d }
    .one { stroke: #e6edf3 } .goal { stroke: #e6edf3 } .halo { stroke: #0d1117 }
    .float32 { fill: #58a6ff } .bfloat16 { fill: #3fb950 } .float16 { fill: #f0883e }
  }"""


def picture(measured: Sequence[Measured]) -> str:
    """SVG of the cases that have a ratio and a goal."""
    shown = [(one, one.ratio, one.goal) for one in measured if one.ratio is not None and one.goal is not None]
    values = [number for _, ratio, goal in shown for number in (ratio, goal)] or [1.0]
    low, high = min(*values, 0.1) / 1.2, max(*values, 10.0) * 1.2

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (log10(value) - log10(low)) / (log10(high) - log10(low))

    parts: list[str] = []
    y = float(TOP)
    for title, bars in groupby(shown, key=lambda each: each[0].title):
        group = list(bars)
        height = len(group) * (BAR + GAP) - GAP
        middle = y + height / 2 + 4
        parts.append(f'<text class="text" x="{LEFT - 12}" y="{middle:.1f}" text-anchor="end">{escape(title)}</text>')
        for one, ratio, goal in group:
            parts += _bar(one.dtype, x(1), x(ratio), x(goal), y, f"{ratio:.2f}")
            y += BAR + GAP
        y += BETWEEN
    end = y - BETWEEN + 6
    ticks = [tick for tick in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if low <= tick <= high]
    lines = {tick: f'x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP - 8}" y2="{end:.1f}"' for tick in ticks}
    grid = [f'<line class="{"one" if tick == 1 else "grid"}" {line}/>' for tick, line in lines.items()]
    labels = [f'<text class="soft small" x="{x(tick):.1f}" y="{end + 16:.1f}" text-anchor="middle">'
              f'{"torch" if tick == 1 else f"{tick:g}"}</text>' for tick in ticks]  # fmt: skip
    height = end + BOTTOM
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
            f'height="{height:.0f}" role="img" aria-label="Our time over torch\'s, by case and data type">',
            f"<style>{STYLE}\n</style>",
            f'<rect class="ground" width="{WIDTH}" height="{height:.0f}" rx="8"/>',
            '<text class="text title" x="16" y="26">Our time over torch’s (the better of 1 and 2 threads)</text>',
            *_legend(),
            f'<text class="soft small" x="{x(1) - 8:.1f}" y="{TOP - 14}" text-anchor="end">← quicker than torch</text>',
            f'<text class="soft small" x="{x(1) + 8:.1f}" y="{TOP - 14}">slower →</text>',
            *grid,
            *parts,
            *labels,
            "</svg>\n",
        ]
    )


def _bar(dtype: str, one: float, ratio: float, goal: float, y: float, label: str) -> list[str]:
    left, width = min(one, ratio), max(abs(ratio - one), 1.5)
    notch = f'x1="{goal:.1f}" x2="{goal:.1f}" y1="{y - 1:.1f}" y2="{y + BAR + 1:.1f}"'
    return [
        f'<rect class="{dtype}" x="{left:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BAR}" rx="2"/>',
        f'<line class="halo" stroke-width="4" {notch}/>',
        f'<line class="goal" stroke-width="2" {notch}/>',
        f'<text class="text small" x="{WIDTH - 16}" y="{y + BAR - 1.5:.1f}" text-anchor="end">{label}</text>',
    ]


def _legend() -> list[str]:
    parts: list[str] = []
    at = WIDTH - 345
    for dtype in ("float32", "bfloat16", "float16"):
        parts.append(f'<rect class="{dtype}" x="{at}" y="16" width="12" height="12" rx="2"/>')
        parts.append(f'<text class="text" x="{at + 17}" y="26">{dtype}</text>')
        at += 86
    parts.append(f'<line class="goal" stroke-width="2" x1="{at + 6}" x2="{at + 6}" y1="15" y2="29"/>')
    parts.append(f'<text class="text" x="{at + 14}" y="26">goal</text>')
    return parts
