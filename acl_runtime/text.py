"""A text for people, with its template and its values.

A report in another language looks up the template and formats it with the translated values. A report for programs has
the values in addition to the text. So no code has to parse a finished sentence.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

PLACE: Final = re.compile(r"\{(\w+)\}")
"""the place of a value in a template, such as `{stream}`"""

VALUE_TYPES: Final = (str, int)
"""types of the values of a text; other objects are converted to their texts"""

ONE_OF: Final = "one of"
"""in a help text, the phrase before several reasons for a status, each of which is an `ITEM`"""
ITEM: Final = "        - "
"""prefix of a line with one of several reasons"""


class Text(str):
    """An English text, made from a template and values by name. A value that is a `Text` is translated too; names and
    numbers stay. A value whose name begins with "_" is English grammar, such as "it" or "them"."""

    __slots__ = ("template", "values")
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> "Text":
        """Make a text. Objects among the values are converted to their texts at once, as they may change later."""
        for name, value in values.items():
            if not isinstance(value, VALUE_TYPES):
                values[name] = str(value)
        text = str.__new__(cls, template.format(**values) if values else template)
        text.template, text.values = template, values
        return text

    @classmethod
    def plural(cls, count: int, one: str, many: str, /, **values: Any) -> "Text":
        """The text for one thing (`one`), or for any other number (`many`). The templates have the number as
        `{count}`."""
        return cls(one if count == 1 else many, count=count, **values)

    @classmethod
    def chain(cls, template: str, parts: Sequence[str], /) -> str:
        """The parts as one text. The template has two places: for a part, and for the following parts."""
        first, others = PLACE.findall(template)
        *front, text = parts or [""]
        for part in reversed(front):
            text = cls(template, **{first: part, others: text})
        return text

    @classmethod
    def again(cls, template: str, values: Mapping[str, Any], /) -> "Text":
        """A text of which only the template and the values came from elsewhere."""
        return cls(template, **values)

    def __str__(self) -> "Text":
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.template,), self.values


def facts(text: str) -> dict[str, str | int]:
    """The values of a text for programs, without those of grammar; empty for a text without a template."""
    values = text.values if isinstance(text, Text) else {}
    return {name: value for name, value in values.items() if not name.startswith("_")}


def counted(count: int, noun: str) -> str:
    """A count with its noun, such as `1 device` or `2 devices`, for a text that is never translated."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def reasons(text: str) -> list[str]:
    """The separate reasons in the text of a status; after `ONE_OF` the text is a list."""
    first, *others = [" ".join(part.split()) for part in text.split(f"\n{ITEM}")]
    return others if others and first == ONE_OF else [first, *others]
