"""Violations name what identifies the events of their moment, where the policy's values do not."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from cep_core.compile import bind_text
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from jobs.reports.answers import violations
from jobs.reports.answers.points.events_then import AT_MOST, Naming, naming
from jobs.reports.words.clock import Clock


def schema(**masked: bool) -> LogSchema:
    """Trains of lines; a signal has nothing that identifies it."""
    train = Attribute("train", AttributeType.STRING, shown=True, masked=masked.get("train", False))
    line = Attribute("line", AttributeType.STRING, masked=masked.get("line", False))
    return LogSchema({"Depart": {"train": train, "line": line}, "Arrive": {"train": train, "line": line}, "Signal": {}})


def how(text: str, columns: list[str], kinds: set[str] | None = None, **masked: bool) -> Naming | None:
    evaluator = bind_text(text, schema(**masked), "p.mfotl", whole_log=False).evaluator()
    return naming(evaluator, schema(**masked), columns, kinds or {"Depart", "Arrive", "Signal"})


def event(seq: int, ts: int, kind: str, train: str | None, line: str) -> dict[str, Any]:
    return {"seq": seq, "ts": ts, "event_type": kind, "train": train, "line": line}


LOST = "Depart(line=l) AND NOT EVENTUALLY[0,2h] Arrive(line=l)"
EVENTS = [
    event(3, 10, "Depart", "T3", "x"),
    event(1, 10, "Depart", "T1", "x"),
    event(2, 10, "Depart", "T2", "y"),
    event(4, 10, "Arrive", "T4", "x"),
    event(5, 20, "Depart", None, "x"),
    *(event(6 + n, 30, "Depart", f"T{6 + n}", "x") for n in range(AT_MOST + 2)),
]


def test_events_of_the_moment_with_the_values_of_the_row_are_named() -> None:
    """In order of the log; of a type that the formula does not speak of, none; of many, the first."""
    of_departures = how(LOST, ["l"], {"Depart"})
    assert of_departures is not None
    assert of_departures.attributes == {"train", "line"}
    rows = [{"ts": ts, "l": line} for ts, line in ((10, "x"), (10, "y"), (20, "x"), (30, "x"), (40, "x"))]
    assert of_departures.cells(rows, EVENTS) == [
        *("Depart T1 and Depart T3", "Depart T2", ""),
        *("Depart T6, Depart T7, Depart T8 and 2 more", ""),
    ]
    of_all = how(LOST, ["l"])
    assert of_all is not None
    assert of_all.cells(rows[:1], EVENTS) == ["Depart T1, Depart T3 and Arrive T4"]


def test_events_with_other_constants_are_not_meant() -> None:
    of_x = how('Depart(line="x") AND NOT EVENTUALLY[0,2h] Arrive(line="x")', [])
    assert of_x is not None
    assert of_x.cells([{"ts": 10}], EVENTS) == ["Depart T1, Depart T3 and Arrive T4"]


def test_where_a_column_names_the_event_or_a_mask_is_read_nothing_is_named() -> None:
    assert how("Depart(line=l, train=t) AND NOT EVENTUALLY[0,2h] Arrive(line=l)", ["l", "t"]) is None
    assert how(LOST, ["l"], line=True) is None
    assert how(LOST, ["l"], train=True) is None
    assert how(LOST, ["l"], {"Signal"}) is None


def test_the_table_has_a_column_for_them() -> None:
    rows = pa.table({"ts": [10, 20], "offset": [0, 0], "l": ["x", "x"]})
    listing = violations.listing(rows, Clock(), {"l": "line"}, (0, 86_400), None, lambda rows: ["Depart T1", ""])
    assert [heading.title for heading in listing.headings] == ["time", "line", "events then"]
    assert [cells[1:] for cells in listing.cells] == [["x", "Depart T1"], ["x", ""]]
    assert listing.header == ["ts", "offset", "l"]
    none = violations.listing(rows, Clock(), {"l": "line"}, (0, 86_400), None, lambda rows: ["", ""])
    assert [heading.title for heading in none.headings] == ["time", "line"]


def test_rows_that_differ_in_a_count_only_do_not_fill_a_page() -> None:
    rows = pa.table({"ts": [*range(40)], "offset": [0] * 40, "n": [*range(40)], "l": ["x"] * 40})
    listing = violations.listing(rows, Clock(), {"n": "n", "l": "line"}, (0, 86_400), measures={"n"})
    assert [cells[1:] for cells in listing.cells] == [["0", "x"]]
