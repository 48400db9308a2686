"""`Pieces` against a plain list, in random histories with fixed seeds."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

import acl_runtime.memory.pieces as module
from acl_runtime.memory.pieces import Numbers, Pieces


class Piece(NamedTuple):
    address: int
    end: int


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks, so that there are many of them."""
    monkeypatch.setattr(module, "BLOCK", 6)


@pytest.mark.parametrize("seed", range(30))
def test_pieces_are_found_by_address(seed: int) -> None:
    """`at`, `holding`, `before` and `touching` give the same as a search of the list."""
    rng, pieces, live = random.Random(seed), Pieces[Piece](), list[Piece]()
    for _ in range(400):
        if live and rng.random() < 0.4:
            pieces.remove(live.pop(rng.randrange(len(live))))
        else:
            low = 10 * rng.randrange(150)
            if not any(low <= piece.address < low + 10 for piece in live):
                live.append(Piece(low + rng.randrange(3), low + rng.randrange(4, 10)))
                pieces.add(live[-1])
        low = rng.randrange(-50, 1600)  # negative too: a view may reach below all addresses
        high = low + rng.randrange(1, 60)
        assert pieces.at(low) == next((piece for piece in live if piece.address == low), None)
        assert pieces.holding(low) == next((piece for piece in live if piece.address <= low < piece.end), None)
        assert pieces.before(low) == max((piece for piece in live if piece.address <= low), default=None)
        assert pieces.touching(low, high) == sorted(each for each in live if each.address < high and low < each.end)
    assert sorted(pieces) == sorted(live)


@pytest.mark.parametrize("order", ["up", "down", "at random"])
def test_no_block_grows_long(order: str) -> None:
    """Blocks stay short, so an insertion moves few numbers. When all numbers are removed, one block is left."""
    numbers, listed = Numbers(), list(range(0, 3000, 3))
    if order == "down":
        listed.reverse()
    elif order == "at random":
        random.Random(0).shuffle(listed)
    for number in listed:
        numbers.add(number)
    assert max(map(len, numbers._blocks)) <= 6
    assert list(numbers.between(0, 3000)) == sorted(listed)
    for number in listed:
        numbers.remove(number)
    assert numbers._blocks == [[]]
    assert numbers.before(3000) is None
