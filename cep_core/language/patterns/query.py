"""A bound pattern query: the pattern, its window and strategy, predicates sorted by kind, and what it returns.

Made by `binding.bind`, read by the engines. Everything is resolved: variables are unique, attributes exist and are
typed, predicates are conjuncts of the kinds below (`docs/language.md` 1, `docs/semantics.md` 3, 4, 6).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from cep_core.aggregates.aggregate import Aggregate
from cep_core.events.schema import AttributeType, LogSchema
from cep_core.language.bound_query import AGGREGATION, MATCHING
from cep_core.language.errors import Position
from cep_core.language.patterns.tree import Comparison, Expression, Pattern


class Strategy(StrEnum):
    """Selection strategies."""

    STRICT = "strict_contiguity"
    PARTITION = "partition_contiguity"
    NEXT = "skip_till_next_match"
    ANY = "skip_till_any_match"


@dataclass(frozen=True)
class Variable:
    """A unit of the pattern, in pattern order."""

    name: str
    event_type: str
    kleene: bool
    """Under a quantifier that may repeat it: bound to a list of events."""
    optional: bool
    """Absent from some matches (star, `?`, one side of OR)."""
    negated: bool
    at: Position


@dataclass(frozen=True)
class Window:
    """`WITHIN size [SLIDE slide]`, in the log's unit, or in events when `events` is True. `slide` None: not said."""

    size: int
    events: bool = False
    slide: int | None = None


@dataclass(frozen=True)
class VertexPredicate:
    """A condition on single events: it holds of every event bound to `variable`."""

    variable: str
    expression: Expression
    """Mentions `variable` only, with `Which.EACH`."""


class Adjacency(StrEnum):
    """Between which two events of a match an edge predicate stands."""

    BINDING = "binding"
    """`b[i-1]`: consecutive events of the same variable in the whole binding, whatever lies between."""
    NEIGHBOUR = "neighbour"
    """`NEXT(S)`, `PREV(S)`, `b[1].x > a.x`, `a.x < b.x` of adjacent units: events adjacent in the trend."""


@dataclass(frozen=True)
class EdgePredicate:
    """A condition between an event of `source` and a later one of `target`, which stand in `adjacency`.

    `first_only`: only where the target is the first event of its Kleene variable (`b[1].x > a.x`); `last_only`: only
    where the source is the last of its (`b[last].x < c.x`). `separated` has the condition as `left op right`, `left`
    mentioning `source` only and `right` mentioning `target` only, where it can be so written, else None. Within
    `separated` and `expression`, references to either event are `Which.EACH` if source and target differ; if they are
    the same variable the source's are `Which.PREVIOUS` and the target's `Which.EACH`.
    """

    source: str
    target: str
    adjacency: Adjacency
    expression: Expression
    separated: Comparison | None
    first_only: bool = False
    last_only: bool = False


@dataclass(frozen=True)
class MatchPredicate:
    """Any other condition: judged on a whole match or a prefix of it (paper 04's postponed predicates included)."""

    expression: Expression
    variables: tuple[str, ...]
    consistency: str
    """Paper 04's class: "true", "false", "both" or "inconsistent"."""


@dataclass(frozen=True)
class KeyClass:
    """One equivalence: all `members`, (variable, attribute) pairs, carry the same non-null value in a match.

    `name` names the slicing variable (the attribute, made unique); `slices`: whether `docs/semantics.md` 6 lets the
    slicer and the hash partitioning use it; `type` is the class's common type, to which keys are coerced.
    """

    name: str
    members: tuple[tuple[str, str], ...]
    type: AttributeType
    slices: bool
    at: Position


@dataclass(frozen=True)
class ReturnItem:
    """One item of RETURN, named as its output column.

    Either `attribute` (a bare, grouped attribute), or `aggregate` over all trends with the `variables` it ranges over
    (all variables of the named type) and `argument`, their attribute; or, in a matching query, `expression`.
    """

    column: str
    at: Position
    attribute: str | None = None
    aggregate: Aggregate | None = None
    variables: tuple[str, ...] = ()
    argument: str | None = None
    expression: Expression | None = None
    type: AttributeType | None = None
    """The type of the attribute, the argument or the expression."""


class Skip(StrEnum):
    """AFTER MATCH SKIP."""

    PAST_LAST = "past last event"
    TO_NEXT = "to next event"
    TO_FIRST = "to first"
    TO_LAST = "to last"


@dataclass(frozen=True)
class Confidence:
    """WITH CONFIDENCE: how likely a match must be at least, from 0 to 1; `strict`: more likely than that.

    No impossible match is listed, whatever the threshold.
    """

    threshold: float
    strict: bool = False

    def accepts(self, probability: float) -> bool:
        """Whether a match of this probability is wanted; sums of floats are compared in 12 digits.

        >>> Confidence(0.3).accepts(0.1 + 0.1 + 0.1), Confidence(0.3, strict=True).accepts(0.1 + 0.1 + 0.1)
        (True, False)
        """
        return probability > 0 and (
            probability > self.threshold * (1 + 1e-12) if self.strict else probability >= self.threshold * (1 - 1e-12)
        )


@dataclass(frozen=True)
class Query:
    """A bound pattern query (`cep_core.language.bound_query.BoundQuery`)."""

    text: str
    path: str
    schema: LogSchema
    aggregation: bool
    pattern: Pattern
    variables: tuple[Variable, ...]
    strategy: Strategy
    window: Window
    vertex_predicates: tuple[VertexPredicate, ...] = ()
    edge_predicates: tuple[EdgePredicate, ...] = ()
    match_predicates: tuple[MatchPredicate, ...] = ()
    key_classes: tuple[KeyClass, ...] = ()
    group_by: tuple[str, ...] = ()
    """Attributes; each has a key class of the same name."""
    returns: tuple[ReturnItem, ...] = ()
    skip: Skip | None = None
    skip_variable: str | None = None
    warnings: tuple[str, ...] = field(default=(), compare=False)
    partition_attributes: tuple[str, ...] = ()
    """The attributes of `[x]` and GROUP BY: contiguity in the partition ranks the events of types that have all."""
    confidence: Confidence | None = None
    """None: `ts` is taken as the time of an event, however imprecise it is."""

    @property
    def kind(self) -> str:
        """An aggregation over all trends, or matching."""
        return AGGREGATION if self.aggregation else MATCHING

    @property
    def head(self) -> Position:
        """The first item of an aggregation's RETURN; the pattern of a matching query."""
        return self.returns[0].at if self.aggregation else self.pattern.at

    @property
    def positive(self) -> tuple[Variable, ...]:
        """The variables that a match binds, in pattern order."""
        return tuple(variable for variable in self.variables if not variable.negated)
