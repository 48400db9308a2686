"""Writing the picture of a trace to a file."""

import os
from collections.abc import Mapping

from acl_runtime.timeline.chinese import translated
from acl_runtime.timeline.contents import part
from acl_runtime.timeline.draw import svg
from acl_runtime.timeline.geometry import layout
from acl_runtime.timeline.page import page
from acl_runtime.timeline.read import read


def as_html(trace: Mapping[str, object], start: float | None = None, end: float | None = None, lang: str = "en") -> str:
    """The page of a trace of `machine.chrome_trace()`; `start` and `end` choose a part of it, in simulated
    microseconds. `lang`: en or zh."""
    contents = part(read(trace), start, end)
    text = page(contents, layout(contents))
    return translated(text) if lang == "zh" else text


def as_svg(trace: Mapping[str, object], start: float | None = None, end: float | None = None) -> str:
    """The SVG of a trace of `machine.chrome_trace()`."""
    contents = part(read(trace), start, end)
    return svg(contents, layout(contents)) + "\n"


def write(
    trace: Mapping[str, object], path: str | os.PathLike[str], start: float | None = None, end: float | None = None,
    lang: str = "en",
) -> None:  # fmt: skip
    """Write the SVG if `path` ends in `.svg`, else the page. `lang`: the language of the page."""
    alone = os.fspath(path).lower().endswith(".svg")
    text = as_svg(trace, start, end) if alone else as_html(trace, start, end, lang)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
