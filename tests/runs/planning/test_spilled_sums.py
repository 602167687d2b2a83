"""Counts that go to files are those that are held: distinct and heavy values are exact however many there are."""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from deltalake import write_deltalake
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.table import with_type_codes
from cep_core.language.evaluator import Atom
from cep_core.numbers import close_numbers
from cep_core.numbers.close_numbers import FOR_EACH
from cep_core.slicing import statistics_of
from jobs.lake.dataset import rows_of_days
from jobs.spread_rows import SpreadRows
from jobs.stages.slicing.counting import lake_counts, row_numbers, spilled_sums
from jobs.stages.slicing.counting.lake_counts import LakeCounts, most_frequent
from jobs.stages.slicing.counting.period_counts import PeriodCounts
from jobs.stages.slicing.counting.row_numbers import COUNTERS_FOR_EACH
from jobs.stages.slicing.counting.spilled_sums import Sums, side_by_side
from jobs.stages.slicing.event_samples import EventSamples
from jobs.workload.operating_days import OperatingDays
from tests.counts import few

DAYS = (date(2024, 1, 1), date(2024, 1, 2))
PLACES = {"A": ["flag", "name", "size"], "B": ["name", "number"]}
SCHEMA = pa.schema(
    [
        ("day", pa.date32()),
        ("run_id", pa.string()),
        ("event_type", pa.string()),
        ("ts", pa.int64()),
        ("name", pa.string()),
        ("number", pa.int64()),
        ("size", pa.float64()),
        ("flag", pa.bool_()),
    ]
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "day": st.sampled_from(DAYS),
            "run_id": st.just("loaded"),
            "event_type": st.sampled_from("ABC"),
            "ts": st.integers(0, 40),
            "name": st.none() | st.sampled_from("abcdefgh"),
            "number": st.none() | st.integers(-3, 3) | st.sampled_from([300, -(2**63), 2**63 - 1]),
            "size": st.none() | st.sampled_from([0.0, -0.0, 1.5, 2.5]),
            "flag": st.none() | st.booleans(),
        }
    ),
    max_size=40,
)


def counted(
    rows: list[dict[str, Any]], at_once: int, for_each: int = COUNTERS_FOR_EACH, bytes_for_each: int = FOR_EACH
) -> tuple[list[dict[str, Any]], ...]:
    """The rows of both tables, of events in pieces of seven, whose types are texts and codes in turn."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(spilled_sums, "AT_ONCE", at_once)
        patched.setattr(row_numbers, "COUNTERS_FOR_EACH", for_each)
        patched.setattr(close_numbers, "FOR_EACH", bytes_for_each)
        counts = PeriodCounts(PLACES, 0, 10)
        for begin in range(0, max(1, len(rows)), 7):
            piece = pa.Table.from_pylist(rows[begin : begin + 7], SCHEMA)
            counts.add(piece if begin % 2 else with_type_codes(piece))
        tables = counts.tables(3)
    return tuple(sorted(table.to_pylist(), key=repr) for table in tables)


@few(40)
@given(ROWS, st.integers(1, 12))
def test_statistics_are_the_same_however_few_counts_are_held(rows: list[dict[str, Any]], at_once: int) -> None:
    """Texts, integers, floats with both zeros, flags; gaps; values in several periods, days and types."""
    assert counted(rows, at_once) == counted(rows, 10**6) == counted(rows, at_once, 0)


@few(40)
@given(ROWS, st.sampled_from([0, 8, 64, 10**4]))
def test_statistics_are_those_of_the_events(rows: list[dict[str, Any]], bytes_for_each: int) -> None:
    """Whole numbers are counted in tables, or not, or from some piece on no more; some lie far from each other."""
    periods, heavy = counted(rows, 3, bytes_for_each=bytes_for_each)
    of_place: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    of_type: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        of_place[row["day"], row["event_type"], row["ts"] // 10 * 10].append(row)
        of_type[row["day"], row["event_type"]].append(row)
    assert {
        (row["day"], row["event_type"], row["period_start"]): (row["events"], json.loads(row["distinct_values"]))
        for row in periods
    } == {
        (day, kind, start): (
            len(own),
            {name: len({row[name] for row in own} - {None}) for name in PLACES.get(kind, ())},
        )
        for (day, kind, start), own in of_place.items()
    }
    expected = {
        (day, kind, str(number), count)
        for (day, kind), own in of_type.items()
        for number, count in Counter(row["number"] for row in own).items()
        if kind == "B" and number is not None and count * 3 > len(own)
    }
    of_numbers = [row for row in heavy if row["attribute"] == "number"]
    assert len(of_numbers) == len(expected)
    assert {(row["day"], row["event_type"], row["value"], row["frequency"]) for row in of_numbers} == expected


def test_spilled_counts_are_read_file_by_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each value in one table alone, with all its counts; asked twice, they are the same."""
    monkeypatch.setattr(spilled_sums, "AT_ONCE", 100)
    sums = Sums(["day", "value"])
    for _ in range(3):
        sums.add(pa.table({"day": [1] * 200 + [2] * 200, "value": [*range(200), *range(200)]}))
    for _ in range(2):
        tables = list(sums.tables())
        assert len(tables) > 20
        values = [set(table["value"].to_pylist()) for table in tables]
        assert sum(map(len, values)) == len(set.union(*values)) == 200
        assert {count for table in tables for count in table["events"].to_pylist()} == {3}


@few(15)
@given(ROWS, st.integers(1, 6), st.integers(1, 5), st.sampled_from([0, 8, 64, 10**4]), st.sampled_from([10, 100]))
def test_plans_count_the_same_however_few_counts_are_held(
    rows: list[dict[str, Any]], at_once: int, listed: int, bytes_for_each: int, kept: int
) -> None:
    """The most frequent values of each relation with their exact numbers, and how many events carry others.

    Whole numbers are counted in tables, or not, or from some piece on no more; an event may be of several relations.
    Stamps are kept while events are counted, or read when they are asked for.
    """
    atoms = (
        Atom("A", (("name", "x"), ("number", "y"))),
        Atom("B", (("number", "y"),), (("name", "a"),)),
        Atom("B", (("number", "y"), ("name", "x")), (("flag", True),)),
        Atom("B", (("number", "y"),)),
    )
    events = pa.Table.from_pylist(rows, SCHEMA).append_column("seq", pa.array(range(len(rows)), pa.int64()))
    workload: Any = SimpleNamespace(name="toy", operating_days=OperatingDays(timedelta()))
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patched:
        for begin in range(0, max(1, len(rows)), 9):
            part = events.slice(begin, 9)
            write_deltalake(Path(name, "toy", "events"), part, partition_by=["day"], mode="append")
        patched.setattr(spilled_sums, "AT_ONCE", at_once)
        patched.setattr(lake_counts, "LISTED", listed)
        patched.setattr(close_numbers, "FOR_EACH", bytes_for_each)
        patched.setattr("jobs.lake.dataset.ROWS_AT_ONCE", 4)
        patched.setattr(lake_counts, "KEPT", kept)
        counts = LakeCounts(workload, Path(name), atoms)
        counted = counts.statistics(DAYS, atoms)
        assert counts.total(DAYS) == rows_of_days(Path(name, "toy", "events"), DAYS) == events.num_rows
        assert rows_of_days(Path(name, "toy", "events"), DAYS[:1]) == sum(row["day"] == DAYS[0] for row in rows)
        assert (DAYS in counts._stamps) == (events.num_rows <= kept)
        assert sorted(counts.stamps(DAYS).tolist()) == sorted(events["ts"].to_pylist())
    expected = statistics_of(events, atoms, 2 * 86_400)
    assert replace(counted, frequencies={}) == replace(expected, frequencies={})
    for place, whole in expected.frequencies.items():
        same, own = most_frequent(whole, listed), counted.frequencies[place]
        assert (own.values.to_pylist(), own.counts.tolist(), own.others, own.error) == (
            same.values.to_pylist(),
            same.counts.tolist(),
            same.others,
            0,
        )


@few(15)
@given(ROWS, st.integers(2, 5))
def test_a_sample_is_every_nth_event(rows: list[dict[str, Any]], every: int) -> None:
    """Statistics are those of every n-th event in the log's order, wherever pieces begin; the number of events is that
    of all. Whoever else asks for the sample gets the same, which is read once."""
    atoms = (Atom("A", (("name", "x"), ("number", "y"))), Atom("B", (("name", "x"),), (("flag", True),)))
    events = pa.Table.from_pylist(rows, SCHEMA)
    events = events.append_column("seq", pa.array(range(events.num_rows), pa.int64()))
    in_order = events.sort_by([("day", "ascending"), ("ts", "ascending"), ("seq", "ascending")])
    workload: Any = SimpleNamespace(name="toy", operating_days=OperatingDays(timedelta()))
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patched:
        write_deltalake(Path(name, "toy", "events"), events, partition_by=["day"])
        patched.setattr("jobs.stages.slicing.event_pieces.EVENTS_AT_ONCE", 4)
        samples = EventSamples(Path(name, "toy", "events"), [*atoms, Atom("C", (("size", "z"),))])
        counts = LakeCounts(workload, Path(name), atoms, every, samples)
        sampled = counts.statistics(DAYS, atoms)
        assert counts.total(DAYS) == events.num_rows
        assert sorted(counts.stamps(DAYS).tolist()) == sorted(events["ts"].to_pylist())
    chosen = in_order.take(pa.array(range(0, events.num_rows, every), pa.int64()))
    assert samples.of(DAYS, every)["seq"].to_pylist() == chosen["seq"].to_pylist()
    expected = statistics_of(chosen, atoms, 2 * 86_400)
    assert (sampled.events, sampled.span) == (expected.events, expected.span)
    for place, whole in expected.frequencies.items():
        own = sampled.frequencies[place]
        assert dict(zip(own.values.to_pylist(), own.counts.tolist(), strict=True)) == dict(
            zip(whole.values.to_pylist(), whole.counts.tolist(), strict=True)
        )


def test_sums_side_by_side_hold_as_much_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many attributes have different values in all events; what was counted is right nevertheless."""
    monkeypatch.setattr(spilled_sums, "AT_ONCE", 1000)
    sums = side_by_side(dict.fromkeys("abcdefgh", ("value",)))
    for begin in range(0, 4000, 50):
        for own in sums.values():
            own.add(pa.table({"value": [*range(begin, begin + 50), 7]}))
        assert sum(part.num_rows for own in sums.values() for part in own._parts) <= 1000 + 8 * 51
    for own in sums.values():
        counts = {row["value"]: row["events"] for table in own.tables() for row in table.to_pylist()}
        assert counts == {**dict.fromkeys(range(4000), 1), 7: 81}


@given(st.lists(st.lists(st.integers(0, 70), max_size=9), min_size=1, max_size=4))
def test_spread_rows_come_back_by_number_in_their_order(pieces: list[list[int]]) -> None:
    spread, expected = SpreadRows("example-"), defaultdict[int, list[int]](list)
    for place, numbers in enumerate(pieces):
        rows = range(100 * place, 100 * place + len(numbers))
        spread.add(pa.table({"row": pa.array(rows, pa.int64())}), np.array(numbers, np.int64))
        for number, row in zip(numbers, rows, strict=True):
            expected[number].append(row)
    assert [table["row"].to_pylist() for table in spread.tables()] == [expected[number] for number in sorted(expected)]
