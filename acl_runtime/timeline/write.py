"""Writing the picture of a trace to a file."""

import os
from collections.abc import Mapping, Sequence

from acl_runtime.timeline.chinese import translated
from acl_runtime.timeline.contents import TraceContents, part
from acl_runtime.timeline.draw import svg
from acl_runtime.timeline.geometry import layout
from acl_runtime.timeline.page import page
from acl_runtime.timeline.ranks import merged
from acl_runtime.timeline.read import read

Trace = Mapping[str, object]
"""a trace of `machine.chrome_trace()`"""


def _contents(trace: Trace | Sequence[Trace], start: float | None, end: float | None) -> TraceContents:
    """The contents of a trace, or of the traces of several ranks."""
    return part(read(trace) if isinstance(trace, Mapping) else merged([read(each) for each in trace]), start, end)


def as_html(
    trace: Trace | Sequence[Trace], start: float | None = None, end: float | None = None, lang: str = "en"
) -> str:
    """The page of a trace, or of the traces of several ranks; `start` and `end` choose a part of it, in simulated
    microseconds. `lang`: en or zh."""
    contents = _contents(trace, start, end)
    text = page(contents, layout(contents))
    return translated(text) if lang == "zh" else text


def as_svg(trace: Trace | Sequence[Trace], start: float | None = None, end: float | None = None) -> str:
    """The SVG of a trace, or of the traces of several ranks."""
    contents = _contents(trace, start, end)
    return svg(contents, layout(contents)) + "\n"


def write(
    trace: Trace | Sequence[Trace], path: str | os.PathLike[str], start: float | None = None, end: float | None = None,
    lang: str = "en",
) -> None:  # fmt: skip
    """Write the SVG if `path` ends in `.svg`, else the page. `lang`: the language of the page."""
    alone = os.fspath(path).lower().endswith(".svg")
    text = as_svg(trace, start, end) if alone else as_html(trace, start, end, lang)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
