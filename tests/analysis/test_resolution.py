"""SQL is read as Spark reads it: what Spark takes is never refused, and what is refused Spark would refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.analysis.resolution import Resolver
from jobs.analysis.statement import Mistake, parse_select
from tests.analysis.statements import BAD, GOOD, SCHEMAS, TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def mistakes(text: str) -> list[Mistake]:
    statement = parse_select(text)
    if statement.query is None:
        return list(statement.mistakes)
    return Resolver(TABLES).resolve(statement.query)


@pytest.mark.parametrize("text", GOOD)
def test_a_statement_that_spark_reads_has_no_mistake(text: str) -> None:
    """A false alarm is worse than a miss."""
    assert mistakes(text) == []


@pytest.mark.parametrize(("marked", "hint"), BAD)
def test_a_mistake_is_told_with_its_place_and_a_hint(marked: str, hint: str) -> None:
    """One mistake, and only that one."""
    [mistake] = mistakes(marked.replace("^", ""))
    assert mistake.start == marked.index("^"), mistake
    assert hint in mistake.hint


def test_every_mistake_is_told_at_once() -> None:
    """Of all parts of a query, in text order."""
    text = "WITH a AS (SELECT lin FROM trips) SELECT lat FROM trps UNION ALL SELECT line FROM trips WHERE lat > 1"
    problems = mistakes(text)
    assert [text[mistake.start : mistake.start + mistake.length] for mistake in problems] == ["lin", "trps", "lat"]


@pytest.mark.spark
def test_spark_reads_and_refuses_the_same(spark: SparkSession) -> None:
    """Each good statement can be analysed over empty tables, each bad one cannot."""
    from pyspark.errors import PySparkException

    for name, schema in SCHEMAS.items():
        spark.createDataFrame(
            [], ", ".join(f"`{column}` {kind}" for column, kind in schema.items())
        ).createOrReplaceTempView(name)

    def reads(text: str) -> bool:
        try:
            return spark.sql(text).schema is not None
        except PySparkException:
            return False

    assert [text for text in GOOD if not reads(text)] == []
    assert [marked for marked, _ in BAD if reads(marked.replace("^", ""))] == []
    for name in SCHEMAS:
        spark.catalog.dropTempView(name)


NAMES = st.sampled_from(["line", "late", "Gate", "length", "lin", "t.line", "l.line", "x", "trips.late", "_row.raw"])


@st.composite
def statements(draw: st.DrawFn) -> str:
    """SELECTs of a few columns over one table, two tables, or a query of the same kind."""
    tables = ["trips t", "lines l", "trips", "lines", "trips t JOIN lines l ON t.line = l.line"]
    inner = draw(st.booleans())
    table = f"({draw(statements())}) t" if inner and draw(st.booleans()) else draw(st.sampled_from(tables))
    columns = ", ".join(
        name + draw(st.sampled_from(["", f" AS {alias}", ""]))
        for name, alias in draw(
            st.lists(st.tuples(NAMES, st.sampled_from(["x", "late", "other"])), min_size=1, max_size=3)
        )
    )
    where = draw(st.sampled_from(["", " WHERE ", " ORDER BY "]))
    return f"SELECT {columns} FROM {table}{where}{draw(NAMES) + ' IS NOT NULL' if where else ''}"


@pytest.mark.spark
@settings(max_examples=60)
@given(statements())
def test_what_is_refused_spark_refuses(spark: SparkSession, text: str) -> None:
    """For random statements; what Spark refuses for other reasons is not asked."""
    from pyspark.errors import PySparkException

    for name, schema in SCHEMAS.items():
        if not spark.catalog.tableExists(name):
            columns = ", ".join(f"`{column}` {kind}" for column, kind in schema.items())
            spark.createDataFrame([], columns).createOrReplaceTempView(name)
    try:
        reads = bool(spark.sql(text).schema)
    except PySparkException:
        reads = False
    if reads:
        assert mistakes(text) == []


@settings(max_examples=50)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Never anything but mistakes, each inside of the text."""
    from jobs.analysis import statement

    with pytest.MonkeyPatch.context() as patch:  # Spark's own parser is asked by the tests above
        patch.setattr(statement, "syntax_error", lambda *_: ("wrong", 1, 1))
        for mistake in mistakes(text):
            assert 0 <= mistake.start <= len(text)
