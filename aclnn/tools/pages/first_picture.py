"""The picture of README, in English and in Chinese: a mistake of a program, and the report that names its line.

The texts come from a run of a program of samples/mistakes. The picture has its own dark background, so it looks the
same on a light and on a dark page.
"""

import re
import textwrap
from functools import partial
from html import escape
from typing import Final, NamedTuple

from aclnn.tools.pages.findings import stable
from aclnn.tools.pages.markdown import Files
from aclnn.tools.pages.mistakes import FOLDER, run

PROGRAM: Final = FOLDER / "result_copied_early.py"
COLUMNS: Final = 60
"""characters in a line: so few that a telephone shows them in letters of 9 pixels"""
WIDTH, STEP, MARGIN = 500, 18, 14
"""sizes in pixels: of the picture, of a line, around the text"""
ACCENTS: Final = {"plain": "#d7dae0", "faint": "#8b93a1", "error": "#ff7b72", "help": "#7ee787"}
Line = tuple[str, str]
"""a text and its accent"""
HAN: Final = r"\u3000-\u303f\u4e00-\u9fff\uff00-\uffef"
WORD: Final = re.compile(rf"(?:[{HAN}]|[^\s{HAN}]+)[，。；：）、]*| +")
"""a part of a line that stays whole; no line begins with Chinese punctuation"""
HAN_WIDTH: Final = 1.7
"""columns of a Chinese character, which is as wide as it is high"""


class PictureLanguage(NamedTuple):
    """A language of the picture."""

    lang: str
    title: str
    fonts: str


PICTURES: Final = {
    "docs/mistake.svg": PictureLanguage(
        "en", "A program that copies a result before it waits, and the report",
        "ui-monospace, Menlo, Consolas, monospace",
    ),
    "docs/zh/mistake.svg": PictureLanguage(
        "zh", "程序还没等任务完成就拷贝结果，以及它的报告",
        "ui-monospace, Menlo, Consolas, 'Noto Sans Mono CJK SC', 'PingFang SC', 'Microsoft YaHei', monospace",
    ),
}  # fmt: skip
"""the language of each picture, by its path"""


def files() -> Files:
    """Functions that return the pictures, by their paths. Empty where only the packages are installed."""
    return {path: partial(picture, of) for path, of in PICTURES.items()} if FOLDER.is_dir() else {}


def picture(language: PictureLanguage) -> str:
    """The picture as SVG."""
    lines = [*program(), ("", "plain"), *report(language.lang)]
    height = 2 * MARGIN + STEP * len(lines)
    rows = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN + STEP * (number + 0.75):g}" fill="{ACCENTS[accent]}">{escape(text)}</text>'
        for number, (text, accent) in enumerate(lines)
        if text
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'role="img" '
        'aria-labelledby="mistake-title">\n'
        f'<title id="mistake-title">{language.title}</title>\n'
        f"<style>text {{ font: 13px {language.fonts}; white-space: pre }}</style>\n"
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#161b22"/>\n{rows}\n</svg>\n'
    )


def program() -> list[Line]:
    """The lines from the launch to the mistake, with their numbers. The last one is the mistake."""
    place = int(re.search(r"--> \S+:(\d+)", run(PROGRAM)[1])[1])  # type: ignore[index]
    source = PROGRAM.read_text(encoding="utf-8").splitlines()
    first = max(number for number in range(1, place) if "aclnnSoftmaxBackward(" in source[number - 1])
    lines = textwrap.dedent("\n".join(source[first - 1 : place])).splitlines()
    return [
        (part, "error" if number == place else "plain")
        for number, text in enumerate(lines, first)
        for part in _wrapped(f"{'>' if number == place else ' '} {number} | {text}", " " * 11)
    ]


def report(lang: str) -> list[Line]:
    """The finding, its line, and the help."""
    text = stable(run(PROGRAM, lang)[1]).splitlines()
    accents = {"error[": "error", "  -->": "plain", "   = ": "help"}
    lines: list[Line] = []
    for line in text:
        accent = next((each for start, each in accents.items() if line.startswith(start)), "faint")
        if not re.match(r" +(?:\|  )? *(?:= to allow|= 如要|= note|called|调用者|ret =)", line):
            gutter = re.match(r" +(?:\| |= help:)", line)
            indent = "    " if gutter is None else f"   {gutter[0].strip()[0].replace('=', ' ')}    "
            lines += [(part, accent) for part in _wrapped(line, indent)]
    return lines


def _wrapped(line: str, indent: str) -> list[str]:
    """The parts of a line that fit the picture. All but the first are indented."""
    if line.isascii():
        return textwrap.wrap(line, COLUMNS, subsequent_indent=indent, drop_whitespace=True)
    parts = [""]
    for word in WORD.findall(line):
        whole = parts[-1] + word
        if len(whole) + (HAN_WIDTH - 1) * len(re.findall(f"[{HAN}]", whole)) <= COLUMNS:
            parts[-1] = whole
        else:
            parts.append(indent + word.lstrip())
    return [part.rstrip() for part in parts]
