"""Turns the parser's raw tree into the trees of `tree` and `syntax`; each clause of a query may appear once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lark import Token, v_args
from lark.tree import Meta

from cep_core.language.errors import Position
from cep_core.language.patterns.query import Skip, Strategy
from cep_core.language.patterns.syntax import (
    AttributeName,
    Item,
    SpanUnit,
    TrendAggregate,
    WrittenConfidence,
    WrittenQuery,
    WrittenSkip,
    WrittenSpan,
)
from cep_core.language.patterns.text.condition_rules import ConditionRules, Equivalence
from cep_core.language.patterns.text.pattern_rules import PatternRules
from cep_core.language.patterns.tree import (
    Expression,
    Pattern,
    Sequence,
)
from cep_core.language.patterns.walk import conjuncts

_UNITS = {"m": SpanUnit.MINUTES, "s": SpanUnit.SECONDS, "h": SpanUnit.HOURS, "d": SpanUnit.DAYS, "e": SpanUnit.EVENTS}


@dataclass(frozen=True)
class _Clause:
    """A clause's name, where it stands, and the fields of `WrittenQuery` that it fills."""

    name: str
    at: Position
    fields: dict[str, Any]


@v_args(meta=True)
class TreeBuilder(PatternRules, ConditionRules):
    """Builds the tree of a whole query, a pattern or a condition."""

    def query(self, meta: Meta, clauses: list[_Clause]) -> WrittenQuery:
        fields: dict[str, Any] = {}
        seen: dict[str, _Clause] = {}
        for clause in clauses:
            if clause.name in seen:
                line = seen[clause.name].at.line
                self._refuse(f"a second {clause.name}", clause.at, f"the first is in line {line}")
            seen[clause.name] = clause
            fields |= clause.fields
        end = self._end()
        for required in ("PATTERN", "WITHIN"):
            if required not in seen:
                self._refuse(f"{required} is missing", end, "PATTERN and WITHIN are required")
        return WrittenQuery(**fields)

    def return_clause(self, meta: Meta, items: list[tuple[Item, ...]]) -> _Clause:
        return _Clause("RETURN", self._at(meta), {"returns": tuple(item for group in items for item in group)})

    def item(self, meta: Meta, children: list[Any]) -> tuple[Item, ...]:
        value, alias = children
        at = self._at(meta)
        if isinstance(value, tuple):
            if alias is not None:
                self._refuse("one name for several attributes", at, "name them one by one")
            return tuple(Item(reference, None, reference.at) for reference in value)
        if not isinstance(value, TrendAggregate):
            self._expression(value)
        return (Item(value, None if alias is None else str(alias), at),)

    def pattern_clause(self, meta: Meta, children: list[Pattern]) -> _Clause:
        return _Clause("PATTERN", self._at(meta), {"pattern": children[0]})

    def pattern_list(self, meta: Meta, elements: list[Pattern]) -> _Clause:
        return _Clause("PATTERN", self._at(meta), {"pattern": Sequence(tuple(elements), self._at(meta))})

    def where_clause(self, meta: Meta, children: list[Any]) -> _Clause:
        fields: dict[str, Any] = {}
        equivalences: list[AttributeName] = []
        conditions: list[Expression] = []
        for child in children:
            if isinstance(child, Token):
                fields["strategy"] = Strategy(child.lower())
                fields["strategy_at"] = self._token_at(child)
            elif child is not None:
                for conjunct in conjuncts(child):
                    if isinstance(conjunct, Equivalence):
                        equivalences.extend(conjunct.attributes)
                    else:
                        conditions.append(self._expression(conjunct))
        fields |= {"equivalences": tuple(equivalences), "conditions": tuple(conditions)}
        return _Clause("WHERE", self._at(meta), fields)

    def group_clause(self, meta: Meta, attributes: list[AttributeName]) -> _Clause:
        return _Clause("GROUP-BY", self._at(meta), {"group_by": tuple(attributes)})

    def within_clause(self, meta: Meta, children: list[WrittenSpan]) -> _Clause:
        return _Clause("WITHIN", self._at(meta), {"within": children[0]})

    def slide_clause(self, meta: Meta, children: list[WrittenSpan]) -> _Clause:
        return _Clause("SLIDE", self._at(meta), {"slide": children[0]})

    def span(self, meta: Meta, children: list[Token | None]) -> WrittenSpan:
        number, unit = children
        assert number is not None
        span_unit = None
        if unit is not None:
            word = unit.lower()
            span_unit = SpanUnit.MILLISECONDS if word.startswith(("ms", "milli")) else _UNITS[word[0]]
        value = self._number(number)
        if value <= 0:
            self._refuse("a window has a positive size", self._at(meta))
        return WrittenSpan(value, span_unit, self._at(meta))

    def confidence_clause(self, meta: Meta, children: list[Token]) -> _Clause:
        at = self._at(meta)
        operator, number = str(children[0]).replace("≥", ">="), self._number(children[1])
        if operator not in (">=", ">"):
            self._refuse("a confidence is a lower bound", at, "WITH CONFIDENCE >= 0.8")
        if number > 1:
            self._refuse("a confidence lies between 0 and 1", self._token_at(children[1]), "80 % is 0.8")
        return _Clause("WITH CONFIDENCE", at, {"confidence": WrittenConfidence(operator, float(number), at)})

    def skip_past_last(self, meta: Meta, children: list[Token]) -> _Clause:
        return self._skip(meta, Skip.PAST_LAST)

    def skip_to_next(self, meta: Meta, children: list[Token]) -> _Clause:
        return self._skip(meta, Skip.TO_NEXT)

    def skip_to_first(self, meta: Meta, children: list[Token]) -> _Clause:
        return self._skip(meta, Skip.TO_FIRST, str(children[0]))

    def skip_to_last(self, meta: Meta, children: list[Token]) -> _Clause:
        return self._skip(meta, Skip.TO_LAST, str(children[0]))

    def _skip(self, meta: Meta, kind: Skip, variable: str | None = None) -> _Clause:
        at = self._at(meta)
        return _Clause("AFTER MATCH SKIP", at, {"skip": WrittenSkip(kind, variable, at)})
