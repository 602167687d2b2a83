"""Batches of narrow events are limited by rows alone, and only while they are written to runs."""

from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, BinaryType, DateType, DoubleType, LongType, StringType, StructField, StructType

from jobs.stages.loading.event_runs import UNMEASURED, batches_by_rows, is_narrow

BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"
OWN = [("event_type", StringType()), ("ts", LongType()), ("_day", DateType()), ("_flaw", StringType())]


def schema_of(*more: tuple[str, Any]) -> StructType:
    return StructType([StructField(name, kind) for name, kind in (*OWN, *more)])


class Settings(dict[str, str]):
    """A session's settings."""

    def set(self, name: str, value: str) -> None:
        self[name] = value


def session_of(schema: StructType) -> tuple[Any, Settings]:
    conf = Settings(dict.fromkeys(UNMEASURED, "before"))
    return SimpleNamespace(schema=schema, sparkSession=SimpleNamespace(conf=conf)), conf


@pytest.mark.parametrize(
    ("more", "narrow"),
    [
        ([], True),
        ([("value", DoubleType()), ("key", LongType())], True),
        ([("name", StringType())], False),
        ([("_order_0_text", StringType())], False),
        ([("raw", BinaryType())], False),
        ([("numbers", ArrayType(LongType()))], False),
    ],
)
def test_rows_with_texts_stay_limited_by_bytes(more: list[tuple[str, Any]], narrow: bool) -> None:
    rows, conf = session_of(schema_of(*more))
    assert is_narrow(rows.schema) == narrow
    with batches_by_rows(rows):
        assert conf == (UNMEASURED if narrow else dict.fromkeys(UNMEASURED, "before"))
    assert set(conf.values()) == {"before"}


def test_settings_return_after_an_error() -> None:
    rows, conf = session_of(schema_of())
    with suppress(OSError), batches_by_rows(rows):
        assert conf[BYTES] == str(2**31 - 1)
        raise OSError("disk")
    assert set(conf.values()) == {"before"}
