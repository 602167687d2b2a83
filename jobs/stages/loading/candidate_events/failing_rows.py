"""events.sql where its expressions fail on the values of some rows: these rows are flawed, all others give events.

A query that computes each event from its own row is a UNION ALL of parts, each of them expressions and conditions over
sources or joins (Catalyst's `PhysicalOperation` puts the expressions of inner SELECTs in). Each expression and each
condition of a part is attempted, and `FAILED` tells which of them failed. A condition that is not true leaves a row
out whether another one fails or not, in whatever order Spark would judge them; so the same rows are flawed in each run.
What fails below a window, GROUP BY, ORDER BY or join ends the load. Used only after the query has failed, which then
costs twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from jobs.exits import WrongWorkload
from jobs.raw.attempts import attempted, column_of, failure_of_values, in_attempts, scala_object, without_traces
from jobs.raw.rows import ROW
from jobs.runs.run import Run
from jobs.stages.loading.candidate_events.candidates import FAILED, WHERE, candidate_events

_CATALYST = "org.apache.spark.sql.catalyst"
_THROUGH_UNIONS = ("PushProjectionThroughUnion", "PushPredicateThroughNonJoin")
_DEEPEST = 20
"""SELECTs inside each other through which a UNION ALL is brought out."""
_UNNAMED = re.compile(r"__auto_generated_subquery_name\w*\.")
"""What Spark calls a SELECT in FROM that has no name."""
_LONGEST = 200
"""Letters of an expression that are told."""

T = TypeVar("T")


def with_candidates(run: Run, compute: Callable[[DataFrame], T]) -> T:
    """What `compute` makes of the candidate events. Events of rows on whose values events.sql fails have a flaw.

    Raises WrongWorkload if it fails where no row can be told.
    """
    try:
        with without_traces(run.spark):
            return compute(candidate_events(run))
    except Exception as error:
        if failure_of_values(error) is None:
            raise
    try:
        with in_attempts(run.spark), without_traces(run.spark):
            return compute(candidate_events(run, parted))
    except Exception as error:
        failure = failure_of_values(error)
        if failure is None:
            raise
        raise WrongWorkload(
            f"{run.workload.name}/events.sql: {failure} This is below a window, GROUP BY, DISTINCT, ORDER BY or "
            "join, where no row can be refused for it: write try_cast, try_divide or the like there, which give NULL"
        ) from error


def parted(produced: DataFrame) -> DataFrame:
    """The same events; where an expression fails the column is null, and FAILED names it with its text."""
    parts = [_part(produced, plan) for plan in branches(without_names(produced))]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.union(part)
    return whole


def without_names(produced: DataFrame) -> Any:
    """The analysed plan without names of its parts: expressions of WITH stand where they are used, a UNION ALL is
    outermost."""
    jvm: Any = produced.sparkSession._jvm
    plan = produced._jdf.queryExecution().analyzed()
    plan = jvm.org.apache.spark.sql.catalyst.optimizer.InlineCTE(True, False).apply(plan)
    for name in ("EliminateSubqueryAliases", "EliminateView"):
        plan = scala_object(f"{_CATALYST}.analysis.{name}").apply(plan)
    through = [scala_object(f"{_CATALYST}.optimizer.{name}") for name in _THROUGH_UNIONS]
    for _ in range(_DEEPEST):
        before = plan
        for rule in through:
            plan = rule.apply(plan)
        if plan.fastEquals(before):
            break
    return plan


def branches(plan: Any) -> Iterator[Any]:
    """The parts of a UNION ALL."""
    if plan.nodeName() != "Union":
        yield plan
        return
    for place in range(plan.children().size()):
        yield from branches(plan.children().apply(place))


def operation(plan: Any) -> tuple[list[Any], list[Any], Any]:
    """The expressions of a part, its conditions, each by itself, and what they are asked of."""
    parts = scala_object(f"{_CATALYST}.planning.PhysicalOperation").unapply(plan).get()
    fields, conditions = ([seq.apply(place) for place in range(seq.size())] for seq in (parts._1(), parts._2()))
    return fields, [part for condition in conditions for part in _conjuncts(condition)], parts._3()


def _part(produced: DataFrame, plan: Any) -> DataFrame:
    """One part of the UNION, with the columns of the whole."""
    fields, conditions, child = operation(plan)
    spark = produced.sparkSession
    rows = DataFrame(scala_object("org.apache.spark.sql.classic.Dataset").ofRows(spark._jsparkSession, child), spark)
    columns: list[Column] = []
    failures: list[Column] = []
    for name, field in zip(produced.columns, fields, strict=True):
        value = attempted(column_of(field))
        columns.append(column_of(field).alias(name) if name == ROW else value["value"].alias(name))
        failures.append(_failure(value, f"cannot compute {name}: {_text(field)}").alias(name))
    undecided = sf.lit(None).cast("string")
    for condition in conditions:
        held = attempted(column_of(condition))
        rows = rows.where(held.isNull() | held["value"])
        undecided = sf.coalesce(undecided, _failure(held, f"cannot tell whether {condition.sql()}"))
    return rows.select(*columns, sf.struct(*failures, undecided.alias(WHERE)).alias(FAILED))


def _conjuncts(condition: Any) -> Iterator[Any]:
    if condition.nodeName() == "And":
        yield from _conjuncts(condition.left())
        yield from _conjuncts(condition.right())
    else:
        yield condition


def _failure(value: Column, what: str) -> Column:
    what = _UNNAMED.sub("", what)
    text = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}..."
    return sf.when(value.isNull(), f"events.sql {text}")


def _text(field: Any) -> str:
    return str((field.child() if field.nodeName() == "Alias" else field).sql())
