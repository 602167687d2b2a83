"""The syntax tree of a pattern query as written: its clauses, before names are resolved (`docs/language.md` 1).

Patterns and expressions are those of `tree`, with names as written. Forms that exist only in the text have classes
here: bare attributes, aggregates over all trends, spans with units. Two texts have equal trees if they differ only in
layout, case of keywords, order of clauses, or spelling of symbols.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from cep_core.language.errors import Position
from cep_core.language.patterns.query import Skip, Strategy
from cep_core.language.patterns.tree import Expression, Pattern


class SpanUnit(StrEnum):
    """Units of a span, as printed."""

    MILLISECONDS = "ms"
    SECONDS = "seconds"
    MINUTES = "minutes"
    HOURS = "hours"
    DAYS = "days"
    EVENTS = "events"


@dataclass(frozen=True)
class WrittenSpan:
    """`10 minutes`; `unit` None: the log's unit."""

    number: int | float
    unit: SpanUnit | None
    at: Position = field(compare=False)


@dataclass(frozen=True)
class AttributeName:
    """`segment` or `P.vehicle`; `variable` is `""` if none is written."""

    variable: str
    attribute: str
    at: Position = field(compare=False)


@dataclass(frozen=True)
class TrendAggregate:
    """`COUNT(*)` (`target` None), `COUNT(E)` (`attribute` None), `MAX(E.x)`: over all trends."""

    function: str
    target: str | None
    attribute: str | None
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Item:
    """An item of RETURN."""

    value: Expression | TrendAggregate
    alias: str | None
    at: Position = field(compare=False)


@dataclass(frozen=True)
class WrittenSkip:
    """AFTER MATCH SKIP."""

    kind: Skip
    variable: str | None
    at: Position = field(compare=False)


@dataclass(frozen=True)
class WrittenConfidence:
    """WITH CONFIDENCE; `operator` is `>=` or `>`."""

    operator: str
    threshold: float
    at: Position = field(compare=False)


@dataclass(frozen=True)
class WrittenQuery:
    """All clauses of a query; `conditions` are the top-level conjuncts of WHERE, `equivalences` those in brackets."""

    pattern: Pattern
    within: WrittenSpan
    slide: WrittenSpan | None = None
    strategy: Strategy | None = None
    strategy_at: Position | None = field(default=None, compare=False)
    equivalences: tuple[AttributeName, ...] = ()
    conditions: tuple[Expression, ...] = ()
    group_by: tuple[AttributeName, ...] = ()
    returns: tuple[Item, ...] = ()
    skip: WrittenSkip | None = None
    confidence: WrittenConfidence | None = None
