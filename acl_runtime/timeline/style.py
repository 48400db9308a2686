"""The style sheets of the picture and its page, with a light and a dark theme. They use no CSS variables, as some
viewers of SVG do not support them."""

from collections.abc import Mapping
from typing import Final

LIGHT: Final = {
    "ground": "#ffffff", "text": "#1f2328", "soft": "#59636e", "line": "#d1d9e0", "band": "#f6f8fa",
    "instant": "#eef1f4", "call": "#818b98", "memory": "#1b7c83", "launch": "#0969da", "wait": "#9a6700",
    "task": "#1a7f37", "mark": "#8250df", "failed": "#cf222e", "error": "#cf222e", "warning": "#9a6700",
    "advice": "#0969da", "on": "#ffffff", "curve": "#1b7c83",
}  # fmt: skip
DARK: Final = {
    "ground": "#0d1117", "text": "#f0f6fc", "soft": "#9198a1", "line": "#3d444d", "band": "#151b23",
    "instant": "#1c232c", "call": "#7d8590", "memory": "#2a9da6", "launch": "#4493f8", "wait": "#d29922",
    "task": "#3fb950", "mark": "#ab7df8", "failed": "#f85149", "error": "#f85149", "warning": "#d29922",
    "advice": "#4493f8", "on": "#0d1117", "curve": "#2a9da6",
}  # fmt: skip
FILLED: Final = ("ground", "band", "instant", "call", "memory", "launch", "task", "mark", "failed")
FONT: Final = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", sans-serif'


def _colours(colours: Mapping[str, str]) -> str:
    rules = [f".{name} {{ fill: {colours[name]} }}" for name in FILLED]
    rules += [f".level-{level} {{ fill: {colours[level]} }}" for level in ("error", "warning", "advice")]
    rules += [
        f"text {{ fill: {colours['text']} }}",
        f".soft {{ fill: {colours['soft']} }}",
        f".on {{ fill: {colours['on']} }}",
        f".grid {{ stroke: {colours['line']} }}",
        f".tip rect {{ fill: {colours['ground']} }}",
        f".wait {{ fill: {colours['wait']} }} .stripe {{ stroke: {colours['ground']} }}",
        f".arrow {{ stroke: {colours['launch']} }} .arrowhead {{ fill: {colours['launch']} }}",
        f".order {{ stroke: {colours['mark']} }} .orderhead {{ fill: {colours['mark']} }}",
        f".curve {{ fill: {colours['curve']}; stroke: {colours['curve']} }}",
        f".bad {{ fill: {colours['failed']} }} .strong {{ fill: {colours['text']} }}",
        f"a:focus .body, .item:focus .body, .item:target .body {{ stroke: {colours['text']} }}",
        f".leader {{ stroke: {colours['soft']} }}",
    ]
    return "\n".join(f"  {rule}" for rule in rules)


SVG: Final = f"""
  text {{ font: 12px {FONT} }}
  .small {{ font-size: 11px }}
  .title {{ font-size: 13px; font-weight: 600 }}
  .label {{ font-size: 11px; pointer-events: none }}
  .tiny {{ font-size: 9px }}
  .above {{ font-size: 10px; pointer-events: none }}
  .beside {{ font-size: 11px; pointer-events: none }}
  .grid {{ stroke-width: 1 }}
  .arrow, .order {{ fill: none; stroke-width: 1.2; opacity: .55; pointer-events: none }}
  .order {{ stroke-dasharray: 4 3; opacity: .9 }}
  .leader {{ stroke-dasharray: 2 2; pointer-events: none }}
  .stripes {{ pointer-events: none }}
  .stripe {{ stroke-width: 2; opacity: .3 }}
  .curve {{ fill-opacity: .25; stroke-width: 1.5 }}
  .tip {{ display: none; pointer-events: none }}
  .item:hover .tip, .item:focus .tip, a:hover .tip, a:focus .tip {{ display: block }}
  .faint .arrow {{ opacity: .25 }} .hidden .arrow {{ display: none }}
  .item:hover .arrow, .item:focus .arrow {{ display: inline; opacity: 1; stroke-width: 2.5 }}
  .item:focus, a:focus {{ outline: none }}
  a:focus .body, .item:focus .body, .item:target .body {{ stroke-width: 2 }}
  a:hover .body, .item:hover .body {{ opacity: .8 }}
{_colours(LIGHT)}
  @media (prefers-color-scheme: dark) {{
{_colours(DARK)}
  }}"""

PAGE: Final = f"""
  :root {{ color-scheme: light dark }}
  body {{ margin: 1.5rem auto; max-width: 84rem; padding: 0 1rem; font: 15px/1.5 {FONT};
         color: {LIGHT["text"]}; background: {LIGHT["ground"]} }}
  h1 {{ font-size: 1.4rem; margin: 0 0 .25rem }} h2 {{ font-size: 1.1rem; margin: 1.5rem 0 .5rem }}
  p {{ margin: .25rem 0 .75rem }}
  .frame {{ border: 1px solid {LIGHT["line"]}; border-radius: 6px; overflow: clip }}
  .picture {{ overflow-x: auto }}
  .panel {{ position: sticky; bottom: 0; min-height: 5.4rem; max-height: 45vh; overflow-y: auto;
            padding: .35rem .75rem; font-size: 13px;
            border-top: 1px solid {LIGHT["line"]}; border-radius: 0 0 6px 6px; background: {LIGHT["ground"]} }}
  .panel p {{ margin: 0 }}
  .about {{ display: none; font: 12px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
            white-space: pre-wrap; overflow-wrap: anywhere }}
  .run {{ font-weight: 600; margin-bottom: 0; overflow-wrap: anywhere }} h1 {{ overflow-wrap: anywhere }}
  .legend {{ display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: .5rem 0; padding: 0;
             font-size: 12px }}
  .legend svg {{ margin-right: .4rem; vertical-align: -1px; overflow: visible }}
  .picture:focus-visible {{ outline: 2px solid {LIGHT["launch"]} }}
  .layers {{ display: grid; width: max-content }} .layers svg {{ display: block; grid-area: 1 / 1 }}
  .names {{ position: sticky; left: 0; pointer-events: none }} .names text {{ pointer-events: auto }}
  table {{ border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }}
  th, td {{ text-align: left; padding: .15rem .75rem .15rem 0; border-bottom: 1px solid {LIGHT["line"]};
            vertical-align: top }}
  td.number, th.number {{ text-align: right }}
  code, pre {{ font: 12px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }}
  .scroll {{ overflow: auto; max-height: 32rem }}
  ol.findings {{ padding-left: 1.5rem }} ol.findings li {{ margin-bottom: .75rem }}
  .findings pre {{ margin: 0; white-space: pre-wrap }} .findings p {{ margin: 0; font-size: 13px }}
  .findings strong {{ padding: 0 .35em; border-radius: 4px; border: 1px solid }}
  .error strong {{ color: {LIGHT["error"]} }} .warning strong {{ color: {LIGHT["warning"]} }}
  .advice strong {{ color: {LIGHT["advice"]} }}
  li:target {{ outline: 2px solid {LIGHT["launch"]}; outline-offset: 4px }}
  summary {{ cursor: pointer }} .note {{ color: {LIGHT["soft"]} }}
  .skip {{ position: absolute; left: -100rem }} .skip:focus {{ position: static }}
  @media (prefers-color-scheme: dark) {{
    body {{ color: {DARK["text"]}; background: {DARK["ground"]} }} a {{ color: {DARK["launch"]} }}
    .panel {{ background: {DARK["ground"]} }}
    .frame, .panel, th, td {{ border-color: {DARK["line"]} }} .note {{ color: {DARK["soft"]} }}
    .picture:focus-visible, li:target {{ outline-color: {DARK["launch"]} }}
    .error strong {{ color: {DARK["error"]} }} .warning strong {{ color: {DARK["warning"]} }}
    .advice strong {{ color: {DARK["advice"]} }}
  }}"""
