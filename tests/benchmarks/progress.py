"""The progress of a run: one line on stderr."""

from __future__ import annotations

import sys
import time


class Progress:
    """The number of the present case. On a terminal the line is rewritten; else each case gets a line."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.number = 0
        self.name = ""
        self.begin = time.monotonic()
        self.in_place = sys.stderr.isatty()

    def start(self, name: str) -> None:
        """The next case begins."""
        self.number += 1
        self.name = name
        if not self.in_place:
            self._write(self._line(""), "\n")

    def __call__(self, what: str) -> None:
        """Show the present step of the case."""
        if self.in_place:
            self._write(f"\r{self._line(what)[:118]:118}", "")

    def end(self) -> None:
        """All are done."""
        if self.in_place:
            self._write(f"\r{'':118}\r", "")

    def _line(self, what: str) -> str:
        passed = int(time.monotonic() - self.begin)
        return f"[{self.number}/{self.total}, {passed // 60}:{passed % 60:02}] {self.name} {what}".rstrip()

    def _write(self, text: str, end: str) -> None:
        print(text, end=end, file=sys.stderr, flush=True)
