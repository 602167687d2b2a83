"""An aggregate is said once, in its own file: the language, both engines and the reports read the list."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.aggregates.aggregate import Aggregate
from cep_core.aggregates.registry import AGGREGATES, NAMED, OVER_TRENDS
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.errors import QueryError
from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.text.parsing import parse
from cep_core.language.patterns.text.printing import print_query
from jobs.reports.answers.aggregations.aggregation import label

HOUSE = Path(cep.__file__).parent.parent
LOG = pa.table({"event_type": list("AABA"), "ts": range(4), "x": [7, -2, None, 4]})
SCHEMA = LogSchema({name: {"x": Attribute("x", AttributeType.INT)} for name in ("A", "B")})
KNOWN_ELSEWHERE = {"cep_core/experiments/sase/interpreting.py"}  # doubles whose sum is rounded as it grows
WORDS = {"count", "min", "max", "sum", "first", "last"}  # also of Arrow, or of the language


def strings(source: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_other_file_names_an_aggregate() -> None:
    """So a new aggregate takes its file and one line in the list."""
    naming = {
        str(source.relative_to(HOUSE))
        for folder in ("language", "trends", "matching", "experiments/sase", "../jobs")
        for source in (HOUSE / "cep_core" / folder).resolve().rglob("*.py")
        if (set(NAMED) - WORDS) & set(strings(source))
    }
    assert naming == KNOWN_ELSEWHERE


def test_each_has_a_file_of_its_own() -> None:
    files = [type(aggregate).__module__ for aggregate in AGGREGATES]
    assert len(set(files)) == len(files)


@pytest.mark.parametrize(
    "aggregate", [aggregate for aggregate in AGGREGATES if aggregate.over_trends], ids=lambda aggregate: aggregate.name
)
def test_each_over_trends(aggregate: Aggregate) -> None:
    """Parsed, printed, named, evaluated and labelled as its file says."""
    written = f"{aggregate.name.upper()}({'A' if aggregate.of_events else 'A.x'})"
    text = f"RETURN {written.lower().replace('a', 'A', 0)}\nPATTERN A\nWITHIN 10".replace("(a", "(A")
    assert print_query(parse(text)).splitlines()[0] == f"RETURN {written}"
    (item,) = bind(text, SCHEMA).returns
    assert label(item) == written
    value = cep.aggregate(text, LOG)[item.column].to_pylist()[0]
    expected = aggregate.define([1, 1, 1] if aggregate.of_events else [7, -2, 4])
    assert Fraction(value) == Fraction(expected).limit_denominator(1 << 52) if value is not None else expected is None


@pytest.mark.parametrize("aggregate", AGGREGATES, ids=lambda aggregate: aggregate.name)
def test_each_inside_a_match(aggregate: Aggregate) -> None:
    """Of the longest match: over all events of its list."""
    text = f"PATTERN A+ a[] WITHIN 10 RETURN {aggregate.name}(a[].x) AS told"
    rows = cep.match(text, LOG).to_pylist()
    longest = max(rows, key=lambda row: len(row["a"]))
    assert longest["told"] == pytest.approx(float(aggregate.define([7, -2, 4])))


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("MEDIAN", "'MEDIAN' has no meaning over all trends: a median needs every value", "AVG, STDDEV, MIN and MAX"),
        ("STDEV", "'STDEV' has no meaning over all trends", "did you mean 'stddev'?"),
        ("spread", "'spread' has no meaning over all trends", "inside one match write spread(A[].x)"),
    ],
)
def test_others_are_refused_by_name(name: str, message: str, hint: str) -> None:
    with pytest.raises(QueryError) as refusal:
        cep.aggregate(f"RETURN {name}(A.x) PATTERN A+ WITHIN 9", LOG)
    assert (refusal.value.line, refusal.value.column) == (1, 8)
    assert refusal.value.message.startswith(message)
    assert hint in refusal.value.hint


def test_the_hint_for_an_aggregation_lists_all() -> None:
    with pytest.raises(QueryError) as refusal:
        cep.aggregate("RETURN COUNT(*), avg(a[].x) PATTERN A+ a[] WITHIN 9", LOG)
    assert ", ".join(OVER_TRENDS).upper() in refusal.value.hint
