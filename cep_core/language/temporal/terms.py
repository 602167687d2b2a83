"""Terms of first-order formulas: variables, constants, and what is computed from them.

Positions are ignored in comparisons: two terms are equal if they differ in nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cep_core.language.errors import Position

NOWHERE = Position(1, 1)
"""The place of a part that was not written but made, as by rewriting."""


@dataclass(frozen=True)
class Variable:
    """A variable. `_` and names that begin with `_` are bound at their atom: `binding` gives each a name of its own."""

    name: str
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Constant:
    """A number or a text.

    >>> Constant(1) == Constant(1), Constant(1) == Constant(1.0)
    (True, False)
    """

    value: int | float | str
    at: Position = field(default=NOWHERE, compare=False, repr=False)
    kind: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", type(self.value).__name__)


@dataclass(frozen=True)
class Regexp:
    """A regular expression, `r"..."`: the right side of MATCHES."""

    pattern: str
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Arithmetic:
    """`left operator right`; the operator is one of + - * / MOD."""

    operator: str
    left: Term
    right: Term
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Minus:
    """A term with its sign changed."""

    term: Term
    at: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Call:
    """A function of one argument: i2f f2i i2s s2i f2s s2f r2s s2r YEAR MONTH DAY_OF_MONTH FORMAT_DATE."""

    function: str
    argument: Term
    at: Position = field(default=NOWHERE, compare=False, repr=False)


Term = Variable | Constant | Regexp | Arithmetic | Minus | Call
