"""Expressions of a workload that fail on some values: a text that is no number, a number out of range, a zero divisor.

Spark ends a query at the first such value (its ANSI mode). A load must go on and refuse the rows whose values these
are. So an expression is attempted: Catalyst's `TryEval`, which stands behind `try_to_binary` and others, gives null
where what it holds fails. SQL has no name for it, so the expression is wrapped through the JVM.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.logger import PySparkLogger
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as sf

_DATA_EXCEPTION = re.compile(r"\[([A-Z_.]+)\] ((?:.|\n)*?) ?SQLSTATE: 22")
"""SQLSTATE 22 is the standard's class of errors of values."""
_ADVICE = re.compile(r" (Correct the value|Use `try_|If necessary set|To return NULL|You can use)(.|\n)*")

LOSSES = ("org.apache.spark.scheduler.TaskSchedulerImpl", "org.apache.spark.scheduler.cluster")
"""The loggers that tell of lost executors, workers and masters."""

SHARED_PARTS = "spark.sql.subexpressionElimination.enabled"
"""Spark's setting: what stands in several expressions of a row is computed once."""


def attempted(expression: Column) -> Column:
    """A struct with the expression's `value`; null where the expression fails. To be computed `in_attempts`."""
    jvm = _jvm()
    value = jvm_expression(sf.struct(expression.alias("value")))
    return column_of(jvm.org.apache.spark.sql.catalyst.expressions.TryEval(value))


def column_of(expression: Any) -> Column:
    """A Catalyst expression as a column."""
    from pyspark.sql.classic.column import Column as ClassicColumn

    return ClassicColumn(scala_object("org.apache.spark.sql.classic.ExpressionUtils").column(expression))


def jvm_expression(column: Column) -> Any:
    """A column as a Catalyst expression."""
    return scala_object("org.apache.spark.sql.classic.ExpressionUtils").expression(column._jc)


def scala_object(name: str) -> Any:
    """The Scala object of this name."""
    return _jvm().java.lang.Class.forName(f"{name}$").getField("MODULE$").get(None)


def _jvm() -> Any:
    session = SparkSession.getActiveSession()
    assert session is not None
    return session._jvm


def failure_of_values(error: BaseException) -> str | None:
    """What Spark says of a value on which an expression fails, without its advice; null: the error is another one.

    >>> failure_of_values(ValueError("[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to ... SQLSTATE: 22012 =="))
    'Division by zero.'
    >>> failure_of_values(ValueError("[USER_RAISED_EXCEPTION] no SQLSTATE: P0001")) is None
    True
    """
    match = _DATA_EXCEPTION.search(str(error))
    return _ADVICE.sub("", match[2]) if match else None


@contextmanager
def in_attempts(spark: SparkSession) -> Iterator[None]:
    """Within, Spark computes each attempt by itself: else what stands in two of them is computed once, before both."""
    before = spark.conf.get(SHARED_PARTS)
    spark.conf.set(SHARED_PARTS, "false")
    try:
        yield
    finally:
        spark.conf.set(SHARED_PARTS, before)


@contextmanager
def without_traces(spark: SparkSession) -> Iterator[None]:
    """Within, Spark logs no traces of what fails: the error itself says what they say. Lost executors are told."""
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    level, former = logger.level, spark.conf.get("spark.log.level", "ERROR") or "ERROR"
    logger.setLevel(logging.CRITICAL + 1)
    spark.sparkContext.setLogLevel("OFF")
    _set_level_of_losses("ERROR")
    try:
        yield
    finally:
        logger.setLevel(level)
        spark.sparkContext.setLogLevel(former)
        _set_level_of_losses(former)


def _set_level_of_losses(level: str) -> None:
    log4j = _jvm().org.apache.logging.log4j
    for name in LOSSES:
        log4j.core.config.Configurator.setLevel(name, log4j.Level.toLevel(level))
