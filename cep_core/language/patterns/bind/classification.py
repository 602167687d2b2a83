"""Sorts conditions by what they compare: an event, two neighbours, or a match (`docs/language.md` 1; paper 04, 5.2).

A vertex predicate filters events. An edge predicate stands on a transition of the template (GRETA, section 6). Every
other condition is checked on a match or a prefix of it. Paper 04's consistency relates a test on a set of events to the
same test on its subsets. If the test passes on the set, it passes on each subset ("true"). If it fails on the set, it
fails on each subset ("false"). Or both hold ("both"), or neither ("inconsistent").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cep_core.aggregates.registry import NAMED
from cep_core.language.patterns.automata.template import Template
from cep_core.language.patterns.bind.naming import Report
from cep_core.language.patterns.query import (
    Adjacency,
    EdgePredicate,
    MatchPredicate,
    Variable,
    VertexPredicate,
)
from cep_core.language.patterns.tree import (
    MIRRORED,
    Comparison,
    Expression,
    IsNull,
    PrefixAggregate,
    Reference,
    Which,
)
from cep_core.language.patterns.walk import references, rewrite, variables_of, walk

Predicate = VertexPredicate | EdgePredicate | MatchPredicate


@dataclass(frozen=True)
class Role:
    """The event and the variable that a reference means."""

    variable: str
    which: Which
    index: int


def classify(
    expression: Expression, variables: Mapping[str, Variable], templates: Sequence[Template], report: Report
) -> Predicate:
    """The predicate of a resolved conjunct. `templates`: those of the pattern and of each negated sub-pattern."""
    names = variables_of(expression)
    roles = tuple(dict.fromkeys(Role(r.variable, r.which, r.index) for r in references(expression)))
    if not names:
        report("the condition mentions no event", expression.at, "")
    elif any(
        isinstance(part, PrefixAggregate) or (isinstance(part, IsNull) and part.operand is None)
        for part in walk(expression)
    ):
        pass
    elif len(names) == 1 and all(role.which is Which.EACH for role in roles):
        return VertexPredicate(names[0], expression)
    elif len(roles) == 2:
        edge = _between(expression, roles, templates, report) or _adjacent(expression, roles, variables, templates)
        if edge is not None:
            return edge
    return MatchPredicate(expression, names, consistency(expression, variables))


def _between(
    expression: Expression, roles: tuple[Role, ...], templates: Sequence[Template], report: Report
) -> EdgePredicate | None:
    """`b[i-1].x < b[i].x`, `S.x < NEXT(T).x`, `PREV(S).x < T.x`."""
    kinds = {role.which: role for role in roles}
    each = kinds.get(Which.EACH)
    if each is None:
        return None
    if Which.PREVIOUS in kinds and kinds[Which.PREVIOUS].variable == each.variable:
        return _edge(expression, kinds[Which.PREVIOUS], each, Adjacency.BINDING)
    if Which.NEXT_NEIGHBOUR in kinds:
        source, target = each, kinds[Which.NEXT_NEIGHBOUR]
    elif Which.PREVIOUS_NEIGHBOUR in kinds:
        source, target = kinds[Which.PREVIOUS_NEIGHBOUR], each
    else:
        return None
    if not any((source.variable, target.variable) in template.edges for template in templates):
        message = f"'{target.variable}' never directly follows '{source.variable}'"
        report(message, expression.at, "NEXT and PREV mean neighbours in the trend")
    return _edge(expression, source, target, Adjacency.NEIGHBOUR)


def _adjacent(
    expression: Expression, roles: tuple[Role, ...], variables: Mapping[str, Variable], templates: Sequence[Template]
) -> EdgePredicate | None:
    """`a.x < b.x`, `a.x < b[1].x`, `a[last].x < b.x`, if their events are neighbours in every match that binds both."""
    for template in templates:
        for source, target in (roles, roles[::-1]):
            if (
                _single(source, variables, Which.LAST)
                and _single(target, variables, Which.AT)
                and _always_neighbours(template, source.variable, target.variable)
            ):
                return _edge(expression, source, target, Adjacency.NEIGHBOUR)
    return None


def _single(role: Role, variables: Mapping[str, Variable], of_list: Which) -> bool:
    """Whether the role means a single event of a match: a plain variable's, or a list's last or first (`of_list`)."""
    if not variables[role.variable].kleene:
        return role.which is Which.EACH
    return role.which is of_list and (of_list is Which.LAST or role.index == 1)


def _always_neighbours(template: Template, source: str, target: str) -> bool:
    """Whether, if both are bound, the last event of `source` is always directly followed by the first of `target`."""
    ends = frozenset({source, target})
    return (
        (source, target) in template.edges
        and not template.reaches(target, source)
        and not any(
            template.reaches(state, target, avoiding=ends) for state in template.successors(source) if state not in ends
        )
    )


def _edge(expression: Expression, source: Role, target: Role, adjacency: Adjacency) -> EdgePredicate:
    same = source.variable == target.variable

    def renamed(part: Expression) -> Expression:
        if not isinstance(part, Reference):
            return part
        is_source = Role(part.variable, part.which, part.index) == source
        return replace(part, which=Which.PREVIOUS if same and is_source else Which.EACH, index=0)

    plain = rewrite(expression, renamed)
    source_which = Which.PREVIOUS if same else Which.EACH
    return EdgePredicate(
        source.variable,
        target.variable,
        adjacency,
        plain,
        separated(plain, (source.variable, source_which)),
        first_only=target.which is Which.AT,
        last_only=source.which is Which.LAST,
    )


def separated(expression: Expression, source: tuple[str, Which]) -> Comparison | None:
    """The condition as `source's side op target's side`, if it is such a comparison or its mirror image; else None."""
    if not isinstance(expression, Comparison):
        return None
    left = {(r.variable, r.which) == source for r in references(expression.left)}
    right = {(r.variable, r.which) == source for r in references(expression.right)}
    if left == {True} and right == {False}:
        return expression
    if left == {False} and right == {True}:
        return Comparison(MIRRORED[expression.operator], expression.right, expression.left, expression.at)
    return None


def consistency(expression: Expression, variables: Mapping[str, Variable]) -> str:
    """Paper 04's class of a condition: "true", "false", "both" or "inconsistent".

    A test of plain variables or of each event of a list is "both". An aggregate over a list, or a reference to one of
    its events (`b[i-1]`, `b[1]`, `b[last]`), changes when events are left out. An upper bound on a maximum or a count,
    or a lower bound on a minimum, passes on every subset if it passes ("true"). A bound on the other side fails on
    every subset if it fails ("false").
    """
    parts = list(walk(expression))
    moving = {Which.PREVIOUS, Which.LAST, Which.AT, Which.NEXT_NEIGHBOUR, Which.PREVIOUS_NEIGHBOUR}
    if any(isinstance(part, Reference) and part.which in moving for part in parts):
        return "inconsistent"
    aggregates = [part for part in parts if isinstance(part, PrefixAggregate)]
    if not aggregates:
        return "both"
    if len(aggregates) > 1 or not isinstance(expression, Comparison):
        return "inconsistent"
    operator = expression.operator
    if expression.left is aggregates[0]:
        operator = MIRRORED[operator]
    elif expression.right is not aggregates[0]:
        return "inconsistent"
    aggregate = NAMED.get(aggregates[0].function)
    grows = aggregate.grows if aggregate is not None else None
    if grows is None or operator in ("=", "!="):
        return "inconsistent"
    return "true" if (operator in (">", ">=")) == grows else "false"
