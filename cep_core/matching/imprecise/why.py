"""Explains the confidence of a possible match by the orders in which its events may come.

A match's confidence is the sum of the probabilities of the orders in which its conditions hold (`orders`). This module
returns each order with its probability and whether the conditions hold in it. Cost: the orders of one match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.language.budget import UNLIMITED, Budget
from cep_core.language.patterns.bind.and_sides import alone, names_of
from cep_core.language.patterns.query import Confidence, Query
from cep_core.language.patterns.tree import Conjunction
from cep_core.language.settings import Settings
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.imprecise.evaluator import ImpreciseEvaluator
from cep_core.matching.imprecise.intervals import intervals
from cep_core.matching.imprecise.pair_evaluator import PossiblePairs
from cep_core.matching.match_path import Path


@dataclass(frozen=True)
class Order:
    """One order of a match's events; `path` has the rows of the log and their variables, in this order."""

    path: Path
    probability: float
    """The probability of the worlds in which the events come in this order within the window."""
    holds: bool
    """Whether the conditions that depend on the order hold in it."""


def orders_of_match(query: Query, events: pa.Table, path: Path, budget: Budget = UNLIMITED) -> list[Order]:
    """The possible orders of a match's events: first those in which the conditions hold, then by falling probability.

    Raises WorkExhausted if there are more orders than the budget allows.

    >>> from cep_core.events.table import log_schema_of, order
    >>> from cep_core.language.patterns.bind.binding import bind
    >>> log = order(pa.table({"event_type": ["A", "B"], "ts": [1, 2], "ts_lo": [1, 2], "ts_hi": [2, 3]}))
    >>> query = bind("PATTERN SEQ(A a, B b) WITHIN 9 WITH CONFIDENCE > 0", log_schema_of(log))
    >>> orders_of_match(query, log, ((0, "a"), (1, "b")))
    [Order(path=((0, 'a'), (1, 'b')), probability=0.75, holds=True)]
    """
    evaluator = ImpreciseEvaluator(query, Settings(budget=budget))
    rows = sorted({*(row for row, _ in path), *_negated(query, events, path)})
    own = events.take(pa.array(rows))
    possible = evaluator.graph(own)
    graph = possible.graph
    names, variable_of = evaluator.judge.names, evaluator.judge.variable_of
    of_seq = {int(seq): row for seq, row in zip(own["seq"].to_pylist(), rows, strict=True)}
    log_rows = [of_seq[int(seq)] for seq in graph.seq]
    variable = dict(path)
    possible_orders = []
    # if not all events have a common key, they may be in several partitions
    for begin, end in zip(graph.offsets[:-1].tolist(), graph.offsets[1:].tolist(), strict=True):
        places = np.array([place for place in range(begin, end) if log_rows[place] in variable], np.int64)
        if len(places) < len(path):
            continue
        states = [int(np.flatnonzero(variable_of == names.index(variable[log_rows[place]]))[0]) for place in places]
        whole = Paths(places, np.array(states), np.array([0, len(path)]), np.zeros(1, np.int64))
        (orders, chances, _), holds = possible.orders(whole)
        for k, (first, after) in enumerate(zip(orders.offsets[:-1], orders.offsets[1:], strict=True)):
            steps = zip(orders.rows[first:after].tolist(), orders.states[first:after].tolist(), strict=True)
            order_path = tuple((log_rows[row], names[variable_of[state]]) for row, state in steps)
            if chances[k] > 0:
                possible_orders.append(Order(order_path, float(chances[k]), bool(holds[k])))
    return sorted(possible_orders, key=lambda order: (not order.holds, -order.probability, order.path))


def _negated(query: Query, events: pa.Table, path: Path) -> Ints:
    """The rows of negated events that may happen between the events of the match."""
    kinds = [variable.event_type for variable in query.variables if variable.negated]
    low, high = intervals(events, query.schema)
    rows = np.array([row for row, _ in path])
    near = (low <= high[rows].max()) & (high >= low[rows].min())
    return np.flatnonzero(near & pc.is_in(events["event_type"], pa.array(kinds, pa.string())).to_numpy())


def confidence_of_pair(query: Query, events: pa.Table, path: Path) -> tuple[float, tuple[float, ...]]:
    """The probability of a pair of an AND, and of each of its two matches; `path` as in `Order`, with both sides.

    >>> from cep_core.events.table import log_schema_of, order
    >>> from cep_core.language.patterns.bind.binding import bind
    >>> log = order(pa.table({"event_type": ["A", "B"], "ts": [1, 2], "ts_lo": [1, 2], "ts_hi": [2, 3]}))
    >>> query = bind("PATTERN A a AND B b WITHIN 1 WITH CONFIDENCE > 0", log_schema_of(log))
    >>> confidence_of_pair(query, log, ((0, "a"), (1, "b_right")))
    (0.75, (1.0, 1.0))
    """
    assert isinstance(query.pattern, Conjunction)
    own = events.take(pa.array(sorted({row for row, _ in path})))
    anyhow = replace(query, confidence=Confidence(0.0, strict=True))
    evaluator = PossiblePairs(anyhow)
    rows = evaluator.merge(evaluator.evaluate(own)).to_pylist()
    seqs: dict[str, set[int]] = {}
    for row, name in path:
        seqs.setdefault(name, set()).add(int(events["seq"][row].as_py()))
    names = [variable.name for variable in query.positive]
    likely = next(float(row["confidence"]) for row in rows if _bound(row, names) == seqs)
    sides = []
    for pattern in (query.pattern.left, query.pattern.right):
        step = tuple((row, name) for row, name in path if name in names_of(pattern))
        orders = orders_of_match(alone(anyhow, pattern), events, step)
        sides.append(sum(order.probability for order in orders if order.holds))
    return likely, tuple(sides)


def _bound(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, set[int]]:
    """The events of each variable, by seq."""
    bound = {name: row[name] for name in names if row[name] is not None}
    return {name: set(seqs) if isinstance(seqs, list) else {seqs} for name, seqs in bound.items()}
