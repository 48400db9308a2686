"""The parsers of `aclnn`: their help, and errors about the usage, in the user's language."""

import argparse
import re
import sys
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from aclnn.tools.command.text import EMPTY, WIDTH, translator, wrapped

USAGE: Final = "用法："
MISUSED: Final = 2


class Parser(argparse.ArgumentParser):
    """A parser that is translated when it shows a text, as few runs show one."""

    def format_help(self) -> str:
        if words := other_words():
            _translate(self, words)
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        if not (words := other_words()):
            super().error(message)
        _translate(self, words)
        self.print_usage(sys.stderr)
        self.exit(MISUSED, f"{self.prog}: {_in_chinese(message)}\n")


class ChineseFormatter(argparse.HelpFormatter):
    """Breaks lines between Chinese characters, which take two columns and have no spaces between them."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return [line.strip() for line in wrapped(text, WIDTH - width)]

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(wrapped(text, len(indent)))

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, USAGE if prefix is None else prefix)


def other_words() -> Mapping[str, str]:
    """The Chinese texts if the language is Chinese, else none. Without numpy, `doctor` works in English."""
    try:
        from aclnn.tools.command import texts_zh
    except ImportError:
        return EMPTY
    return texts_zh.other_words()


def _translate(parser: argparse.ArgumentParser, words: Mapping[str, str]) -> None:
    """Replace the texts of a parser."""
    say = translator(words)
    parser.formatter_class = ChineseFormatter
    parser.epilog = parser.epilog and say(parser.epilog)
    description = parser.description or ""  # that of a command is its text in the list, as a sentence
    parser.description = words.get(description, say(f"{description[:1].lower()}{description[1:-1]}"))
    for group in parser._action_groups:
        group.title = group.title and say(group.title)
    for action in parser._actions:
        action.help = action.help and say(action.help)
        listed: list[argparse.Action] = getattr(action, "_choices_actions", [])  # of the commands
        for choice in listed:
            choice.help = choice.help and say(choice.help)


def _in_chinese(message: str) -> str:
    """An error about the usage in Chinese; English if it has no translation."""
    from aclnn.tools.command.texts_zh import USAGE_ERRORS

    for pattern, chinese in USAGE_ERRORS.items():
        if match := re.fullmatch(pattern, message, re.DOTALL):
            *values, last = match.groups("")
            return chinese.format(*values, _in_chinese(last))
    return message
