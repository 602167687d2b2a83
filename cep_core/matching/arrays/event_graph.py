"""Builds the input of the kernels from a query and the events of a slice: candidates, network, clock and window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.candidates.candidates import Candidates, candidates
from cep_core.candidates.grouping import stable_order
from cep_core.candidates.kept import Kept
from cep_core.candidates.roles import Roles
from cep_core.events.schema import Ties
from cep_core.language.evaluator import Ownership
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Expression, PrefixAggregate, Reference
from cep_core.language.patterns.walk import walk
from cep_core.matching.arrays.negation_edges import GraphRows, cuts, negated_network
from cep_core.matching.arrays.network import Network, network_of
from cep_core.matching.plan.conditions import evaluate_conditions
from cep_core.matching.plan.match_plan import MatchPlan
from cep_core.matching.plan.negation import NegatedElement


@dataclass(frozen=True)
class EventGraph:
    """m candidate rows, grouped by partition and in (ts, seq) order within each."""

    network: Network
    offsets: Ints
    keys: pa.Table
    """[p] the values of the partitioning equivalences in each partition."""
    ts: Ints
    candidate: Candidates
    tick: Ints
    """An event is earlier than another if its tick is smaller. The tick is `ts`, or the row if ties are ordered."""
    clock: Ints
    """The clock that the window bounds: `ts`, or `pos` for WITHIN n EVENTS."""
    width: int
    """The largest clock[last] - clock[first] of a match."""
    attributes: list[str]
    """Those that RETURN items and conditions read."""
    until: Ints
    """[m, S] a match that ends at the node is invalid if its window extends to this row; m: no such row. Without rows
    if nothing is forbidden after a match."""
    judged: tuple[tuple[NegatedElement, Network], ...]
    """The negated elements that no edge can express, each with its own events. They are judged on listed matches."""

    @cached_property
    def events(self) -> pa.Table:
        """[m] the attributes that RETURN items and conditions read."""
        return self.candidate.table(self.attributes)

    @property
    def seq(self) -> Ints:
        """[m] the `seq` of all rows. Whoever asks about some uses `seq_of`."""
        return self.candidate.seq

    def seq_of(self, rows: Ints) -> Ints:
        """The `seq` of these rows."""
        return self.candidate.seq_of(rows)

    @property
    def pos(self) -> Ints:
        """[m] the rank in the whole log."""
        return self.candidate.pos

    @property
    def rank(self) -> Ints:
        """[m] the ranks that contiguity compares."""
        return self.candidate.rank

    def time_order(self, rows: Ints) -> Ints | None:
        """The stable order of these rows by (ts, seq); None: they are in order, as ascending rows of one partition are.

        Linear in the events.
        """
        if len(self.offsets) == 2 and (rows[1:] >= rows[:-1]).all():
            return None
        return stable_order(self.candidate.rows[rows], self.candidate.events.num_rows)


def event_graph(plan: MatchPlan, events: pa.Table, owned: Ownership | None = None) -> EventGraph:
    """The candidates of a slice as a network. Linear in events, candidates, conditions and edges, plus sorting keys.

    Negations that the plan puts on edges become comparisons on edges, and borders (cost: `negation_edges`).
    """
    query, automaton = plan.query, plan.automaton
    candidate = candidates(query, events, owned)
    tests = evaluate_conditions(plan.conditions, automaton, candidate.table, candidate.keys_at_hand)
    fits = np.empty((len(candidate), len(automaton.variables)), np.bool_)
    for state, variable in enumerate(automaton.variables):
        if isinstance(candidate.variables, Roles):
            candidate.variables.into(variable, fits[:, state])
        else:
            fits[:, state] = candidate.variables[variable]
    if len(tests.fits) == len(fits):
        fits &= tests.fits
    ordered = query.schema.ties is Ties.ORDERED
    tick = np.arange(len(candidate), dtype=np.int64) if ordered else candidate.ts
    window = query.window
    closed = window.events or window.slide is not None  # the bound itself is outside the window
    width = window.size - 1 if closed else window.size
    clock = candidate.pos if window.events else candidate.ts
    rows = GraphRows(candidate.offsets, tick, clock, width, candidate.table, candidate.variables)
    cut, borders = cuts(plan.on_edges, automaton, rows)
    for edge, comparisons in cut.items():
        tests.comparisons.setdefault(edge, []).extend(comparisons)
    if automaton.loose or automaton.tied:
        # events of one ANY may be concurrent: so rows set the order, and every other edge also requires a later tick
        for edge in set(automaton.edges) - automaton.loose:
            tests.comparisons.setdefault(edge, []).append(("=" if edge in automaton.tied else "<", tick, tick))
        network = network_of(np.arange(len(candidate), dtype=np.int64), fits, automaton, tests.comparisons)
    else:
        network = network_of(tick, fits, automaton, tests.comparisons)
    if len(tests.starts) > 1:
        network = network._replace(starts=network.starts & tests.starts, accepts=network.accepts & tests.accepts)
    network = network._replace(since=borders.since)
    return EventGraph(
        network=network,
        offsets=candidate.offsets,
        keys=candidate.keys,
        ts=candidate.ts,
        candidate=candidate,
        tick=tick,
        clock=clock,
        width=width,
        attributes=_ATTRIBUTES.of(query, _attributes),
        until=borders.until,
        judged=tuple((negation, negated_network(negation, rows)) for negation in plan.on_matches),
    )


_ATTRIBUTES: Kept[list[str]] = Kept()


def _attributes(query: Query) -> list[str]:
    """The columns read by conditions between events, RETURN items and AFTER MATCH SKIP."""
    expressions: list[Expression] = [predicate.expression for predicate in query.edge_predicates]
    expressions += [predicate.expression for predicate in query.match_predicates]
    expressions += [item.expression for item in query.returns if item.expression is not None]
    parts = [part for expression in expressions for part in walk(expression)]
    named = {part.attribute for part in parts if isinstance(part, Reference)}
    named |= {part.attribute or "seq" for part in parts if isinstance(part, PrefixAggregate)}  # COUNT(*) counts any
    for key in query.key_classes:
        named |= {attribute for _, attribute in key.members if not key.slices}
    return sorted(named | {*(query.partition_attributes if query.skip is not None else ())})
