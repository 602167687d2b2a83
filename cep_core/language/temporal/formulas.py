"""Formulas of first-order and propositional temporal logic (papers 01 and 02; `papers` figure 1, MonPoly's operators).

One tree serves both languages: a propositional atom is a predicate without arguments. `written` formulas may contain
all nodes; `core` formulas, after binding and rewriting, contain those of `Core` alone. Positions are ignored in
comparisons: two formulas are equal if they differ in nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cep_core.language.errors import Position
from cep_core.language.temporal.hashed_once import hashed_once
from cep_core.language.temporal.interval import Interval
from cep_core.language.temporal.terms import NOWHERE, Term, Variable

# ---------------------------------------------------------------- atoms


@hashed_once
@dataclass(frozen=True)
class Predicate:
    """Events of a type. `names` are the attributes of `arguments`; None, as written: all of them, by position.

    After binding `names` is never None, arguments that nothing looks at (`_`) are left out, and `event_type` is the
    type's name in the log. `tp`, `ts` and `tpts` with MonPoly's numbers of arguments are predicates too, but no events.
    """

    event_type: str
    arguments: tuple[Term, ...] = ()
    names: tuple[str, ...] | None = None
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Comparison:
    """`left operator right`; the operator is one of = < <= > >= SUBSTRING."""

    operator: str
    left: Term
    right: Term
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Matches:
    """`text MATCHES regexp (groups)`: the regexp occurs in the text; `groups` are equal to its groups, None: any."""

    text: Term
    regexp: Term
    groups: tuple[Term | None, ...] = ()
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Truth:
    """TRUE or FALSE."""

    value: bool
    at: Position = field(default=NOWHERE, compare=False, repr=False)


# ---------------------------------------------------------------- Boolean operators and quantifiers


@hashed_once
@dataclass(frozen=True)
class Not:
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class And:
    left: Formula
    right: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Or:
    left: Formula
    right: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Implies:
    left: Formula
    right: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Equiv:
    left: Formula
    right: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Exists:
    variables: tuple[str, ...]
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Forall:
    variables: tuple[str, ...]
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


# ---------------------------------------------------------------- temporal operators


@hashed_once
@dataclass(frozen=True)
class Prev:
    """The body holds at the previous point, and the time between the two points lies in the interval."""

    interval: Interval
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Next:
    interval: Interval
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Once:
    """The body holds at this or an earlier point, at a time difference in the interval."""

    interval: Interval
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Historically:
    interval: Interval
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Eventually:
    interval: Interval
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Always:
    interval: Interval
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Since:
    """`right` held at this or an earlier point in the interval, and `left` at all points after it, up to this one."""

    interval: Interval
    left: Formula
    right: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Until:
    """`right` holds at this or a later point in the interval, and `left` at every point from this one to before it."""

    interval: Interval
    left: Formula
    right: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Trigger:
    """NOT (NOT left SINCE NOT right)."""

    interval: Interval
    left: Formula
    right: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Release:
    """NOT (NOT left UNTIL NOT right)."""

    interval: Interval
    left: Formula
    right: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


# ---------------------------------------------------------------- aggregation, definitions


@hashed_once
@dataclass(frozen=True)
class Aggregation:
    """`result <- function item; groups body`: over the distinct valuations of the body's free variables, by group.

    `function` is one of CNT SUM AVG MIN MAX MED. Free variables: `result`, then `groups`.
    """

    result: Variable
    function: str
    item: Variable
    groups: tuple[Variable, ...]
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@hashed_once
@dataclass(frozen=True)
class Let:
    """`LET name(parameters) = definition IN body`. After binding, a predicate of the body may be such a name."""

    name: str
    parameters: tuple[str, ...]
    definition: Formula
    body: Formula
    at: Position = field(default=NOWHERE, compare=False, repr=False)


Unary = Prev | Next | Once | Historically | Eventually | Always
"""Temporal operators with one operand."""
Binary = Since | Until | Trigger | Release
"""Temporal operators with two operands."""
Formula = (
    Predicate
    | Comparison
    | Matches
    | Truth
    | Not
    | And
    | Or
    | Implies
    | Equiv
    | Exists
    | Forall
    | Unary
    | Binary
    | Aggregation
    | Let
)

Core = (
    Predicate
    | Comparison
    | Matches
    | Truth
    | Not
    | And
    | Or
    | Exists
    | Prev
    | Next
    | Once
    | Eventually
    | Since
    | Until
    | Aggregation
)
"""The nodes of a core formula. LET is unfolded: equal subformulas are equal trees, which an engine evaluates once."""
