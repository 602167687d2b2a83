"""Pairs expected rows with the rows of an answer: as many as can be, each row once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jobs.questions.cases.expected import ExpectedRow


def paired(expected: Sequence[ExpectedRow], rows: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """Expected row -> the row that it is. An expected row may name few columns and so agree with several rows.

    A largest matching by augmenting paths. Cost: expected rows times agreeing pairs.
    """
    agreeing = [[place for place, row in enumerate(rows) if wanted.agrees(row)] for wanted in expected]
    taken: dict[int, int] = {}

    def place_of(number: int, seen: set[int]) -> bool:
        for place in agreeing[number]:
            if place not in seen:
                seen.add(place)
                if place not in taken or place_of(taken[place], seen):
                    taken[place] = number
                    return True
        return False

    for number in range(len(expected)):
        place_of(number, set())
    return {number: place for place, number in sorted(taken.items(), key=lambda pair: pair[1])}


def nearest_pairs(
    expected: Sequence[ExpectedRow], rows: Sequence[Mapping[str, Any]]
) -> list[tuple[ExpectedRow | None, Mapping[str, Any] | None]]:
    """Expected rows that did not come beside the rows that came in their place: those that agree in most columns.

    A row stands alone if no other agrees with it in any column.
    """
    near = sorted(
        (
            (-sum(value.agrees(row[name]) for name, value in wanted.values.items()), number, place)
            for number, wanted in enumerate(expected)
            for place, row in enumerate(rows)
        ),
    )
    pairs: dict[int, int] = {}
    for agreeing, number, place in near:
        if agreeing and number not in pairs and place not in pairs.values():
            pairs[number] = place
    alone = [place for place in range(len(rows)) if place not in pairs.values()]
    return [
        *((wanted, rows[pairs[number]] if number in pairs else None) for number, wanted in enumerate(expected)),
        *((None, rows[place]) for place in alone),
    ]
