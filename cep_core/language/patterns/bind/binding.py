"""Binds a parsed query to a log's schema: resolves names, checks types, classifies conditions (`docs/language.md` 1).

All mistakes of a query are reported together, each with its place and, if possible, a hint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa

from cep_core.events.schema import LogSchema
from cep_core.language.errors import Position, QueryError, QueryErrors
from cep_core.language.hints import did_you_mean
from cep_core.language.patterns.automata.template import Template, template_of_pattern
from cep_core.language.patterns.bind.classification import Predicate, classify
from cep_core.language.patterns.bind.clauses import check_clauses
from cep_core.language.patterns.bind.equivalence import equality_of, key_classes, named_class
from cep_core.language.patterns.bind.imprecision import confidence_of
from cep_core.language.patterns.bind.naming import (
    RIGHT,
    check_shape,
    name_variables,
    normalise_negation,
    variables_of_pattern,
)
from cep_core.language.patterns.bind.result_names import check_names
from cep_core.language.patterns.bind.returns import is_aggregation, return_items
from cep_core.language.patterns.bind.scope import NameScope
from cep_core.language.patterns.bind.spans import window_of
from cep_core.language.patterns.query import (
    EdgePredicate,
    KeyClass,
    MatchPredicate,
    Query,
    Strategy,
    Variable,
    VertexPredicate,
)
from cep_core.language.patterns.syntax import WrittenQuery
from cep_core.language.patterns.text.parsing import parse
from cep_core.language.patterns.tree import Between, Comparison, Expression, Not, Pattern
from cep_core.language.patterns.user_aggregates import UserAggregates
from cep_core.language.patterns.values.expressions import holds
from cep_core.language.patterns.walk import parts_of, units_of, variables_of


def bind(
    text: str,
    schema: LogSchema,
    path: str = "<query>",
    *,
    whole_log: bool = True,
    aggregates: UserAggregates | None = None,
) -> Query:
    """The bound query. Raises QueryError (QueryErrors for several) with every mistake that binding can find.

    With `whole_log` False, queries that depend on where the log starts are refused, since a workload's runs see only a
    part of the log. `aggregates`: the user's aggregates by name.
    """
    return bind_written(parse(text, path), schema, text, path, whole_log=whole_log, aggregates=aggregates)


def bind_written(
    written: WrittenQuery,
    schema: LogSchema,
    text: str = "",
    path: str = "<query>",
    *,
    whole_log: bool = True,
    aggregates: UserAggregates | None = None,
) -> Query:
    """The bound query of a parsed query; `text` and `path` are used in errors."""
    binder = _Binder(written, schema, text, path, whole_log, aggregates or {})
    try:
        query = binder.bind()
    except RecursionError:
        raise QueryError("nested too deeply", Position(1, 1), text=text, path=path) from None
    if binder.errors:
        raise binder.errors[0] if len(binder.errors) == 1 else QueryErrors(binder.errors)
    return query


class _Binder:
    """Binds one query and collects its errors."""

    def __init__(
        self,
        written: WrittenQuery,
        schema: LogSchema,
        text: str,
        path: str,
        whole_log: bool,
        aggregates: UserAggregates,
    ) -> None:
        self.errors: list[QueryError] = []
        self.warnings: list[str] = []
        self._written = written
        self._schema = schema
        self._text = text
        self._path = path
        self._whole_log = whole_log
        self._aggregates = aggregates

    def report(self, message: str, at: Position, hint: str) -> None:
        error = QueryError(message, at, text=self._text, path=self._path, hint=hint)
        if not any(reported.at == at and reported.message == message for reported in self.errors):
            self.errors.append(error)

    def bind(self) -> Query:
        written = self._written
        pattern = name_variables(normalise_negation(written.pattern))
        check_shape(pattern, self.report)
        variables = variables_of_pattern(pattern, self.report)
        self._check_types(variables)
        by_name = {variable.name: variable for variable in variables}
        scope = NameScope(by_name, self._schema, self.report, self._aggregates)
        strategy = written.strategy or Strategy.ANY
        aggregation = is_aggregation(written.returns)
        window = window_of(written.within, written.slide, self._schema.unit, self.report)
        conditions = [reading for condition in written.conditions for reading in self._readings(condition, scope)]
        classes, residual, partition = self._key_classes(conditions, pattern, strategy, scope)
        templates = [template_of_pattern(pattern), *(template_of_pattern(body) for body in _negated(pattern))]
        telling = [condition for condition in residual if not _always_true(condition)]
        predicates = self._classified(telling, scope, templates)
        self._check_negated(predicates, pattern, scope)
        group_by = tuple(dict.fromkeys(name.attribute for name in written.group_by))
        query = Query(
            self._text,
            self._path,
            self._schema,
            aggregation,
            pattern,
            variables,
            strategy,
            window,
            tuple(predicate for predicate in predicates if isinstance(predicate, VertexPredicate)),
            tuple(predicate for predicate in predicates if isinstance(predicate, EdgePredicate)),
            tuple(predicate for predicate in predicates if isinstance(predicate, MatchPredicate)),
            classes,
            group_by,
            return_items(written.returns, group_by, scope),
            None if written.skip is None else written.skip.kind,
            self._skip_variable(scope),
            partition_attributes=partition,
            confidence=confidence_of(written.confidence),
        )
        self.warnings += check_clauses(query, written, scope, self.report, whole_log=self._whole_log)
        check_names(query, written.group_by, self.report, whole_log=self._whole_log)
        return replace(query, warnings=tuple(self.warnings))

    def _check_types(self, variables: tuple[Variable, ...]) -> None:
        for variable in variables:
            if not self._schema.has_type(variable.event_type):
                hint = did_you_mean(variable.event_type, self._schema.types)
                at = replace(variable.at, length=len(variable.event_type))
                self.report(f"unknown event type '{variable.event_type}'", at, hint)

    def _readings(self, condition: Expression, scope: NameScope) -> Iterator[Expression]:
        for reading in scope.readings(condition):
            before = len(self.errors)
            scope.condition(reading)
            if len(self.errors) > before:
                continue
            if isinstance(reading, Between):
                # split into two conjuncts, so that each can be a vertex or an edge predicate
                yield Comparison(">=", reading.operand, reading.low, reading.at)
                yield Comparison("<=", reading.operand, reading.high, reading.at)
            else:
                yield reading

    def _key_classes(
        self, conditions: list[Expression], pattern: Pattern, strategy: Strategy, scope: NameScope
    ) -> tuple[tuple[KeyClass, ...], tuple[Expression, ...], tuple[str, ...]]:
        """The key classes, the other conditions, and the attributes of partition contiguity."""
        written = self._written
        right = [
            replace(name, variable=name.variable + RIGHT)
            for name in written.equivalences
            if name.variable and name.variable in scope.variables and name.variable + RIGHT in scope.variables
        ]
        bracketed = [named_class(name, scope, grouped=False) for name in (*written.equivalences, *right)]
        grouped = [named_class(name, scope, grouped=True) for name in written.group_by]
        named = [joined for joined in (*bracketed, *grouped) if joined is not None]
        for name in (*written.equivalences, *written.group_by):
            if not name.variable:
                self._warn_lacking(name.attribute, scope)
        equalities = [(condition, equality_of(condition)) for condition in conditions]
        usable = [equality for _, equality in equalities if equality is not None]
        classes, returned = key_classes(named, usable, pattern, strategy, scope)
        rest = [c for c, equality in equalities if equality is None or any(c is condition for condition in returned)]
        names = [name.attribute for name in (*written.equivalences, *written.group_by) if not name.variable]
        return classes, tuple(rest), tuple(dict.fromkeys(names))

    def _classified(self, conditions: list[Expression], scope: NameScope, templates: list[Template]) -> list[Predicate]:
        """The conditions as predicates.

        A condition read on both sides of an AND applies to the sides where it has a meaning.
        """
        predicates: list[Predicate] = []
        meant: set[tuple[Position, str]] = set()
        doubtful: list[tuple[tuple[Position, str], str, Position, str]] = []
        for condition in conditions:
            # the two halves of a BETWEEN have the same place
            key = (condition.at, condition.operator if isinstance(condition, Comparison) else "")
            doubts: list[tuple[str, Position, str]] = []
            predicate = classify(condition, scope.variables, templates, lambda *error, into=doubts: into.append(error))
            if not doubts:
                predicates.append(predicate)
                meant.add(key)
            doubtful += [(key, *error) for error in doubts]
        for key, message, at, hint in doubtful:
            if key not in meant:
                self.report(message, at, hint)
        return predicates

    def _warn_lacking(self, attribute: str, scope: NameScope) -> None:
        lacking = sorted({v.event_type for v in scope.variables.values() if scope.attribute_type(v, attribute) is None})
        if lacking and len(lacking) < len({v.event_type for v in scope.variables.values()}):
            types = ", ".join(lacking)
            warning = f"[{attribute}] does not constrain {types}, which lack it: their events belong to every group"
            if warning not in self.warnings:
                self.warnings.append(warning)

    def _check_negated(self, predicates: list[Predicate], pattern: Pattern, scope: NameScope) -> None:
        """Refuse a condition about two negated elements: their events are never in one match."""
        homes = {unit.variable: k for k, body in enumerate(_outermost(pattern)) for unit in units_of(body)}
        for predicate in predicates:
            mentioned = variables_of(predicate.expression)
            if len({homes[name] for name in mentioned if name in homes}) > 1:
                self.report("the condition compares two negated elements", predicate.expression.at, "split it")

    def _skip_variable(self, scope: NameScope) -> str | None:
        skip = self._written.skip
        if skip is None or skip.variable is None:
            return None
        target = scope.variable(skip.variable, skip.at)
        if target is not None and target.negated:
            self.report(f"'{skip.variable}' is negated: a match has none", skip.at, "")
        return None if target is None else target.name


def _always_true(condition: Expression) -> bool:
    """Whether a condition mentions no event and is true, such as `1 = 1`; it can be dropped."""
    return not variables_of(condition) and bool(holds(condition, pa.table({"none": pa.nulls(1)}))[0])


def _outermost(pattern: Pattern) -> Iterator[Pattern]:
    """The bodies of negations that are not inside another negation."""
    if isinstance(pattern, Not):
        yield pattern.body
    else:
        for part in parts_of(pattern):
            yield from _outermost(part)


def _negated(pattern: Pattern) -> Iterator[Pattern]:
    """The bodies of all negations, outer ones first."""
    if isinstance(pattern, Not):
        yield pattern.body
    for part in parts_of(pattern):
        yield from _negated(part)
