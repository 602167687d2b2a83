"""The evaluator of queries WITH CONFIDENCE: possible matches whose probability reaches the threshold.

Only skip-till-any-match is defined here (`bind/imprecision.py` refuses the rest). A match stands at the
recorded times of its events: it is listed by `first_ts` and `last_ts`, becomes certain at its last event's `ts`, and
the reach covers how far recorded times of a match may lie apart. Conditions that need a whole match are judged on the
listing, order by order if they depend on the order of a closure's events; so matches can be counted only by listing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Floats, Ints
from cep_core.events.schema import Ties
from cep_core.language.budget import UNLIMITED, Budget, WorkExhausted
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import TOTALS, Ownership, ResultTable
from cep_core.language.patterns.bind.imprecision import known_after
from cep_core.language.patterns.facts.compiled import CompiledQuery, refusals_in
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.tree import Expression, PrefixAggregate, Reference, Span, Unit, Which
from cep_core.language.patterns.walk import walk
from cep_core.matching.arrays.event_graph import EventGraph, event_graph
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.evaluator import compiled_parts
from cep_core.matching.imprecise.confidence.absent import chances_without
from cep_core.matching.imprecise.confidence.orders import Orders, orders_of
from cep_core.matching.imprecise.intervals import intervals
from cep_core.matching.imprecise.kernels.search import TooManyAtOnce, possible_matches
from cep_core.matching.imprecise.kernels.useful import useful_nodes
from cep_core.matching.imprecise.kernels.worlds import LOOSE, STRICT, TIED, Times, times_of
from cep_core.matching.imprecise.last_rows import Stream, stream_of
from cep_core.matching.judging.judging import BindingJudge
from cep_core.matching.pairs.pair_account import PairAccount
from cep_core.matching.plan.negation import Negation
from cep_core.matching.result.compact import NO_ROWS, CompactRows, merging_columns
from cep_core.matching.result.match_rows import PATH, batch_of, event_column, partial_schema, path_column, result_schema
from cep_core.matching.result.match_tables import match_tables
from cep_core.matching.result.merging import Cut, merge_partials
from cep_core.matching.result.spending import Spending, check
from cep_core.matching.result.totals import Days, Total, encode, parts
from cep_core.numbers.count_columns import COUNTS, count_columns, unknown_counts

CONFIDENCE = "confidence"
OF_ORDER = ("first", "last")
"""Aggregates of a whole list that depend on its order; one of the user's own may, too."""


class ImpreciseEvaluator(CompiledQuery):
    """Evaluates a matching query over possible worlds (`cep_core.language.evaluator.Evaluator`).

    Arguments as of `MatchEvaluator`. Times are whole moments, independent and uniform over [ts_lo, ts_hi]
    (`intervals`). With `supersets` a compact row holds the events that pairs of events allow in some world (`useful`).
    Raises NotSupportedYet, with the place, for what it cannot evaluate.
    """

    def __init__(
        self,
        query: Query,
        *,
        max_matches: int | None = None,
        collapsed: bool = False,
        supersets: bool = False,
        budget: Budget = UNLIMITED,
    ) -> None:
        assert query.confidence is not None
        super().__init__(query)
        self.budget = budget
        self.confidence = query.confidence
        self.max_matches = None if collapsed else max_matches
        self.collapsed = collapsed
        self.supersets = supersets
        with refusals_in(query):
            self.automaton, self.conditions, self.negations = compiled_parts(query)
            for negation in self.negations:
                _check_between(negation)
        self.judge = BindingJudge(query, self.automaton, self.conditions)
        self._variable_of = self.judge.variable_of
        self.kinds = self._kinds()
        lists = frozenset(variable.name for variable in query.positive if variable.kleene)
        self.by_order = bool(self.conditions.neighbours) or any(
            depends_on_order(condition, lists) for condition in self.conditions.postponed
        )

    @property
    def schema(self) -> pa.Schema:
        plain = result_schema(self.query, collapsed=self.collapsed)
        return plain if self.collapsed else plain.insert(2, pa.field(CONFIDENCE, pa.float64()))

    @cached_property
    def tables(self) -> tuple[ResultTable, ...]:
        """The listing and, where it is cut, compact rows of all matches."""
        compact = partial(ImpreciseEvaluator, self.query, collapsed=True, supersets=True, budget=self.budget)
        return match_tables(self, self.query, by_listing=self.postpones, compact=None if self.collapsed else compact)

    @property
    def postpones(self) -> bool:
        return True

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        sign = ">" if self.confidence.strict else ">="
        lines = [
            f"possible worlds: matches of confidence {sign} {self.confidence.threshold:g}, skip-till-any-match",
            "sets of events are extended while their partial worlds reach the threshold (dynamic programming)",
            "cost: sets that reach it x moments of their intervals; exponential in events of a match that overlap",
            "the number of matches is exact only while the listing is complete; it may be exponential",
        ]
        for negation in self.negations:
            lines.append(f"NOT {', '.join(negation.automaton.variables)}: weighed in each order of possible matches")
        if self.conditions.judged:
            where = "each order of listed matches" if self.by_order else "listed matches"
            lines.append(f"judged on {where}: {len(self.conditions.judged)} condition(s)")
        return tuple(lines)

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Array | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: rows in order, then an empty batch with the totals of each day in its metadata."""
        days = owned.days if owned is not None else None
        graph = self.graph(events, owned)
        stream = stream_of(graph, self.times(graph, events), days, known_after(self.query))
        if self.collapsed and self.supersets:
            rows, lows = stream.questions
            nodes = useful_nodes(graph.network, stream.times, rows, lows, graph.width)
            compact = CompactRows.of(self._by_variable(nodes), stream.certain[nodes.jobs])
            yield from self._compact_rows(graph, stream, compact, None)
            yield self._last_batch([Total(0, exact=False) for _ in parts(days)], days, {})
            return
        found = np.zeros(len(parts(days)), np.int64)
        compact = NO_ROWS
        counts = np.zeros(len(stream.questions.rows), np.int64)
        most = np.full(len(counts), np.iinfo(np.int64).max)
        if self.max_matches is not None and stream.in_order and not self.conditions.judged and not self.negations:
            most[:] = self.max_matches + 1
        spending = self._spending(stream, days)
        for listed, paths, sure in self._possible(graph, stream, most, spending):
            found += np.bincount(stream.part[paths.jobs], minlength=len(found))
            counts += np.bincount(paths.jobs, minlength=len(counts))
            if self.collapsed:
                compact += CompactRows.of(self._by_variable(paths), stream.certain[paths.jobs])
            elif len(paths):
                yield self._rows(graph, stream, paths, sure)
            if self.max_matches is not None and len(listed):
                later = np.arange(len(most)) > stream.last_of_group(int(listed.jobs[-1]))
                most[(found > self.max_matches)[stream.part] & later] = 0
                if stream.in_order:
                    most[counts > self.max_matches] = 0
        if self.collapsed:
            yield from self._compact_rows(graph, stream, compact, counts)
        totals = [
            Total(int(n)) if self.max_matches is None or n <= self.max_matches else Total(int(n), exact=False)
            for n in found
        ]
        yield self._last_batch(totals, days, spending.metadata())

    def _spending(self, stream: Stream, days: Days) -> Spending:
        rows = stream.questions.rows
        places = np.stack([stream.graph.ts[rows], stream.seq, np.zeros(len(rows), np.int64)])
        return Spending(self.budget, days, stream.part, places, self.max_matches)

    def _possible(
        self, graph: EventGraph, stream: Stream, most: Ints, spending: Spending
    ) -> Iterator[tuple[Paths, Paths, Floats]]:
        """Possible matches, those of them that the conditions leave, and their confidence; until work is exhausted."""
        known = np.zeros(len(most), np.int64)
        question = 0
        try:
            for found in possible_matches(
                graph.network,
                self._variable_of,
                self.kinds,
                stream.times,
                stream.questions,
                most,
                graph.width,
                self.confidence,
            ):
                question = int(found.paths.jobs[0]) if len(found.paths) else found.question
                paths, sure, steps = self._judged(graph, stream.times, found.paths, found.confidences)
                spending.spend(np.arange(len(known)), found.steps - known)
                spending.spend(found.paths.jobs, steps)
                spending.count(paths.jobs)
                known = found.steps.copy()
                yield found.paths, paths, sure
                given_up = spending.given_up(found.question)
                if given_up is not None:
                    most[given_up] = 0
        except (WorkExhausted, TooManyAtOnce) as refusal:
            if self.budget.limit is None:
                raise
            spending.give_up(question, str(refusal) if isinstance(refusal, TooManyAtOnce) else "")

    def everything(
        self, events: pa.Table, owned: Ownership | None, account: PairAccount
    ) -> tuple[EventGraph, Times, Paths, pa.Table]:
        """All matches of a slice, whatever their day, and their rows, in the order in which they are found.

        Raises WorkExhausted.
        """
        graph = self.graph(events, owned)
        stream = stream_of(graph, self.times(graph, events), None, known_after(self.query))
        most = np.full(len(stream.questions.rows), np.iinfo(np.int64).max)
        pieces, rows = [], []
        spending = self._spending(stream, None)
        for _, paths, sure in self._possible(graph, stream, most, spending):
            account.hold(len(paths.rows))
            if len(paths):
                pieces.append(paths)
                rows.append(self._rows(graph, stream, paths, sure))
        check(spending.metadata().values(), self.budget, None, None)
        account.spend(spending.total)
        table = pa.Table.from_batches(rows, partial_schema(self.schema))
        return graph, stream.times, Paths.join(pieces), table

    def _last_batch(self, totals: list[Total], days: Days, work: Mapping[bytes, bytes]) -> pa.RecordBatch:
        """An empty batch with the totals of each day, and the work that it took."""
        named = dict(zip(parts(days), totals, strict=True))
        schema = partial_schema(self.schema).with_metadata({TOTALS: encode(named), **work})
        return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """One result, ordered and cut anew over all slices."""
        return merge_partials(partials, self.schema, Cut(days, self.max_matches, countable=False, budget=self.budget))

    def graph(self, events: pa.Table, owned: Ownership | None) -> EventGraph:
        """The network of a slice, in which nothing is said of time: neither which events are concurrent."""
        timeless = replace(self.automaton, loose=frozenset(), tied=frozenset())
        return event_graph(self.query, timeless, self.conditions, events, owned, judged=self.negations)

    def _kinds(self) -> Ints:
        """By edge, whether it may lead to an event of the same moment."""
        ordered = self.query.schema.ties is Ties.ORDERED
        loose, tied = self.automaton.loose, self.automaton.tied
        edges = self.automaton.edges
        kinds = [TIED if edge in tied else LOOSE if ordered or edge in loose else STRICT for edge in edges]
        return np.array(kinds, np.int64)

    def times(self, graph: EventGraph, events: pa.Table) -> Times:
        """When the rows of a graph may happen."""
        low, high = intervals(events, self.query.schema)
        seq = events.column("seq").to_numpy()
        order = np.argsort(seq, kind="stable")
        rows = order[np.searchsorted(seq, graph.seq, sorter=order)]
        return times_of(low[rows], high[rows], graph.seq, ordered=bool((self.kinds != STRICT).any()))

    def _judged(self, graph: EventGraph, times: Times, paths: Paths, sure: Floats) -> tuple[Paths, Floats, Ints]:
        """What the postponed conditions leave of possible matches, and the steps that each of these took."""
        steps = np.zeros(len(paths), np.int64)
        if not len(paths) or (not self.conditions.judged and not self.negations):
            return paths, sure, steps
        if self.by_order or self.negations:
            (orders, chances, steps), good = self.orders(graph, times, paths)
            sure = np.zeros(len(paths))
            np.add.at(sure, orders.jobs, chances * good)
        else:
            sure = sure * self.judge.accepts(graph, paths)
        kept = np.flatnonzero([self.confidence.accepts(chance) for chance in sure])
        return paths.take(kept), np.minimum(sure[kept], 1.0), steps

    def orders(self, graph: EventGraph, times: Times, paths: Paths) -> tuple[Orders, Flags]:
        """Every order of every match, its probability with negations, and whether conditions hold.

        Raises WorkExhausted.
        """
        found = orders_of(graph.network, self._variable_of, self.kinds, times, paths, graph.width, self.budget)
        good = self.judge.accepts(graph, found.paths)
        if self.negations and len(found.paths):
            orders = found.paths
            matches = self.judge.matches(graph, self.judge.bound(orders), len(orders))
            chances = chances_without(graph, self.automaton, self.kinds, times, orders, matches, self.budget)
            found = found._replace(chances=chances)
        return found, good

    def _rows(self, graph: EventGraph, stream: Stream, paths: Paths, sure: Floats) -> pa.RecordBatch:
        """Listed matches as rows; lists stand in the order of (ts, seq), and RETURN items are computed in it."""
        bound = self.judge.bound(paths)
        columns = {"first_ts": pa.array(graph.ts[paths.first_rows]), CONFIDENCE: pa.array(sure)}
        columns |= stream.last_columns(paths.jobs)
        for variable, its in zip(self.query.positive, bound, strict=True):
            columns[variable.name] = event_column(its, graph.seq, as_list=variable.kleene)
        matches = self.judge.matches(graph, bound, len(paths))
        for item in self.query.returns:
            assert item.expression is not None
            columns[item.column] = matches.compute(item.expression)
        columns[PATH] = path_column(self._by_variable(paths), graph.seq)
        return batch_of(columns, partial_schema(self.schema))

    def _by_variable(self, paths: Paths) -> Paths:
        """Which state an event is in differs from world to world: its variable orders rows."""
        return replace(paths, states=self._variable_of[paths.states])

    def _compact_rows(
        self, graph: EventGraph, stream: Stream, compact: CompactRows, counts: Ints | None
    ) -> Iterator[pa.RecordBatch]:
        """One row for all matches with the same last event; `counts`: those of each question, if known."""
        for some in compact.batches():
            rows = len(some.paths)
            columns = {"first_ts": pa.array(graph.ts[some.paths.first_rows]), **stream.last_columns(some.paths.jobs)}
            said = unknown_counts(rows) if counts is None else count_columns(counts[some.paths.jobs], {})
            columns |= dict(zip(COUNTS, said, strict=True))
            for variable, its in zip(self.query.positive, some.bound(len(self.query.positive)), strict=True):
                columns[variable.name] = event_column(its, graph.seq, as_list=True)
            columns |= merging_columns(graph, some.paths)
            yield batch_of(columns, partial_schema(self.schema))


def _check_between(negation: Negation) -> None:
    """Refuses what is not one event between two of the match."""
    at = negation.body.at
    if not isinstance(negation.body.body, Unit) or negation.inner:
        message = "NOT of anything but one event is not supported yet WITH CONFIDENCE"
        raise NotSupportedYet(message, at, hint="a query without WITH CONFIDENCE takes the clock as it is")
    if any(place.source is None or place.target is None for place in negation.places):
        message = "NOT at the start or the end of a pattern is not supported yet WITH CONFIDENCE"
        raise NotSupportedYet(message, at, hint="put it between two events of the match")


def depends_on_order(condition: Expression, lists: frozenset[str]) -> bool:
    """Whether a condition may hold in one order of a list's events and not in another."""
    for part in walk(condition):
        if isinstance(part, Reference) and part.variable in lists and part.which is not Which.EACH:
            return True
        if isinstance(part, PrefixAggregate) and (
            part.span is not Span.ALL or part.function in OF_ORDER or part.defined
        ):
            return True
    return False
