"""What a page says of a day without a match: what there would be without a condition, on this day and no other."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.patterns.bind.binding import bind
from jobs.reports.answers.matches import blocked as module
from jobs.reports.answers.matches.blocked import blocked

SCHEMA = LogSchema({kind: {name: Attribute(name, AttributeType.INT) for name in ("who", "x")} for kind in "AB"})
QUERY = bind(
    "PATTERN SEQ(A a, B b) WHERE skip_till_any_match { [who] AND a.x > 50 AND b.x > a.x } WITHIN 10 minutes", SCHEMA
)
DAY = (86_400, 172_800)


def events(*rows: tuple[int, str, int, int]) -> pa.Table:
    """Events of (ts, type, who, x)."""
    columns = {"ts": pa.int64(), "event_type": pa.string(), "who": pa.int64(), "x": pa.int64(), "seq": pa.int64()}
    numbered = [(*row, seq) for seq, row in enumerate(sorted(rows))]
    return pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in numbered], pa.schema(columns))


def test_conditions_by_what_they_keep_away() -> None:
    """Matches that end on this day only; one that begins before it counts, one that ends before it does not."""
    begin = DAY[0]
    log = events(
        (begin - 300, "A", 1, 40),
        (begin - 200, "B", 1, 60),
        (begin + 60, "B", 1, 60),
        (begin + 120, "A", 2, 60),
        (begin + 130, "B", 3, 70),
        (begin + 140, "B", 3, 80),
        (begin + 150, "B", 2, 10),
    )
    assert blocked(QUERY, log, DAY) == (
        "Without [who] there would be 2 matches; without a.x > 50 1 match and without b.x > a.x 1 match."
    )


def test_no_single_condition() -> None:
    log = events((DAY[0], "A", 1, 10), (DAY[0] + 60, "B", 2, 5))
    sentence = "Without any single one of its conditions there would be no match either."
    assert blocked(QUERY, log, DAY) == sentence
    assert blocked(QUERY, log.slice(0, 0), DAY) == sentence


def test_what_is_too_dear_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORK", 1)
    log = events(*((DAY[0] + n, "AB"[n % 2], n, 60 + n) for n in range(40)))
    assert "any single one" not in blocked(QUERY, log, DAY)
