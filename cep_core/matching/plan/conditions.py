"""Decides where each condition of a query is tested: on edges, at a closure's borders, or on bindings.

An edge predicate has the form `left op right`, with `left` about the earlier event and `right` about the later one. It
becomes keys on the automaton's edges. A test of only the first or last event of a closure (`a[1].price % 500 = 0`) is
put on the edges that enter or leave the closure. If the closure is full, no later event can replace its last event
(`A{2}`: the second); a test of the last event is then put on the event itself. All other conditions are judged on
bindings (`judging`). Under skip-till-any-match these are the listed matches (SASE++, section 5.1, postponing). Under
the other strategies they are the growing runs, because there a condition decides which event a run takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.candidates.keys import Comparing, comparable
from cep_core.candidates.separating import Rows, Sides, compared_with_itself, limits, references_of, separate
from cep_core.language.errors import NotSupportedYet
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.language.patterns.query import Adjacency, EdgePredicate, KeyClass, Query, Strategy
from cep_core.language.patterns.text.printing import print_expression
from cep_core.language.patterns.tree import Comparison, Expression, Reference, Which
from cep_core.language.patterns.values.expressions import holds
from cep_core.language.patterns.walk import references, rewrite, variables_of, walk

KeysAtHand = Callable[[str], Ints | None]
"""The keys of an attribute of the rows (`candidates/keys.py`), if they were made for another query."""


@dataclass(frozen=True)
class Conditions:
    """Conditions by the place where they are tested, without vertex predicates and partitioning equivalences."""

    edges: tuple[tuple[EdgePredicate, tuple[Comparison, ...]], ...]
    first: tuple[tuple[str, Expression], ...]
    """(variable, test of its first event)"""
    last: tuple[tuple[str, Expression], ...]
    postponed: tuple[Expression, ...] = ()
    neighbours: tuple[EdgePredicate, ...] = ()
    """Tests of two neighbours that no edge can express."""
    keys: tuple[KeyClass, ...] = ()
    """Equivalences that some match does not bind, so they cannot be used for partitioning."""

    @property
    def judged(self) -> tuple[Expression | EdgePredicate | KeyClass, ...]:
        """The conditions judged on bindings."""
        return (*self.postponed, *self.neighbours, *self.keys)

    def describe(self, runs: bool) -> list[str]:
        """How the engine tests each condition, as `explain` prints it; `runs`: one match for each start event."""
        lines = []
        for predicate, _ in self.edges:
            way = f"{predicate.source} -> {predicate.target}"
            lines.append(f"{print_expression(predicate.expression)}: a comparison of keys on the edge {way}")
        for which, borders in (("first", self.first), ("last", self.last)):
            for variable, test in borders:
                lines.append(f"{print_expression(test)}: tested where the {which} {variable} is entered or left")
        judged = "judged as each run grows" if runs else "postponed: judged on listed matches"
        expressions = [*self.postponed, *(predicate.expression for predicate in self.neighbours)]
        lines += [f"{print_expression(expression)}: {judged}" for expression in expressions]
        lines += [f"[{key.name}]: {judged}, since some match does not bind it" for key in self.keys]
        return lines


def conditions_of(query: Query, automaton: Automaton) -> Conditions:
    """Sorts a query's conditions by place. Raises NotSupportedYet for a condition that cannot be tested yet."""
    edges: list[tuple[EdgePredicate, tuple[Comparison, ...]]] = []
    borders: dict[Which, list[tuple[str, Expression]]] = {Which.AT: [], Which.LAST: []}
    postponed: list[Expression] = []
    neighbours: list[EdgePredicate] = []
    runs = query.strategy is not Strategy.ANY
    negated = {variable.name for variable in query.variables if variable.negated}
    for predicate in query.edge_predicates:
        if negated & set(variables_of(predicate.expression)):
            continue  # the condition belongs to a negated element
        nested = predicate.adjacency is Adjacency.BINDING and automaton.comes_back(predicate.source)
        separated = separated_edge(predicate, query)
        if separated and not nested:
            edges.append((predicate, separated))
        else:
            neighbours.append(predicate)
    for condition in (predicate.expression for predicate in query.match_predicates):
        if negated & set(variables_of(condition)):
            continue
        border = _border(condition, automaton)
        if border is None or (runs and border[1] is Which.LAST and automaton.ends_open(border[0])):
            check_judgeable(condition)
            postponed.append(condition)
        else:
            borders[border[1]].append((border[0], rewrite(condition, _plainly)))
    keys = tuple(key for key in query.key_classes if not key.slices)
    first, last = tuple(borders[Which.AT]), tuple(borders[Which.LAST])
    return Conditions(tuple(edges), first, last, tuple(postponed), tuple(neighbours), keys)


def separated_edge(predicate: EdgePredicate, query: Query) -> tuple[Comparison, ...]:
    """The predicate as comparisons `source's side op target's side`; () if it cannot be written in this form."""
    if predicate.separated is not None:
        return (predicate.separated,)
    return separate(predicate.expression, *references_of(predicate, query))


def _border(condition: Expression, automaton: Automaton) -> tuple[str, Which] | None:
    """The closure of which a condition tests only the first (`AT`) or only the last event; otherwise None."""
    named = references(condition)
    names = variables_of(condition)
    if len(names) != 1 or not named or automaton.comes_back(names[0]):
        return None
    if any(not isinstance(part, Reference) and getattr(part, "variable", None) is not None for part in walk(condition)):
        return None
    for which in (Which.AT, Which.LAST):
        if all(part.which is which and (which is Which.LAST or part.index == 1) for part in named):
            return names[0], which
    return None


def _plainly(part: Expression) -> Expression:
    return replace(part, which=Which.EACH) if isinstance(part, Reference) else part


@dataclass(frozen=True)
class Tests:
    """The conditions of a query evaluated on its candidate rows."""

    comparisons: dict[tuple[int, int], list[Comparing]]
    """The comparisons of each edge of the automaton."""
    fits: Flags
    """[m, S] the event may be bound in the state, by the tests of last events in states where it must be the last; one
    row for all events if no condition is about a first or last event alone, as in the next two."""
    starts: Flags
    """[m, S] a match may begin at the node, by the tests of first events."""
    accepts: Flags
    """[m, S] a match may end at the node, by the tests of last events."""


def evaluate_conditions(
    conditions: Conditions, automaton: Automaton, rows: Rows, at_hand: KeysAtHand = lambda _: None
) -> Tests:
    """Evaluates each side of each condition once on every row. Linear in rows, conditions and edges.

    `at_hand`: what is known of attributes that are compared with themselves, as most are.
    """
    variables = automaton.variables
    comparisons: dict[tuple[int, int], list[Comparing]] = {}

    sides = Sides(rows)
    for predicate, separated in conditions.edges:
        for test in separated:
            if limits(test) and sides.always_fits(test):
                continue
            attribute = compared_with_itself(test)
            keys = None if attribute is None else at_hand(attribute)
            if keys is None:
                left, right = comparable(*sides.both(test))
            else:
                left, right = keys, keys
            for s, t in automaton.edges:
                if (variables[s], variables[t]) == (predicate.source, predicate.target):
                    comparisons.setdefault((s, t), []).append((test.operator, left, right))
    if not (conditions.first or conditions.last):
        all_pass = np.ones((1, len(variables)), np.bool_)
        return Tests(comparisons, all_pass, all_pass, all_pass)
    tested = rows(()).num_rows
    fits, starts, accepts = (np.ones((tested, len(variables)), np.bool_) for _ in range(3))
    yes = np.ones(tested, np.int64)
    for variable, condition in conditions.first:
        good = holds(condition, rows(part.attribute for part in references(condition)))
        starts[:, [name == variable for name in variables]] &= good[:, None]
        for s, t in automaton.edges:
            if variables[s] != variable == variables[t]:
                comparisons.setdefault((s, t), []).append(("=", yes, good.astype(np.int64)))
    for variable, condition in conditions.last:
        good = holds(condition, rows(part.attribute for part in references(condition)))
        for s in (state for state, name in enumerate(variables) if name == variable):
            if not automaton.reaches(s, variable):
                fits[:, s] &= good
                continue
            accepts[:, s] &= good
            for t in automaton.successors[s]:
                if variables[t] != variable:
                    comparisons.setdefault((s, t), []).append(("=", good.astype(np.int64), yes))
    return Tests(comparisons, fits, starts, accepts)


def check_judgeable(condition: Expression) -> None:
    """Raises NotSupportedYet, with the place, if `judging` cannot evaluate the condition."""
    for part in walk(condition):
        if isinstance(part, Reference) and part.which in (Which.NEXT_NEIGHBOUR, Which.PREVIOUS_NEIGHBOUR):
            raise NotSupportedYet("NEXT and PREV beside other events are not supported yet", part.at)
