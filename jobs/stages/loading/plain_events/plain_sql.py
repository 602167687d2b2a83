"""What of events.sql and row rules workers compute themselves, as Catalyst tells it once Spark has understood the text.

A workload is plain if events.sql is a SELECT over one source, or a UNION ALL of such, whose values and conditions are
`expressions.py`, and so are all row rules. Catalyst's analysed plan tells: names are resolved, types are known, and
what refers to no column is computed by Catalyst. What is not understood is left to Spark, whole: a part that asks for
another row, by a join, a window or a subquery, must find all rows there.

Cost: Spark analyses each text once more, on sources without rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from jobs.lake.definition import SQL_TYPES
from jobs.raw.rows import ROW, ROW_TYPE
from jobs.runs.run import Run
from jobs.stages.loading.candidate_events.failing_rows import branches, operation, without_names
from jobs.stages.loading.plain_events.expressions import OPERATORS, Column, Constant, Expression, Operation
from jobs.stages.loading.plain_events.plain_rows import OWN_SEQ, PlainPart, PlainSource
from jobs.workload.sections.sources import Source

_TYPES = {
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", "UTC"),
}
"""Of expressions, by Spark's names. A text with rules of its own for comparing has another name."""

_COMPARED = {"EqualTo", "LessThan", "GreaterThan", "LessThanOrEqual", "GreaterThanOrEqual", "In"}
_ORDERED = ("bigint", "double", "string")
_OF_STAMPS = {"UnixSeconds", "UnixMillis", "UnixMicros"}


class NotPlain(Exception):
    """Something that only Spark computes."""


def plain_sources(run: Run) -> list[PlainSource] | None:
    """Of each source its events and rules, as workers compute them; None: not all of them can.

    Makes a view without rows of each source, in the place of which the source's own is to come.
    """
    sources = list(run.workload.sources.values())
    shapes = [tuple(source.columns.items()) for source in sources]
    if len(set(shapes)) < len(sources):
        return None  # a plan does not tell two sources of the same columns apart
    for source in sources:
        columns = ", ".join(f"`{name}` {kind}" for name, kind in source.columns.items())
        rows = run.spark.createDataFrame([], f"{columns}, {ROW} {ROW_TYPE}")
        rows.createOrReplaceTempView(source.name)
    parts: list[list[PlainPart]] = [[] for _ in sources]
    try:
        for part in branches(without_names(given := run.spark.sql(run.workload.events_sql))):
            rank, fields, conditions = _selected(part, sources)
            parts[rank].append(_part(run, given, fields, conditions))
        return [PlainSource(tuple(own), tuple(_rules(run, source))) for source, own in zip(sources, parts, strict=True)]
    except (NotPlain, PySparkException, Py4JError):  # who computes events.sql as a whole tells what is wrong with it
        return None


def _rules(run: Run, source: Source) -> Iterator[Expression]:
    """The predicates of a source's row rules."""
    for rule in run.workload.expectations.of_source(source.name):
        yield plain_truth(run.spark.table(source.name), rule.holds)


def plain_truth(rows: DataFrame, predicate: str) -> Expression:
    """A predicate over the columns of some rows. Raises NotPlain, or what Spark says of it."""
    [part] = branches(without_names(rows.selectExpr(f"({predicate}) AS holds")))
    [field], _, child = operation(part)
    if child.children().size() or field.dataType().simpleString() != "boolean":
        raise NotPlain
    return _expression(field)


def _selected(plan: Any, sources: Sequence[Source]) -> tuple[int, list[Any], list[Any]]:
    """The source of a SELECT, what it gives, and its conditions."""
    fields, conditions, child = operation(plan)
    if child.children().size():
        raise NotPlain
    names = [each.name() for each in _each(child.output())]
    for rank, source in enumerate(sources):
        if names == [*source.columns, ROW]:
            return rank, fields, conditions
    raise NotPlain


def _part(run: Run, given: DataFrame, fields: Sequence[Any], conditions: Sequence[Any]) -> PlainPart:
    """The events of a SELECT. Its values must have the declared types already."""
    declared = {name: SQL_TYPES[kind].lower() for name, kind in run.workload.attributes.items()}
    declared |= {"ts": "bigint", "event_type": "string", "seq": "bigint"}
    if len(set(given.columns)) < len(given.columns) or {*declared, ROW} - {*given.columns, "seq"}:
        raise NotPlain
    values: dict[str, Expression] = {}
    for name, field in zip(given.columns, fields, strict=True):
        if name == ROW:
            _check_row(field)
        elif name not in declared or field.dataType().simpleString() not in (declared[name], "void"):
            raise NotPlain
        else:
            values[OWN_SEQ if name == "seq" else name] = _expression(field)
    return PlainPart(values, tuple(map(_expression, conditions)))


def _check_row(field: Any) -> None:
    """Raises NotPlain unless the row of an event is the source's own."""
    named = field.child() if field.nodeName() == "Alias" else field
    if named.nodeName() != "AttributeReference" or named.name() != ROW:
        raise NotPlain


def _expression(node: Any) -> Expression:
    """An expression of Catalyst's. Raises NotPlain."""
    name, kind = node.nodeName(), node.dataType().simpleString()
    if name == "Alias" or (name == "Cast" and node.child().dataType().simpleString() == kind):
        return _expression(node.child())
    if name == "AttributeReference" and kind in _TYPES:
        return Column(node.name())
    if node.foldable() and node.deterministic():
        return _constant(node, kind)
    arguments = list(_each(node.children()))
    kinds = {argument.dataType().simpleString() for argument in arguments}
    if name not in OPERATORS or not kinds <= _TYPES.keys() or (name in _OF_STAMPS and kinds != {"timestamp"}):
        raise NotPlain
    if name in _COMPARED and (len(kinds) > 1 or not kinds <= {*_ORDERED}):
        raise NotPlain
    return Operation(name, tuple(map(_expression, arguments)))


def _constant(node: Any, kind: str) -> Constant:
    value = node.eval(None)
    if kind == "void" and value is None:
        return Constant(None, pa.null())
    if kind == "string" and value is not None:
        value = value.toString()
    if kind not in ("bigint", "double", "string", "boolean"):
        raise NotPlain
    return Constant(value, _TYPES[kind])


def _each(seq: Any) -> list[Any]:
    """The members of a sequence of Scala's."""
    return [seq.apply(place) for place in range(seq.size())]
