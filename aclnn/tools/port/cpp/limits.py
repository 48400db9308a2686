"""The limits of `aclnn port`. A program beyond them is not translated; the reason names the line."""

from typing import Final

MOST_CHARACTERS: Final = 1_000_000
"""ours: maximum number of characters of a program, and of its text with expanded macros"""
LONGEST_LINE: Final = 20_000
"""ours: maximum number of characters of a line"""
MOST_EXPANSIONS: Final = 100_000
"""ours: maximum number of expansions of macros"""
MOST_NESTED: Final = 256
"""maximum depth of #if, as the C++ standard recommends it for compilers"""
NESTED: Final = "it is nested too deeply for aclnn port"


class NotTranslated(Exception):
    """The whole program has no translation."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


def decoded(source: bytes) -> str:
    """The text of a program in UTF-8."""
    try:
        text = source.decode()
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise NotTranslated(line, f"the byte 0x{source[error.start]:02X} is not UTF-8") from None
    if len(text) > MOST_CHARACTERS:
        reason = f"the program has {len(text):,} characters; aclnn port reads at most {MOST_CHARACTERS:,}"
        raise NotTranslated(1, reason)
    for number, line in enumerate(text.split("\n"), 1):
        check_length(line, number)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def check_length(line: str, number: int) -> None:
    """Refuse a line that is too long, continuation lines included."""
    if len(line) > LONGEST_LINE:
        reason = f"the line has {len(line):,} characters; aclnn port reads at most {LONGEST_LINE:,}"
        raise NotTranslated(number, reason)
