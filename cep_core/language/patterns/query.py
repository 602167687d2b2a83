"""A bound pattern query: the pattern, its window and strategy, predicates sorted by kind, and what it returns.

Made by `binding.bind`, read by the engines. Everything is resolved: variables are unique, attributes exist and have
types, and each predicate is a conjunct of one of the kinds below (`docs/language.md` 1, `docs/semantics.md` 3, 4, 6).
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
    """True if a quantifier may repeat the unit: the variable is then bound to a list of events."""
    optional: bool
    """True if some matches leave the variable unbound (star, `?`, one side of OR)."""
    negated: bool
    at: Position


@dataclass(frozen=True)
class Window:
    """`WITHIN size [SLIDE slide]`, in the log's unit, or in events when `events` is True.

    `slide` is None if SLIDE is not written.
    """

    size: int
    events: bool = False
    slide: int | None = None


@dataclass(frozen=True)
class VertexPredicate:
    """A condition on single events, which every event bound to `variable` must satisfy."""

    variable: str
    expression: Expression
    """The condition; its references are all to `variable`, with `Which.EACH`."""


class Adjacency(StrEnum):
    """The two events of a match that an edge predicate compares."""

    BINDING = "binding"
    """`b[i-1]`: consecutive events of the same variable in the whole binding, even with other events between them."""
    NEIGHBOUR = "neighbour"
    """`NEXT(S)`, `PREV(S)`, `b[1].x > a.x`, `a.x < b.x` of adjacent units: events next to each other in the trend."""


@dataclass(frozen=True)
class EdgePredicate:
    """A condition between an event of `source` and a later event of `target`.

    `adjacency` says which events are compared.

    `first_only`: only where the target is the first event of its Kleene variable (`b[1].x > a.x`). `last_only`: only
    where the source is the last event of its Kleene variable (`b[last].x < c.x`). `separated` is the condition as `left
    op right`, with `left` about `source` only and `right` about `target` only; None if it cannot be written so. In
    `separated` and `expression`, references to both events are `Which.EACH` if source and target are different
    variables. If they are the same variable, references to the source are `Which.PREVIOUS` and those to the target
    `Which.EACH`.
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
    """Any other condition: checked on a whole match or a prefix of it (including paper 04's postponed predicates)."""

    expression: Expression
    variables: tuple[str, ...]
    consistency: str
    """Paper 04's class: "true", "false", "both" or "inconsistent"."""


@dataclass(frozen=True)
class KeyClass:
    """One equivalence: in a match, all `members`, (variable, attribute) pairs, have the same non-null value.

    `name` is the name of the slicing variable (the attribute, made unique). `slices`: whether the slicer and the hash
    partitioning may use the class (`docs/semantics.md` 6). `type` is the common type of the class; keys are converted
    to it.
    """

    name: str
    members: tuple[tuple[str, str], ...]
    type: AttributeType
    slices: bool
    at: Position


@dataclass(frozen=True)
class ReturnItem:
    """One item of RETURN, named as its output column.

    It is one of three: `attribute`, a bare, grouped attribute; or `aggregate` over all trends, with its `variables`
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
    """WITH CONFIDENCE: the least probability of a match, from 0 to 1; with `strict`, it must be greater than that.

    An impossible match is never listed, not even with threshold 0.
    """

    threshold: float
    strict: bool = False

    def accepts(self, probability: float) -> bool:
        """Whether a match of this probability is returned; probabilities are sums of floats, compared to 12 digits.

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
    """The attributes of GROUP BY; each has a key class of the same name."""
    returns: tuple[ReturnItem, ...] = ()
    skip: Skip | None = None
    skip_variable: str | None = None
    warnings: tuple[str, ...] = field(default=(), compare=False)
    partition_attributes: tuple[str, ...] = ()
    """The attributes of `[x]` and GROUP BY. Partition contiguity ranks the events of types that have all of these."""
    confidence: Confidence | None = None
    """None: `ts` is used as the time of an event, even if the log's schema calls it imprecise."""

    @property
    def kind(self) -> str:
        """The kind of the query: an aggregation over all trends, or matching."""
        return AGGREGATION if self.aggregation else MATCHING

    @property
    def head(self) -> Position:
        """The first item of an aggregation's RETURN; the pattern of a matching query."""
        return self.returns[0].at if self.aggregation else self.pattern.at

    @property
    def positive(self) -> tuple[Variable, ...]:
        """The variables that a match binds, in pattern order."""
        return tuple(variable for variable in self.variables if not variable.negated)
