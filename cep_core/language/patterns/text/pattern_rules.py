"""Rules of the grammar that build patterns: units, quantifiers, sequences, choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lark import Token, v_args
from lark.tree import Meta

from cep_core.language.errors import Position
from cep_core.language.patterns.text.places import GrammarRules
from cep_core.language.patterns.tree import (
    Alternative,
    AnyOf,
    Conjunction,
    Kleene,
    Not,
    Pattern,
    Sequence,
    Unit,
)


@dataclass(frozen=True)
class _Variable:
    name: str
    brackets: bool
    at: Position


@v_args(meta=True)
class PatternRules(GrammarRules):
    """Each method is a rule of the grammar."""

    def alternative(self, meta: Meta, options: list[Pattern]) -> Pattern:
        return Alternative(tuple(options), self._at(meta))

    def conjunction(self, meta: Meta, sides: list[Pattern]) -> Pattern:
        if len(sides) > 2:
            self._refuse("AND joins two patterns", self._at(meta), "pairs of matches have two sides")
        return Conjunction(sides[0], sides[1], self._at(meta))

    def forbidden(self, meta: Meta, children: list[Any]) -> Pattern:
        return Not(children[1], self._at(meta))

    def grouped(self, meta: Meta, children: list[Pattern]) -> Pattern:
        return children[0]

    def sequence(self, meta: Meta, elements: list[Pattern]) -> Pattern:
        return Sequence(tuple(elements), self._at(meta))

    def any_of(self, meta: Meta, children: list[Any]) -> Pattern:
        at = self._at(meta)
        number, *units = children
        for unit in units:
            if not isinstance(unit, Unit):
                self._refuse("ANY takes plain event types", unit.at, "repeat a type to ask for it twice")
        n = len(units) if number is None else self._integer(number)
        if not 1 <= n <= len(units):
            self._refuse(f"ANY({n}, ...) of {len(units)} units", at, f"ask for 1 to {len(units)} of them")
        return AnyOf(n, tuple(units), at)

    def quantified_group(self, meta: Meta, children: list[Any]) -> Pattern:
        body, *quantifiers = children
        return self._repeated(body, quantifiers, meta)

    def unit(self, meta: Meta, children: list[Any]) -> Pattern:
        event_type = children[0]
        variable = next((child for child in children if isinstance(child, _Variable)), None)
        quantifiers = [child for child in children if isinstance(child, tuple)]
        if variable is not None and variable.brackets and not quantifiers:
            hint = f"write {event_type}+ {variable.name}[]"
            self._refuse(f"{variable.name}[] is a list, but {event_type} has no quantifier", variable.at, hint)
        # the unit itself ends before a trailing quantifier; its place is the type and the variable
        last = variable.at if variable is not None else self._token_at(event_type)
        first = self._token_at(event_type)
        length = last.column + last.length - first.column if first.line == last.line else first.length
        at = Position(first.line, first.column, length)
        body = Unit(str(event_type), "" if variable is None else variable.name, at)
        return self._repeated(body, quantifiers, meta)

    def variable(self, meta: Meta, children: list[Any]) -> _Variable:
        return _Variable(str(children[0]), children[1] is not None, self._at(meta))

    def brackets(self, meta: Meta, children: list[Any]) -> str:
        return "[]"

    def plus(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return (1, None)

    def star(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return (0, None)

    def question(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return (0, 1)

    def exactly(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return self._bounds(meta, self._integer(children[0]), self._integer(children[0]))

    def at_least(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return (self._integer(children[0]), None)

    def from_to(self, meta: Meta, children: list[Token]) -> tuple[int, int | None]:
        return self._bounds(meta, self._integer(children[0]), self._integer(children[1]))

    def _bounds(self, meta: Meta, least: int, most: int) -> tuple[int, int | None]:
        if most < max(least, 1):
            self._refuse(
                "a repetition that never happens", self._at(meta), "write {least,most} with most >= least >= 0"
            )
        return (least, most)

    def _repeated(self, body: Pattern, quantifiers: list[tuple[int, int | None]], meta: Meta) -> Pattern:
        for least, most in quantifiers:
            body = Kleene(body, least, most, self._at(meta))
        return body
