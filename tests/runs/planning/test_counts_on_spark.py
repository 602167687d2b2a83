"""Spark counts for the planner what `statistics_of` counts: types, atoms with constants, values by relation (S16)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing import statistics_of
from jobs.stages.slicing import event_counts
from jobs.stages.slicing.event_counts import EventCounts
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


def test_counts_are_those_of_the_log(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
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
    counts.count(spans)
    for days in spans:
        found = counts.statistics(days, ATOMS)
        expected = statistics_of(events.filter(pc.is_in(events["day"], pa.array(days))), ATOMS, 1)
        assert found.events == expected.events
        assert (found.matched, found.relevant) == (expected.matched, expected.relevant)
        for place, frequencies in expected.frequencies.items():
            own = found.frequencies[place]
            assert dict(zip(own.values.to_pylist(), own.counts.tolist(), strict=True)) == dict(
                zip(frequencies.values.to_pylist(), frequencies.counts.tolist(), strict=True)
            )
