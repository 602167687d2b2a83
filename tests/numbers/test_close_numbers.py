"""A table of counters counts what counting one number after another does, or refuses and counts nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.numbers import close_numbers
from cep_core.numbers.close_numbers import CloseNumbers, Room

PIECES = st.lists(
    st.lists(
        st.tuples(st.integers(-9, 9), st.integers(0, 4), st.sampled_from([1, 1, 2, 254, 255, 256, 700])), max_size=6
    ),
    max_size=5,
)
"""Pieces of (number, place, how often)."""
KINDS = st.lists(st.integers(-1, 2), min_size=5, max_size=5)


@given(PIECES, KINDS, st.integers(0, 4), st.sampled_from([1, 10**17, -(2**62)]))
def test_numbers_of_kinds_and_places(
    pieces: list[list[tuple[int, int, int]]], kinds: list[int], unit: int, origin: int
) -> None:
    """Numbers occur once or more often than a byte counts; places appear later than others."""
    room = Room(10**6)
    table = CloseNumbers(room)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(close_numbers, "FOR_EACH", 10**6)
        known = 0
        for piece in pieces:
            known = max(known, *(place + 1 for _, place, _ in piece), 0)
            often = [times for *_, times in piece]
            numbers = np.repeat(np.array([origin + number * unit for number, *_ in piece], np.int64), often)
            places = np.repeat(np.array([place for _, place, _ in piece], np.int64), often)
            assert table.add(numbers, places, np.array(kinds[:known], np.int64))
    occurring: Counter[tuple[int, int]] = Counter()
    for number, place, times in (row for piece in pieces for row in piece):
        if kinds[place] >= 0:
            occurring[place, origin + number * unit] += times
    expected: Counter[tuple[int, int]] = Counter()
    for (place, number), times in occurring.items():
        expected[kinds[place], number] += times
    kind_of = np.array(kinds, np.int64)
    assert {
        (kind, number): count
        for kind, numbers, counts in table.of_kinds(kind_of)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True)
    } == expected
    different = table.different().tolist()
    assert [*different, *[0] * 5][:5] == [sum(place == own for own, _ in occurring) for place in range(5)]
    moved: Counter[tuple[int, int]] = Counter()
    present = set()
    for place, numbers, counts in table.moved(kind_of):
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            moved[kinds[place], number] += count
            present.add((place, number))
    assert (moved, present, room.left) == (expected, set(occurring), 10**6)
    assert not list(table.of_kinds(kind_of))


def test_a_table_refuses_numbers_that_lie_far_apart_and_keeps_what_it_has() -> None:
    """Also the least and the greatest of all numbers, and those for which other tables have taken the room."""
    room = Room(1_000)
    table, other = CloseNumbers(room), CloseNumbers(room)
    place, kinds = np.zeros(8, np.int64), np.array([0])
    assert table.add(np.arange(8), place, kinds)
    for far in (2**63 - 1, -(2**63), 10**6):
        assert not table.add(np.array([far]), place[:1], kinds)
    assert not other.add(np.arange(0, 800, 100), place, kinds)
    assert other.add(np.arange(0, 48, 6), place, kinds)
    assert not table.add(np.arange(0, 160, 20), place, kinds)
    assert [(kind, own.tolist(), counts.tolist()) for kind, own, counts in table.of_kinds(kinds)] == [
        (0, list(range(8)), [1] * 8)
    ]
    assert room.left == 1_000 - 9 * 8 - 9 * 43


@pytest.mark.parametrize("step", [1, -1])
def test_numbers_that_rise_or_fall_from_piece_to_piece_are_rarely_copied(
    monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    copies = 0
    grow = CloseNumbers._grow

    def counted(self: CloseNumbers, *size: int) -> None:
        nonlocal copies
        copies += 1
        grow(self, *size)

    monkeypatch.setattr(CloseNumbers, "_grow", counted)
    table = CloseNumbers(Room())
    for piece in range(400):
        numbers = step * np.arange(piece * 50, piece * 50 + 50)
        assert table.add(numbers, np.zeros(50, np.int64), np.array([0]))
    assert copies < 20
    [(_, numbers, counts)] = table.of_kinds(np.array([0]))
    assert (len(numbers), set(counts.tolist())) == (20_000, {1})
