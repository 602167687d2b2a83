"""The refused rows of the Data quality page: examples are of their reason, and many reasons make no long page."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from jobs.reports.pages.quality import EXAMPLES, REASONS, _refusals

DAY = date(2024, 1, 1)


def refused(counts: dict[str, int]) -> dict[str, Any]:
    """What the page says of so many rows for each reason; a row's text begins with its reason."""
    rows = [(f"{reason}, row {n}", reason) for reason, count in counts.items() for n in range(count)]
    columns = {"raw": [raw for raw, _ in rows], "reason": [reason for _, reason in rows]}
    table = pa.table({**columns, **{name: ["event"] * len(rows) for name in ("rule", "source", "file")}})
    report: Any = SimpleNamespace(day=DAY, reader=SimpleNamespace(read=lambda *_: table))
    return _refusals(report)


def test_examples_are_of_their_reason() -> None:
    table = refused({"no ts of B": 2, "undeclared event type C": 5, "no ts of A": 2})
    assert [(reason.reason, reason.today) for reason in table["shown"]] == [
        ("undeclared event type C", 5),
        ("no ts of A", 2),
        ("no ts of B", 2),
    ]
    for reason in table["shown"]:
        assert [raw for _, raw in reason.examples] == [
            f"{reason.reason}, row {n}" for n in range(min(reason.today, EXAMPLES))
        ]
    assert table["more"] == ""


def test_of_many_reasons_the_most_frequent_are_shown() -> None:
    counts = {f"undeclared event type {n:03}": 1 + n % 7 for n in range(REASONS + 30)}
    table = refused(counts)
    assert (
        sorted((reason.today for reason in table["shown"]), reverse=True)
        == sorted(counts.values(), reverse=True)[:REASONS]
    )
    left = sum(counts.values()) - sum(reason.today for reason in table["shown"])
    assert table["more"] == f"{left} rows for 30 further reasons"
