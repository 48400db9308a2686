"""The help of `aclnn` in another language."""

import argparse
from collections.abc import Mapping
from typing import Any, Final

from aclnn.tools.command.text import WIDTH, translator, wrapped

USAGE: Final = "用法："


class ChineseFormatter(argparse.HelpFormatter):
    """Breaks lines between Chinese characters, which take two columns and have no spaces between them."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return [line.strip() for line in wrapped(text, WIDTH - width)]

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(wrapped(text, len(indent)))

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, USAGE if prefix is None else prefix)


def translate(parser: argparse.ArgumentParser, words: Mapping[str, str]) -> None:
    """Replace the texts of a parser, and of the parsers of its commands."""
    say = translator(words)
    parser.formatter_class = ChineseFormatter
    parser.epilog = parser.epilog and say(parser.epilog)
    parser.description = parser.description and say(parser.description)
    for group in parser._action_groups:
        group.title = group.title and say(group.title)
    for action in parser._actions:
        action.help = action.help and say(action.help)
        listed: list[argparse.Action] = getattr(action, "_choices_actions", [])  # of the commands
        for choice in listed:
            choice.help = choice.help and say(choice.help)
        if listed:
            commands: dict[str, argparse.ArgumentParser] = dict(action.choices or {})  # type: ignore[call-overload]
            for command in commands.values():
                translate(command, words)
