"""The evaluator of matching queries: counts first, lists what is wanted, and says how much there was.

Skip-till-any-match: `any_match` tells how many matches end at each event, so the listing takes just those last events
that `max_matches` leaves, and totals are exact whatever their size. Skip-till-next-match and contiguity: `next_match`.
Conditions that only a whole match can answer are judged on the listing (`conditions`, postponed); totals are then exact
while the listing is complete.

Cost: input plus output, as the modules say; the number of runs that an event-by-event matcher would keep plays no part,
save under postponed conditions, where every match of the other conditions is listed once.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.events.schema import Ties
from cep_core.language.budget import UNLIMITED, Budget
from cep_core.language.errors import NotSupportedYet
from cep_core.language.evaluator import CERTAIN, TOTALS, Ownership, ResultTable
from cep_core.language.patterns.automata.automaton import Automaton, automaton_of, one_path_each
from cep_core.language.patterns.automata.run_readings import check_readings
from cep_core.language.patterns.bind.alike import alike_units
from cep_core.language.patterns.facts.compiled import CompiledQuery, refusals_in
from cep_core.language.patterns.query import Query, Strategy
from cep_core.matching.arrays.event_graph import event_graph
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.arrays.window_rows import zones_of
from cep_core.matching.choice.answers import Answers
from cep_core.matching.choice.any_match import AnyMatches, any_matches
from cep_core.matching.choice.closure_rows import closure_rows, has_one_closure
from cep_core.matching.choice.next_match import RunMatches, next_matches
from cep_core.matching.choice.skipping import skipped
from cep_core.matching.judging.judging import BindingJudge
from cep_core.matching.judging.negation_listed import tied_rows, violated
from cep_core.matching.kernels.one_closure import CLOSURE, MOST
from cep_core.matching.plan.conditions import Conditions, conditions_of
from cep_core.matching.plan.negation import Negation, negations_of
from cep_core.matching.result.compact import NO_ROWS, CompactRows, merging_columns
from cep_core.matching.result.match_rows import (
    LAST_SEQ,
    PATH,
    batch_of,
    event_column,
    partial_schema,
    path_column,
    result_schema,
    window_columns,
)
from cep_core.matching.result.match_tables import match_tables
from cep_core.matching.result.merging import Cut, merge_partials
from cep_core.matching.result.spending import Spending
from cep_core.matching.result.totals import Days, Total, encode, part_of, parts
from cep_core.numbers.count_columns import COUNTS, count_columns, unknown_counts


class MatchEvaluator(CompiledQuery):
    """Evaluates a matching query (`cep_core.language.evaluator.Evaluator`).

    `max_matches`: so many matches of each operating day are listed, the first in the order of (last_ts, last seq,
    events from first to last by (seq, place of the variable in the pattern)); None lists all. `collapsed`: one compact
    row for each last event instead of its matches. With `supersets` these never cost a listing: where conditions are
    judged on listed matches, a row holds what passes all others, which may be more than any match, and its count is
    unknown. `budget`: of the work that listing may take; polynomial work is not counted, nor is a listing that is
    cut at `max_matches` unless its conditions are judged on listed matches. Raises NotSupportedYet, with the place, for
    what it cannot evaluate.
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
        super().__init__(query)
        self.budget = budget
        self.max_matches = None if collapsed else max_matches
        self.collapsed = collapsed
        self.supersets = supersets
        with refusals_in(query):
            self.automaton, self.conditions, self.negations = compiled_parts(query)
        self.judge = BindingJudge(query, self.automaton, self.conditions)

    @property
    def schema(self) -> pa.Schema:
        return result_schema(self.query, collapsed=self.collapsed)

    @cached_property
    def tables(self) -> tuple[ResultTable, ...]:
        """The listing and, where it is cut, compact rows of all matches."""
        compact = partial(MatchEvaluator, self.query, collapsed=True, supersets=True, budget=self.budget)
        return match_tables(self, self.query, by_listing=self.postpones, compact=None if self.collapsed else compact)

    @property
    def postpones(self) -> bool:
        """Whether conditions are judged on listed matches, so that these cannot be counted otherwise."""
        uncounted = any(not negation.countable for negation in self.negations)
        return self.query.strategy is Strategy.ANY and (bool(self.conditions.judged) or uncounted)

    @property
    def detects(self) -> bool:
        """Whether one pass says which events complete a match (`detecting`)."""
        return self.query.strategy is Strategy.ANY and not (
            self.postpones or self.automaton.before or self.automaton.after
        )

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, for `explain`."""
        judged = self.conditions.judged
        if self.query.strategy is Strategy.ANY:
            lines = [
                "skip-till-any-match: matches are counted backwards from each last event, without listing them",
                "cost: last events x rows in their windows (log factor or rows again for edges with comparisons)",
                "listing: depth first over events that lead to a match, O(length) for each match",
            ]
            if has_one_closure(self.query, self.automaton, self.conditions):
                lines[-1] = (
                    f"listing: position lists of {', '.join(self.automaton.variables)}, chains shared by first events, "
                    f"O(length) for each match; depth first over events if a window holds more than {MOST} of "
                    f"{self.automaton.variables[CLOSURE]}"
                )
            if self.detects:
                lines.append(
                    "detection: one pass that keeps the latest beginning of each state, O(1) for each event "
                    "and edge (log factor or rows again for edges with comparisons)"
                )
            if self.postpones:
                lines.append("the number of matches is exact only while the listing is complete; it may be exponential")
            else:
                lines.append("the number of matches is exact at any size, whatever is listed")
        elif judged:
            lines = [
                f"{self.query.strategy}: runs side by side, since {len(judged)} condition(s) look at all of a run",
                "cost: for each start the events offered in its window, and the run's length for each one judged",
            ]
        else:
            lines = [
                f"{self.query.strategy}: all runs are one forest, at most one match for each start event",
                "cost: candidates, plus those that fail a comparison before one holds, plus the length of the matches",
            ]
        lines += self.conditions.describe(self.query.strategy is not Strategy.ANY)
        lines += [negation.describe(self.query.strategy) for negation in self.negations]
        if self.query.skip is not None:
            lines.append(f"AFTER MATCH SKIP {self.query.skip}: matches are taken by first event, on whole logs only")
        return tuple(lines)

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Array | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: rows in order, then an empty batch with the totals of each day in its metadata."""
        days = owned.days if owned is not None else None
        with refusals_in(self.query):
            self._check_days(owned)
        answers = self._answers(events, owned, days)
        spending = self._spending(answers, days)
        if self.postpones and self.collapsed and self.supersets:
            totals = [Total(0, exact=False) for _ in parts(days)]
            yield from self._compact_rows(answers, self._compacted(answers, answers.compact()), None, {})
        elif self.postpones:
            totals = yield from self._judged(answers, days, spending)
        else:
            totals = [Total(count) for count in answers.totals(days)]
            if self.collapsed:
                compact = self._compacted(answers, answers.compact())
                yield from self._compact_rows(answers, compact, *answers.compact_counts())
            else:
                yield from self._listed(answers, answers.quotas(days, self.max_matches), spending)
        named = dict(zip(parts(days), totals, strict=True))
        schema = partial_schema(self.schema).with_metadata({TOTALS: encode(named), **spending.metadata()})
        yield pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """One result, ordered and cut anew over all slices."""
        cut = Cut(days, self.max_matches, countable=not self.postpones, budget=self.budget)
        return merge_partials(partials, self.schema, cut)

    def _check_days(self, owned: Ownership | None) -> None:
        """A window counted in events says nothing about when a match that could take more is certain."""
        days = owned.days if owned is not None else None
        if self.query.skip is not None and owned is not None and (days is not None or owned.owns is not None):
            message = "AFTER MATCH SKIP depends on all earlier matches: it is evaluated on whole logs only"
            raise NotSupportedYet(message, self.query.pattern.at)
        waits = self.query.strategy is not Strategy.ANY and any(
            self.automaton.successors[state] for state in self.automaton.accepts
        )
        if days is not None and self.query.window.events and (waits or self.automaton.after):
            message = "operating days of a match with an open end WITHIN a number of EVENTS are not supported yet"
            raise NotSupportedYet(message, self.query.pattern.at)

    def _answers(self, events: pa.Table, owned: Ownership | None, days: Days) -> Answers:
        any_match = self.query.strategy is Strategy.ANY
        cutting = [negation for negation in self.negations if any_match and negation.countable]
        judged = [negation for negation in self.negations if not any_match or not negation.countable]
        graph = event_graph(self.query, self.automaton, self.conditions, events, owned, cutting, judged)
        if any_match:
            return any_matches(graph, self.automaton, self.query.window, days)

        def stands(found: RunMatches) -> Flags:
            flags = [self._unviolated(found, paths) for paths in found.listing(found.counts)]
            return np.concatenate([np.zeros(0, np.bool_), *flags])

        query = self.query
        found = next_matches(graph, self.automaton, query.strategy, query.window, days, self.judge, stands)
        return found if self.query.skip is None else skipped(found, self.query, self.judge)

    def _spending(self, answers: Answers, days: Days) -> Spending:
        """The account of a listing; where matches are runs, there are no more candidates than first events."""
        last = answers.last_rows
        windows = np.zeros(len(last), np.int64) if answers.window_start is None else answers.window_start
        places = np.stack([answers.graph.ts[last], answers.graph.seq[last], windows])
        spending = Spending(self.budget, days, part_of(answers.certain, days), places, self.max_matches)
        if self.budget.limit is not None and isinstance(answers, AnyMatches):
            spending.candidates = list(answers.totals(days))
        return spending

    def _listed(self, answers: Answers, most: Ints, spending: Spending) -> Iterator[pa.RecordBatch]:
        """The first most[k] matches of each answer k, by position lists where the query has the shape for it."""
        rows = None
        if isinstance(answers, AnyMatches):
            if self.max_matches is None:
                most[spending.hopeless()] = 0
                spending.spend(np.arange(len(most)), most)
            if has_one_closure(self.query, self.automaton, self.conditions):
                rows = closure_rows(self.query, answers, most)
        yield from (self._rows(answers, paths) for paths in answers.listing(most)) if rows is None else rows

    def _rows(self, answers: Answers, paths: Paths) -> pa.RecordBatch:
        """Listed matches as rows."""
        graph = answers.graph
        bound = self.judge.bound(paths)
        first_ts = graph.ts[paths.first_rows]
        certain = answers.moments(paths.jobs, first_ts)
        columns = {"first_ts": pa.array(first_ts), **self._last_columns(answers, paths.jobs, certain)}
        for variable, its in zip(self.query.positive, bound, strict=True):
            columns[variable.name] = event_column(its, graph.seq, as_list=variable.kleene)
        matches = self.judge.matches(answers.graph, bound, len(paths))
        for item in self.query.returns:
            assert item.expression is not None
            columns[item.column] = matches.compute(item.expression)
        columns[PATH] = path_column(paths, graph.seq)
        return batch_of(columns, partial_schema(self.schema))

    def _last_columns(self, answers: Answers, jobs: Ints, certain: Ints) -> dict[str, pa.Array]:
        """What rows say of their last events, their windows and when they are certain."""
        graph = answers.graph
        last = answers.last_rows[jobs]
        columns = {
            "last_ts": pa.array(graph.ts[last]),
            LAST_SEQ: pa.array(graph.seq[last]),
            CERTAIN: pa.array(certain),
        }
        start = None if answers.window_start is None else answers.window_start[jobs]
        return {**columns, **window_columns(start, self.query.window.size)}

    def _judged(self, answers: Answers, days: Days, spending: Spending) -> Generator[pa.RecordBatch, None, list[Total]]:
        """Lists everything and keeps what the postponed conditions accept, each day until it has more than enough."""
        part, group = part_of(answers.certain, days), answers.group
        most = answers.counts.copy()
        found, counts = np.zeros(len(parts(days)), np.int64), np.zeros(len(most), np.int64)
        compact = NO_ROWS
        most[spending.hopeless()] = 0
        for paths in answers.listing(most):
            passed = self._judge(answers, paths)
            spending.try_candidates(paths.jobs, np.diff(paths.offsets), passed)
            kept = paths.take(np.flatnonzero(passed))
            found += np.bincount(part[kept.jobs], minlength=len(found))
            counts += np.bincount(kept.jobs, minlength=len(counts))
            if self.collapsed:
                compact += self._compacted(answers, kept)
            elif len(kept):
                yield self._rows(answers, kept)
            if self.max_matches is not None:
                enough = (found > self.max_matches)[part] & (group > group[paths.jobs[-1]])
                most[enough | (counts > self.max_matches)] = 0
            given_up = spending.given_up(int(paths.jobs[-1]))
            if given_up is not None:
                most[given_up] = 0
        if self.collapsed:
            by_row = np.zeros(len(counts), np.int64)
            np.add.at(by_row, answers.compact_row, counts)
            yield from self._compact_rows(answers, compact, by_row[compact.paths.jobs], {})
        return [
            Total(int(n)) if self.max_matches is None or n <= self.max_matches else Total(int(n), exact=False)
            for n in found
        ]

    def _judge(self, answers: Answers, paths: Paths) -> Flags:
        return self.judge.accepts(answers.graph, paths) & self._unviolated(answers, paths)

    def _unviolated(self, answers: Answers, paths: Paths) -> Flags:
        """Which listed matches pass no place where a negated element that is judged on them happens."""
        graph = answers.graph
        good = np.ones(len(paths), np.bool_)
        if not graph.judged or not len(paths):
            return good
        matches = self.judge.matches(answers.graph, self.judge.bound(paths), len(paths))
        starts = None if answers.window_start is None else answers.window_start[paths.jobs]
        ends = (paths.first_rows, paths.last_rows)
        window = zones_of(graph.offsets, graph.clock, graph.width, ends, starts)
        ties = tied_rows(graph.offsets, graph.tick)
        for negation, network in graph.judged:
            good &= ~violated(negation, network, self.automaton, paths, matches, window, ties)
        return good

    def _compacted(self, answers: Answers, paths: Paths) -> CompactRows:
        """Matches, or nodes of matches, of some answers as compact rows."""
        certain = answers.moments(paths.jobs, answers.graph.ts[paths.first_rows])
        states, row = self.judge.variable_of[paths.states], answers.compact_row
        return CompactRows.of(replace(paths, states=states, jobs=row[paths.jobs]), certain)

    def _compact_rows(
        self, answers: Answers, compact: CompactRows, counts: Ints | None, large: Mapping[int, int]
    ) -> Iterator[pa.RecordBatch]:
        """Compact rows as columns; `counts`, `large`: by place, the matches of each row, if known."""
        graph, begin = answers.graph, 0
        an_answer = np.unique(answers.compact_row, return_index=True)[1]
        for some in compact.batches():
            end = begin + len(some.paths)
            columns = {"first_ts": pa.array(graph.ts[some.paths.first_rows])}
            columns |= self._last_columns(answers, an_answer[some.paths.jobs], some.certain)
            beyond = {place - begin: count for place, count in large.items() if begin <= place < end}
            known = None if counts is None else counts[begin:end]
            said = unknown_counts(end - begin) if known is None else count_columns(known, beyond)
            columns |= dict(zip(COUNTS, said, strict=True))
            for variable, its in zip(self.query.positive, some.bound(len(self.query.positive)), strict=True):
                columns[variable.name] = event_column(its, graph.seq, as_list=True)
            columns |= merging_columns(graph, some.paths)
            yield batch_of(columns, partial_schema(self.schema))
            begin = end


def compiled_parts(query: Query) -> tuple[Automaton, Conditions, tuple[Negation, ...]]:
    """Everything that can be refused is refused here."""
    concurrent = query.schema.ties is not Ties.ORDERED
    if query.strategy is Strategy.ANY:
        automaton = one_path_each(query.pattern, alike_units(query), concurrent=concurrent)
    else:
        automaton = automaton_of(query.pattern, alike_units(query), concurrent=concurrent, filled=True)
        check_readings(automaton, query.pattern.at)
    return automaton, conditions_of(query, automaton), negations_of(query, automaton)
