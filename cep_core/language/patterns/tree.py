"""Syntax trees of pattern queries: patterns and expressions (`docs/language.md` 1).

After binding, every unit has the name of its variable (`A`, then `A_2` for the second unnamed A), and every reference
names a variable. Before binding, both are as written: a unit without a variable and a bare attribute have `""` as their
variable. Positions are ignored in comparisons: two trees are equal if they differ in nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from cep_core.language.errors import Position
from cep_core.language.patterns.user_aggregates import UserAggregate

Scalar = int | float | str | bool | None


# ---------------------------------------------------------------- patterns


@dataclass(frozen=True)
class Unit:
    """One event of a type, bound to a variable."""

    event_type: str
    variable: str
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Sequence:
    """Elements one after another. A negated element (`Not`) forbids events between its neighbours."""

    elements: tuple[Pattern, ...]
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Kleene:
    """`least` to `most` repetitions of `body`; `most` None: any number. `+` is (1, None), `*` (0, None), `?` (0, 1)."""

    body: Pattern
    least: int
    most: int | None
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Alternative:
    """One of several patterns (OR)."""

    options: tuple[Pattern, ...]
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Conjunction:
    """Unordered pairs of different matches, one of each side (AND, top level only)."""

    left: Pattern
    right: Pattern
    at: Position = field(compare=False)


@dataclass(frozen=True)
class AnyOf:
    """`n` of these units, bound to distinct events in any order."""

    n: int
    units: tuple[Unit, ...]
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Not:
    """No match of `body` in this place; `body` is a Unit or a Sequence."""

    body: Pattern
    at: Position = field(compare=False)


Pattern = Unit | Sequence | Kleene | Alternative | Conjunction | AnyOf | Not


# ---------------------------------------------------------------- expressions


class Which(StrEnum):
    """The event of a variable that a reference means."""

    EACH = "each"
    """`a.x`, `S.x`, `b[i].x`: the event bound to a plain variable, or each event of a Kleene variable in turn."""
    PREVIOUS = "previous"
    """`b[i-1].x`: the previous b of the whole binding. A condition on it holds at i = 1, where there is none."""
    NEXT_NEIGHBOUR = "next neighbour"
    """`NEXT(S).x`: the next event of the trend, if it is an S."""
    PREVIOUS_NEIGHBOUR = "previous neighbour"
    """`PREV(S).x`: the event before in the trend, if it is an S."""
    LAST = "last"
    """`b[last].x`, `b[n].x`, `b[b.len].x`."""
    AT = "at"
    """`b[k].x` for an integer k >= 1, in `Reference.index`."""


class Span(StrEnum):
    """The events of one match that an aggregate covers."""

    ALL = "all"
    """`avg(b[].x)`."""
    BEFORE = "before"
    """`avg(b[..i-1].x)`, `avg(b[1..i-1].x)`."""
    UP_TO = "up to"
    """`max(b[..i].x)`."""


@dataclass(frozen=True)
class Literal:
    value: Scalar
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Reference:
    """An attribute of an event of a variable. `ts` and `seq` can be used like attributes."""

    variable: str
    attribute: str
    which: Which
    at: Position = field(compare=False)
    index: int = 0


@dataclass(frozen=True)
class PrefixAggregate:
    """`function` (count, min, max, sum, avg, first, last) over events of a Kleene variable inside one match.

    `defined`: the user's aggregate that `function` names, if it is none of these.
    """

    function: str
    variable: str
    span: Span
    attribute: str | None
    at: Position = field(compare=False)
    defined: UserAggregate | None = None


@dataclass(frozen=True)
class Arithmetic:
    """`operator` is one of + - * / %. As in Spark: `/` of integers is a float, division by zero is NULL."""

    operator: str
    left: Expression
    right: Expression
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Negative:
    operand: Expression
    at: Position = field(compare=False)


@dataclass(frozen=True)
class WholeSum:
    """The sum of `limit` and whole numbers of one event, each added or (True) subtracted. It may exceed 64 bits.

    It is a side of a rewritten comparison (`cep_core.candidates.separating`); no query contains it as written. A limit
    other than 0 marks the test of whether a sum over two events fits 64 bits.
    """

    terms: tuple[tuple[Expression, bool], ...]
    at: Position = field(compare=False)
    limit: int = 0


@dataclass(frozen=True)
class Comparison:
    """`operator` is one of = != < <= > >=."""

    operator: str
    left: Expression
    right: Expression
    at: Position = field(compare=False)


MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""The operator that says the same when the two sides change places."""


@dataclass(frozen=True)
class Logical:
    """`operator` is "and" or "or"."""

    operator: str
    operands: tuple[Expression, ...]
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Negation:
    operand: Expression
    at: Position = field(compare=False)


@dataclass(frozen=True)
class In:
    operand: Expression
    values: tuple[Literal, ...]
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Between:
    operand: Expression
    low: Expression
    high: Expression
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Like:
    operand: Expression
    pattern: str
    at: Position = field(compare=False)


@dataclass(frozen=True)
class IsNull:
    """`a.x IS NULL` has an `operand`; `v IS NULL`, the test whether a variable is unbound, has a `variable` instead."""

    operand: Expression | None
    variable: str | None
    at: Position = field(compare=False)


Expression = (
    Literal
    | Reference
    | PrefixAggregate
    | Arithmetic
    | Negative
    | WholeSum
    | Comparison
    | Logical
    | Negation
    | In
    | Between
    | Like
    | IsNull
)
