"""Judges bindings, whole or still growing: conditions that no edge can express.

Equivalences that are not used for partitioning are judged here too.

A growing binding (a run) may have conditions that are not settled yet; these count as passed. `b[last].x` and
`sum(b[].x)` are open while the closure may take more events, `b[3].x` and `v IS NULL` while the event may still come.
Every other condition, including one on `first(b[].x)`, is settled once all events that it mentions are bound. It then
decides whether the last of them fits (`docs/semantics.md` 3). Cost: for each condition, linear in the events of the
bindings.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.candidates.keys import NULL_KEY
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.language.patterns.query import Adjacency, EdgePredicate, KeyClass, Query
from cep_core.language.patterns.tree import Expression, IsNull, PrefixAggregate, Reference, Span, Which
from cep_core.language.patterns.values.exact_order import equal_codes
from cep_core.language.patterns.values.expressions import column, holds
from cep_core.language.patterns.walk import rewrite, walk
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.paths import Bound, Paths, events_by_variable, one_event_each
from cep_core.matching.arrays.window_rows import zones_of
from cep_core.matching.judging.negation_listed import tied_rows, violated
from cep_core.matching.judging.quantities import Matches
from cep_core.matching.plan.conditions import Conditions
from cep_core.matching.plan.match_plan import MatchPlan


@dataclass(frozen=True)
class BindingJudge:
    """The conditions of a query that are judged on bindings of its automaton."""

    plan: MatchPlan

    @property
    def query(self) -> Query:
        return self.plan.query

    @property
    def automaton(self) -> Automaton:
        return self.plan.automaton

    @property
    def conditions(self) -> Conditions:
        return self.plan.conditions

    @cached_property
    def names(self) -> list[str]:
        """The variables that matches bind, in the order of the pattern."""
        return [variable.name for variable in self.query.positive]

    @cached_property
    def variable_of(self) -> Ints:
        """[state] the number of its variable among the positive variables."""
        return np.array([self.names.index(name) for name in self.automaton.variables], np.int64)

    def bound(self, paths: Paths) -> list[Bound]:
        """The events of each variable in each match."""
        variables = len(self.names)
        if self.plan.has_one_event_each and (bound := one_event_each(paths, variables)) is not None:
            return bound
        return events_by_variable(paths, self.variable_of, variables)

    def matches(self, graph: EventGraph, bound: list[Bound], count: int) -> Matches:
        lists = frozenset(variable.name for variable in self.query.positive if variable.kleene)
        return Matches(graph.events, dict(zip(self.names, bound, strict=True)), lists, count)

    def accepts(self, graph: EventGraph, paths: Paths, *, growing: bool = False) -> Flags:
        """The bindings that pass every condition; a `growing` binding need only pass the conditions already settled."""
        good = np.ones(len(paths), np.bool_)
        if not self.conditions.judged or not len(paths):
            return good
        matches = self.matches(graph, self.bound(paths), len(paths))
        last = paths.states[paths.offsets[1:] - 1]
        for condition in self.conditions.postponed:
            passed = matches.judge(condition)
            good &= passed | self._open(condition, matches, last) if growing else passed
        for predicate in self.conditions.neighbours:
            good &= self._neighbours(predicate, graph, paths, matches)
        for key in self.conditions.keys:
            good &= self._agree(key, graph, paths)
        return good

    def unviolated(self, graph: EventGraph, paths: Paths, window_start: Ints | None) -> Flags:
        """The listed matches without an occurrence of a negated element that is judged on matches.

        `window_start`: with SLIDE, the start of each match's window.
        """
        good = np.ones(len(paths), np.bool_)
        if not graph.judged or not len(paths):
            return good
        matches = self.matches(graph, self.bound(paths), len(paths))
        ends = (paths.first_rows, paths.last_rows)
        window = zones_of(graph.offsets, graph.clock, graph.width, ends, window_start)
        ties = tied_rows(graph.offsets, graph.tick)
        for negation, network in graph.judged:
            good &= ~violated(negation, network, self.automaton, paths, matches, window, ties)
        return good

    def _open(self, condition: Expression, matches: Matches, last: Ints) -> Flags:
        """The matches for which a condition is not settled: an event that it mentions may still come."""
        unsettled = np.zeros(matches.count, np.bool_)
        for part in walk(condition):
            match part:
                case PrefixAggregate(span=Span.ALL, function="first", defined=None):
                    pass  # later events do not change it
                case Reference(which=Which.LAST) | PrefixAggregate(span=Span.ALL):
                    unsettled |= self._may_come(part.variable)[last]
                case Reference(which=Which.AT):
                    fewer = matches.bound[part.variable].lengths < part.index
                    unsettled |= self._may_come(part.variable)[last] & fewer
                case IsNull(operand=None, variable=str(name)):
                    unsettled |= self._may_come(name)[last] & ~matches.bound[name].present
        return unsettled

    def _may_come(self, variable: str) -> Flags:
        """[state] whether a match may bind the variable later."""
        return np.array([self.automaton.reaches(s, variable) for s in range(len(self.automaton.variables))], np.bool_)

    def _neighbours(self, predicate: EdgePredicate, graph: EventGraph, paths: Paths, matches: Matches) -> Flags:
        """Whether all neighbours pass: consecutive events of one variable, or adjacent events of the match."""
        if predicate.adjacency is Adjacency.BINDING:
            bound = matches.bound[predicate.source]
            rows, owner = bound.rows, np.repeat(np.arange(matches.count), bound.lengths)
            later = np.flatnonzero(owner[1:] == owner[:-1]) + 1
        else:
            rows, owner = paths.rows, np.repeat(np.arange(len(paths)), np.diff(paths.offsets))
            names = np.array(self.automaton.variables)[paths.states]
            pairs = (owner[1:] == owner[:-1]) & (names[:-1] == predicate.source) & (names[1:] == predicate.target)
            later = np.flatnonzero(pairs) + 1
            if predicate.first_only:
                target = matches.bound[predicate.target]
                later = later[rows[later] == np.append(target.rows, -1)[target.offsets[:-1]][owner[later]]]
            if predicate.last_only:
                source = matches.bound[predicate.source]
                later = later[rows[later - 1] == np.append(source.rows, -1)[source.offsets[1:] - 1][owner[later]]]
        good = _pairs_hold(predicate, graph.events, rows[later - 1], rows[later])
        return np.bincount(owner[later][~good], minlength=len(paths)) == 0

    def _agree(self, key: KeyClass, graph: EventGraph, paths: Paths) -> Flags:
        """Whether all events of the class's members have the same value, and none of the values is NULL."""
        attributes = sorted({attribute for _, attribute in key.members})
        keys = np.stack(equal_codes([column(graph.events, name) for name in attributes])[0])
        keys[keys < 0] = NULL_KEY
        member = np.zeros((len(attributes), len(self.automaton.variables)), np.bool_)
        for variable, attribute in key.members:
            member[attributes.index(attribute)] |= np.array(self.automaton.variables) == variable
        return _same_key(keys, member, paths.rows, paths.states, paths.offsets)


def _pairs_hold(predicate: EdgePredicate, events: pa.Table, sources: Ints, targets: Ints) -> Flags:
    """Whether the condition holds for each pair of rows."""
    columns: list[pa.Array] = []
    same = predicate.source == predicate.target

    def as_column(part: Expression) -> Expression:
        if not isinstance(part, Reference):
            return part
        of_source = part.which is Which.PREVIOUS if same else part.variable == predicate.source
        columns.append(column(events, part.attribute).take(pa.array(sources if of_source else targets)))
        return Reference(part.variable, f"c{len(columns) - 1}", Which.EACH, part.at)

    condition = rewrite(predicate.expression, as_column)
    names = [f"c{k}" for k in range(len(columns))]
    return holds(condition, pa.table([*columns, pa.nulls(len(sources))], names=[*names, "none"]))


@njit(cache=True)
def _same_key(keys: Ints, member: Flags, rows: Ints, states: Ints, offsets: Ints) -> Flags:
    good = np.ones(offsets.shape[0] - 1, np.bool_)
    for k in range(good.shape[0]):
        previous = NULL_KEY
        for p in range(offsets[k], offsets[k + 1]):
            for a in range(keys.shape[0]):
                if not member[a, states[p]]:
                    continue
                key = keys[a, rows[p]]
                if key == NULL_KEY or (previous != NULL_KEY and key != previous):
                    good[k] = False
                previous = key
    return good
