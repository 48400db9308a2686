"""The condition that breaks a demand, as a phrase: `self has elements` becomes `self has no elements`.

Help texts and pages list these conditions as the reasons of a status. A relation can pass its own phrase as `broken` to
`aclnn.engine.relation.rule`. This module makes the phrase of all other relations.
"""

import re
from typing import Final

_VERBS: Final = (
    (r"(is|are|have) (?:not|no)", r"\1"),
    (r"has no (more|fewer|dimensions)", r"has \1"),
    (r"has no", "has a"),
    (r"is at most as long as", "is longer than"),
    (r"is at least", "is less than"),
    (r"is at most", "is more than"),
    (r"has at least as many (\w+) as", r"has fewer \1 than"),
    (r"has at most as many (\w+) as", r"has more \1 than"),
    (r"has at least", "has fewer than"),
    (r"has at most", "has more than"),
    (r"has (elements|classes|dimensions|places)", r"has no \1"),
    (r"lies in (?=\[)", "is outside "),
    (r"comes with", "comes without"),
    (r"can", "cannot"),
    (r"(is|are)", r"\1 not"),
    (r"has", "does not have"),
    (r"(reach|go)es", r"does not \1"),
    (r"(have|broadcast|promote|lie|fit|go|agree|differ|divide)", r"do not \1"),
    (r"(broadcast|fit|lie|hold|spread|divide|name|take|follow|contain|cover|equal|fill|start|end|begin|leave|give)s",
     r"does not \1"),
)  # fmt: skip
"""verbs, and their negations; the leftmost match in a sentence is negated, by the first row that matches there"""
UNTRUE: Final = "it is not true that "
"""prefix of the condition if the demand has none of these verbs; no operator of this project has such a demand"""


def negated(demand: str) -> str:
    """The condition that breaks a demand."""
    if demand.startswith("no "):
        return f"a {demand.removeprefix('no ')}"
    sentence, opening, limit = demand.partition(" (")
    sentence = re.sub(r"^each (?=\w+ of )", "a ", sentence)
    matches = [(match.start(), i) for i, (verb, _) in enumerate(_VERBS)
               if (match := re.search(rf"\b{verb}(?!\w)", sentence))]  # fmt: skip
    if not matches or re.search(r"\bonly\b", sentence):
        return f"{UNTRUE}{demand}"
    verb, negation = _VERBS[min(matches)[1]]
    broken = re.sub(rf"\b{verb}(?!\w)", negation, sentence, count=1)
    exact = not re.search(r"\b(else|or)\b", broken)
    return (broken.replace(" if ", " although ") if exact else broken) + opening + limit
