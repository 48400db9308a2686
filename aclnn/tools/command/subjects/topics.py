"""The words that people search for, and the sentences of logs, with the names that explain them; for `aclnn explain`.

A topic is *specific* if its words are hardly ever in a text by chance ("use after free"). A general topic ("memory")
counts only in a short question, because memory is mentioned in every log. A single English word of a specific topic
("race") also counts only in a short question.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from aclnn.tools.command.subjects import topics_of_logs, topics_of_setup, topics_of_words
from aclnn.tools.command.subjects.topic import Topic

Facts = dict[str, Any]
SHORT: Final = 24
"""a question of at most this many characters, without a number, is about the general topics in it"""
ANYTHING: Final = " ... "
EDGES: Final = (r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])")
GAP: Final = r"[^\n]{1,100}?"
TOPICS: Final = (*topics_of_logs.TOPICS, *topics_of_setup.TOPICS, *topics_of_words.TOPICS)


def subjects() -> dict[str, Callable[[], Facts]]:
    """A function for each topic that returns its facts."""
    return {name(topic): partial(_facts, topic) for topic in TOPICS}


def name(topic: Topic) -> str:
    """The name of a topic: its first words."""
    return topic.words.partition("|")[0]


def called(text: str) -> str | None:
    """The topic whose words are exactly this text; None if there is none."""
    plain = " ".join(text.casefold().split())
    return next((name(topic) for topic in TOPICS if plain in topic.words.split("|")), None)


def within(text: str, *, short: bool) -> list[str]:
    """The topics whose words are in a text, in its order. Phrases of specific topics count; with `short`, any word of
    any topic counts, but only in a short text."""
    if short and (len(text.strip()) > SHORT or re.search(r"(?<![A-Za-z])\d", text)):
        return []
    folded = text.casefold()
    places: list[tuple[range, str]] = []
    for topic in TOPICS:
        words = [word for word in topic.words.split("|") if short or (topic.specific and not _single(word))]
        words = [word for word in words if re.split(r"[\s_-]", word)[0] in folded]  # a fast filter
        places += [(place, name(topic)) for word in words for place in _at(word, text)]
    places = [(at, topic) for at, topic in places if not any(_within(at, other) for other, _ in places)]
    return list(dict.fromkeys(topic for _, topic in sorted(places, key=lambda each: each[0].start)))


def _within(place: range, other: range) -> bool:
    """True if `place` is a part of `other`: the Chinese "dangling pointer" ends with the Chinese "null pointer"."""
    return len(place) < len(other) and other.start <= place.start and place.stop <= other.stop


def _single(words: str) -> bool:
    """True for a single English word."""
    return words.isascii() and words.isalpha()


def _at(words: str, text: str) -> list[range]:
    """The places of words in a text. No ASCII letter may touch an ASCII word; Chinese words need no spaces around."""
    parts = (r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", part))) for part in words.split(ANYTHING))
    before, after = (edge if end.isascii() else "" for edge, end in zip(EDGES, (words[0], words[-1]), strict=True))
    pattern = f"{before}{GAP.join(parts)}{after}"
    return [range(*at.span()) for at in re.finditer(pattern, text, re.IGNORECASE)]


def _facts(topic: Topic) -> Facts:
    return {
        "kind": "topic",
        "name": name(topic),
        "words": topic.words.split("|"),
        "about": topic.about,
        "see": topic.see.split(),
        "cause": topic.cause,
    }
