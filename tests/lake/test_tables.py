"""Tables keep their constraints and comments, are replaced by range, and can be read without Spark."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from deltalake.exceptions import DeltaError

from jobs.exits import SchemaChanged
from jobs.lake.conditions import equal, in_spark, one_of
from jobs.lake.register import register
from jobs.lake.tables.all_tables import lake_tables, table_of
from jobs.lake.tables.creating import create, make
from jobs.lake.tables.result_tables import result_table
from jobs.lake.write import append, replace
from jobs.workload.declaration import load_workload
from jobs.workload.operating_days import UNITS, OperatingDays
from tests.leases import leased
from tests.scales import at

pytestmark = pytest.mark.spark

SAMPLE = Path(__file__).resolve().parents[2] / "workloads" / "nyc_flights"
INSIDE = "delta.constraints.inside_its_day"
D1, D2 = date(2024, 1, 1), date(2024, 1, 2)


@pytest.fixture
def lake(spark: Any, tmp_path: Path) -> Iterator[Path]:
    spark.sql("DROP DATABASE IF EXISTS tables CASCADE")
    with leased(tmp_path, "tables"), at(spark, "large"):
        yield tmp_path


def result(*columns: pa.Field) -> Any:
    return result_table("answers", "Which?", pa.schema([*columns]), unit="s")


def frame(spark: Any, *rows: tuple[date, int]) -> Any:
    return spark.createDataFrame([(day, "r", n) for day, n in rows], "day DATE, run_id STRING, n BIGINT")


def test_replacing_a_range_is_idempotent_and_leaves_the_rest(spark: Any, lake: Path) -> None:
    """Twice is once; an empty frame clears the range; a row outside is refused and nothing changes."""
    create("tables", [result(pa.field("n", pa.int64()))], lake)

    def rows() -> list[tuple[date, int]]:
        return sorted((row.day, row.n) for row in spark.table("tables.answers").collect())

    first = equal("day", D1)
    replace(frame(spark, (D1, 1), (D2, 2)), "tables.answers", one_of("day", (D1, D2)))
    for _ in range(2):
        replace(frame(spark, (D1, 3)), "tables.answers", first)
        assert rows() == [(D1, 3), (D2, 2)]
    with pytest.raises(Exception, match="DELTA_REPLACE_WHERE_MISMATCH"):
        replace(frame(spark, (D2, 9)), "tables.answers", first)
    replace(frame(spark).limit(0), "tables.answers", first)
    assert rows() == [(D2, 2)]
    with pytest.raises(ValueError, match="columns missing"):
        replace(frame(spark, (D1, 1)).drop("n"), "tables.answers", first)
    with pytest.raises(ValueError, match="only `runs`"):
        append(frame(spark, (D1, 1)), "tables.answers")


def test_spark_reads_conditions_as_delta_rs_does(spark: Any) -> None:
    """Quotes and backslashes in texts are characters like any other."""
    texts = ["it's", "a\\b", "\\", 'say "x"', "`", "line\nbreak"]
    frame = spark.createDataFrame([(text,) for text in [*texts, "else"]], "text STRING")
    assert sorted(row.text for row in frame.where(in_spark(one_of("text", texts))).collect()) == sorted(texts)


def test_changed_columns_are_refused_with_the_difference(spark: Any, lake: Path) -> None:
    """The message names the columns and the command that rebuilds the table."""
    create("tables", [result(pa.field("n", pa.int64()))], lake)
    with pytest.raises(
        SchemaChanged, match=r"n: BIGINT in the lake, DOUBLE as defined.*trendmill rebuild tables answers"
    ):
        create("tables", [result(pa.field("n", pa.float64()))], lake)


def test_every_table_can_be_read_without_spark(spark: Any, lake: Path) -> None:
    """deltalake opens each table, with every column commented and no feature that other readers lack."""
    from deltalake import DeltaTable

    workload = load_workload(SAMPLE)
    tables = [*lake_tables(workload), result(pa.field("b", pa.list_(pa.int64())), pa.field("n", pa.decimal128(38, 0)))]
    create("tables", tables, lake)
    assert set(register(spark, "tables", lake)) == {table.name for table in tables}
    for table in tables:
        delta = DeltaTable(lake / "tables" / table.folder)
        assert delta.protocol().min_reader_version == 1
        assert [field.name for field in delta.schema().fields] == [column.name for column in table.columns]
        assert all(field.metadata.get("comment") for field in delta.schema().fields)
        assert delta.to_pyarrow_table().num_rows == 0
        assert list(delta.metadata().partition_columns) == list(table.partitioned_by)


def test_a_constraint_stops_a_wrong_row(spark: Any, lake: Path) -> None:
    """An event outside its operating day cannot be written, by Spark or delta-rs; a table whose days
    began at another hour, and that knew other event types, takes the present ones."""
    from pyspark.sql import functions as sf

    workload = load_workload(SAMPLE)
    events = table_of(workload, "events")
    new = make(events, lake / "new")
    assert new.metadata().configuration[INSIDE] == events.checks["inside_its_day"]
    former = {"inside_its_day": f"day = {OperatingDays(timedelta(hours=3)).sql()}", "declared_type": "false"}
    create("tables", [dataclasses.replace(events, checks=former)], lake)
    assert DeltaTable(lake / "tables" / "events").metadata().configuration[INSIDE] == former["inside_its_day"]
    create("tables", [events], lake)
    assert DeltaTable(lake / "tables" / "events").metadata().configuration == new.metadata().configuration
    columns = {column.name: sf.lit(None).cast(column.type) for column in events.columns}
    row = spark.range(1).select(*[value.alias(name) for name, value in columns.items()])
    wrong = row.withColumns(
        {"day": sf.lit(D1), "run_id": sf.lit("r"), "event_type": sf.lit("Weather"), "ts": sf.lit(0), "seq": sf.lit(0)}
    )
    with pytest.raises(Exception, match="inside_its_day"):
        replace(wrong, "tables.events", equal("day", D1))
    with pytest.raises(DeltaError, match="1 rows failed validation check"):
        replace(wrong.toArrow(), "tables.events", equal("day", D1))
    assert spark.table("tables.events").count() == 0
    begin, end = workload.operating_days.interval(D1)
    replace(wrong.withColumn("ts", sf.lit(begin)).toArrow(), "tables.events", equal("day", D1))
    replace(wrong.withColumn("ts", sf.lit(end - 1)), "tables.events", equal("day", D1))
    for ts in (begin - 1, end):
        with pytest.raises(DeltaError, match="1 rows failed validation check"):
            replace(wrong.withColumn("ts", sf.lit(ts)).toArrow(), "tables.events", equal("day", D1))
    assert [row.ts for row in spark.table("tables.events").collect()] == [end - 1]


def test_both_writers_know_the_day_of_a_moment(spark: Any, tmp_path: Path) -> None:
    """First and last moments of days, in every unit, as far as nanoseconds reach."""
    moments, days, expressions = {}, {}, []
    for unit in UNITS:
        calendar = OperatingDays(timedelta(hours=8, minutes=30), unit)
        chosen = [date(1677, 9, 23), date(1900, 2, 28), date(1969, 12, 31), date(1970, 1, 1), D1, date(2262, 4, 10)]
        moments[unit] = [ts for day in chosen for begin, end in [calendar.interval(day)] for ts in (begin, end - 1)]
        days[unit] = [calendar.day_of(ts) for ts in moments[unit]]
        expressions.append(f"{calendar.sql(unit)} AS {unit}")
    table = pa.table(moments)
    assert spark.createDataFrame(table).selectExpr(*expressions).toArrow().to_pydict() == days
    write_deltalake(tmp_path / "moments", table)
    queries = QueryBuilder().register("moments", DeltaTable(tmp_path / "moments"))
    days_read = queries.execute(f"SELECT {', '.join(expressions)} FROM moments").read_all()
    assert pa.table(days_read).to_pydict() == days
