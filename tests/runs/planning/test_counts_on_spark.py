"""Spark counts what this process counts of small runs: for the planner (S16), and for the tables of statistics."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import write_deltalake

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing import statistics_of
from jobs.lake.session import LateSession
from jobs.stages.slicing.counting import event_counts
from jobs.stages.slicing.counting.event_counts import EventCounts
from jobs.stages.slicing.counting.lake_counts import most_frequent
from jobs.stages.statistics import PERIODS, counted_here, counted_in_spark
from jobs.workload.operating_days import OperatingDays

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
DAYS = (date(2013, 1, 1), date(2013, 1, 2))
ATOMS = (
    Atom("insert", (("user", "x"), ("id", "y")), (("db", "db1"),)),
    Atom("insert", (("id", "y"),), (("db", "db2"),)),
    Atom("insert", (("id", "z"), ("copy", "z"))),
    Atom("delete", (("id", "y"),)),
)


@pytest.mark.parametrize("listed", [2, 10_000])
def test_counts_are_those_of_the_log(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, listed: int) -> None:
    """Of all values, or of the most frequent ones one by one and of the rest together."""
    monkeypatch.setattr(event_counts, "LISTED", listed)
    rows = [
        {
            "day": DAYS[number % 2],
            "event_type": "delete" if number % 5 == 0 else "insert",
            "ts": number,
            "db": f"db{number % 3}",
            "user": None if number % 11 == 0 else f"u{number % 4}",
            "id": number % 7,
            "copy": number % 3,
        }
        for number in range(200)
    ]
    events = pa.Table.from_pylist(rows)

    def frame_of(run: Any, table: str, days: Collection[date]) -> DataFrame:
        return spark.createDataFrame(events.filter(pc.is_in(events["day"], pa.array(sorted(days)))))

    monkeypatch.setattr(event_counts, "frame_of", frame_of)
    types = dict.fromkeys(("db", "user"), AttributeType.STRING) | dict.fromkeys(("id", "copy"), AttributeType.INT)
    run: Any = SimpleNamespace(
        spark=spark,
        compiled={"q": SimpleNamespace(evaluator=SimpleNamespace(atoms=ATOMS))},
        workload=SimpleNamespace(attributes=types, operating_days=OperatingDays(timedelta())),
    )
    counts = EventCounts(run)
    spans = [DAYS, DAYS[:1]]
    counts.count((days, ATOMS) for days in spans)
    for days in spans:
        counted = counts.statistics(days, ATOMS)
        expected = statistics_of(events.filter(pc.is_in(events["day"], pa.array(days))), ATOMS, 1)
        assert counted.events == expected.events
        assert (counted.matched, counted.relevant) == (expected.matched, expected.relevant)
        for place, frequencies in expected.frequencies.items():
            own = counted.frequencies[place]
            same = most_frequent(frequencies, listed)
            assert own.values.to_pylist() == same.values.to_pylist()
            assert (own.counts.tolist(), own.others) == (same.counts.tolist(), same.others)


def test_statistics_are_those_of_small_runs(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rates, distinct and heavy values of every kind: texts, integers, floats with both zeros, bools, and gaps.

    Stamps are nanoseconds, some just before the end of a period: too many digits for a double.
    """
    calendar = OperatingDays(timedelta(hours=8), "ns")
    hour, begin = calendar.length // PERIODS, calendar.interval(DAYS[0])[0]
    rows = [
        {
            "day": DAYS[number % 2],
            "run_id": "loaded",
            "event_type": ("leave", "arrive", "idle")[number % 7 % 3],
            "ts": begin + number % 2 * calendar.length + number * hour // 9 - (number % 3 == 0),
            "seq": number,
            "who": (None, 'quote " and é', "b", "b", "b")[number % 5],
            "gate": None if number % 4 == 0 else number % 3,
            "weight": (0.0, -0.0, 0.5, 1e7, None, 0.1)[number % 6],
            "late": (True, False, False, None)[number % 4],
        }
        for number in range(1, 190)
    ]
    types = dict(zip(("who", "gate", "weight", "late"), ("string", "int", "float", "bool"), strict=True))
    schema = {"day": pa.date32(), "run_id": pa.string(), "event_type": pa.string(), "ts": pa.int64(), "seq": pa.int64()}
    schema |= {name: ARROW_TYPES[AttributeType(kind)] for name, kind in types.items()}
    events = pa.Table.from_pylist(rows, pa.schema(schema))
    write_deltalake(tmp_path / "gates" / "events", events, partition_by=["day"])
    monkeypatch.setattr("jobs.stages.statistics.frame_of", lambda *_: spark.createDataFrame(events))
    atoms = (
        Atom("arrive", (("who", "x"), ("gate", "y"))),
        Atom("leave", (("who", "x"), ("weight", "z"), ("late", "l"))),
        Atom("idle"),
    )
    run: Any = SimpleNamespace(
        spark=spark,
        session=LateSession.of(spark),
        lake=tmp_path,
        compiled={"q": SimpleNamespace(evaluator=SimpleNamespace(atoms=atoms))},
        workload=SimpleNamespace(
            name="gates",
            attributes={name: AttributeType(kind) for name, kind in types.items()},
            operating_days=calendar,
            slicing=SimpleNamespace(slices=4),
        ),
    )
    here, in_spark = counted_here(run, DAYS), counted_in_spark(run, DAYS)
    for own, spark_table in zip(here, in_spark, strict=True):
        assert own.num_rows > 10
        assert sorted(own.to_pylist(), key=repr) == sorted(spark_table.select(own.column_names).to_pylist(), key=repr)
    heavy = {(row["attribute"], row["value"]) for row in here[1].to_pylist()}
    assert heavy >= {("who", "b"), ("weight", "0"), ("late", "false")}
