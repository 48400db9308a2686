"""The picture of README: a mistake of a program, and the report that names its line.

Its texts are those of a program of samples/mistakes, which is run for it. It has a dark ground of its own, so it looks
the same on a light and on a dark page.
"""

import re
import textwrap
from html import escape
from typing import Final

from aclnn.tools.pages.findings import stable
from aclnn.tools.pages.markdown import Files
from aclnn.tools.pages.mistakes import FOLDER, found

PICTURE: Final = "docs/mistake.svg"
PROGRAM: Final = FOLDER / "result_copied_early.py"
COLUMNS: Final = 108
"""characters in a line"""
WIDTH, STEP, MARGIN = 900, 18, 24
"""in pixels: of the picture, of a line, around the text"""
ACCENTS: Final = {"plain": "#d7dae0", "faint": "#8b93a1", "error": "#ff7b72", "help": "#7ee787"}
Line = tuple[str, str]
"""a text and its accent"""


def files() -> Files:
    """The function that returns the picture, by its path. Empty where only the packages are installed."""
    return {PICTURE: picture} if FOLDER.is_dir() else {}


def picture() -> str:
    """The picture as SVG."""
    lines = [*program(), ("", "plain"), *report()]
    height = 2 * MARGIN + STEP * len(lines)
    rows = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN + STEP * (number + 0.75):g}" fill="{ACCENTS[accent]}">{escape(text)}</text>'
        for number, (text, accent) in enumerate(lines)
        if text
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-labelledby="mistake-title">\n'
        '<title id="mistake-title">A program that copies a result before it waits, and the report</title>\n'
        "<style>text { font: 13px ui-monospace, Menlo, Consolas, monospace; white-space: pre }</style>\n"
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#161b22"/>\n{rows}\n</svg>\n'
    )


def program() -> list[Line]:
    """The lines from the launch to the mistake, with their numbers. The last one is the mistake."""
    place = int(re.search(r"--> \S+:(\d+)", found(PROGRAM)[1])[1])  # type: ignore[index]
    source = PROGRAM.read_text(encoding="utf-8").splitlines()
    first = max(number for number in range(1, place) if "aclnnSoftmaxBackward(" in source[number - 1])
    shown = textwrap.dedent("\n".join(source[first - 1 : place])).splitlines()
    return [
        (f"{'>' if number == place else ' '} {number} | {text}"[:COLUMNS], "error" if number == place else "plain")
        for number, text in enumerate(shown, first)
    ]


def report() -> list[Line]:
    """The finding, its line, and the help."""
    text = stable(found(PROGRAM)[1]).splitlines()
    accents = {"error[": "error", "  -->": "plain", "   = ": "help"}
    lines: list[Line] = []
    for line in text:
        accent = next((each for start, each in accents.items() if line.startswith(start)), "faint")
        if not line.startswith(("   = to allow", "   |     called", "   |      ret =", "      called")):
            wrapped = textwrap.wrap(line, COLUMNS, subsequent_indent="    ", drop_whitespace=True)
            lines += [(part, accent) for part in wrapped]
    return lines
