"""All mutations, and shares of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from tests.mutations.lists import (
    abi,
    attention,
    checks,
    engine,
    evaluator,
    graphs,
    memory,
    models,
    operators,
    races,
    streams,
)  # fmt: skip
from tests.mutations.mutation import Mutation

ROOMS: Final = (races, memory, abi, checks, streams, graphs, models, engine, evaluator, attention, operators)
ALL: Final = tuple(each for room in ROOMS for each in room.MUTATIONS)


def share(seed: str, parts: int) -> list[Mutation]:
    """One of so many parts of the list, drawn by this seed."""
    return random.Random(seed).sample(ALL, -(-len(ALL) // parts))


def named(words: Sequence[str]) -> list[Mutation]:
    """Those whose name or file contains one of the words."""
    return [each for each in ALL if any(word in each.name or word in each.file for word in words)]
