"""The matches of skip-till-any-match, by last event: counted first, then listed or made compact on demand.

If a pattern may end in a NOT, the matches with one last event differ in the state in which they end. They also differ
in their first event: the NOT covers the time up to `first.ts + w`, when the match becomes certain, and this moment
decides the day. So there is one question for each last event, state and day.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.language.patterns.automata.automaton import Automaton
from cep_core.language.patterns.query import Window
from cep_core.language.totals import Days, owned_moments, part_of, parts
from cep_core.matching.arrays.event_graph import EventGraph
from cep_core.matching.arrays.network import ANY_STATE, Ends, any_state, with_places
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.arrays.window_rows import first_rows_from, spans_back, windows_of
from cep_core.matching.choice.listings import listed_columns
from cep_core.matching.judging.binding_judge import BindingJudge
from cep_core.matching.kernels.counting import count_matches
from cep_core.matching.kernels.listing import list_matches
from cep_core.matching.kernels.match_nodes import match_nodes
from cep_core.matching.kernels.walks import walks_are_long
from cep_core.matching.result.match_answers import CountedAnswers, JudgedAnswers
from cep_core.matching.result.spending import Spending
from cep_core.matching.result.tally import ListingTally


@dataclass(frozen=True)
class EndQuestions:
    """Questions, each with its window and the moment at which its matches become certain."""

    ends: Ends
    window_start: Ints | None
    certain: Ints
    waits: Flags

    def take(self, wanted: Ints | Flags) -> EndQuestions:
        windows = None if self.window_start is None else self.window_start[wanted]
        return EndQuestions(self.ends.take(wanted), windows, self.certain[wanted], self.waits[wanted])


@dataclass(frozen=True)
class AnyMatches(CountedAnswers):
    """One answer for each last event of a match (with SLIDE, in each window)."""

    ends: Ends

    @property
    def is_listed_in_order(self) -> bool:
        """Matches of one answer are listed in order. Those of answers with one last event and window mix."""
        return bool((np.diff(self.group) > 0).all())

    def listing(self, most: Ints) -> Iterator[Paths]:
        return list_matches(self.graph.network, self.graph.seq, self.ends, most, self.batch_size)

    def columns(self, most: Ints) -> Iterator[dict[str, pa.Array]]:
        return listed_columns(self, self.ends, most)

    def node_pieces(self) -> Iterator[Paths]:
        return match_nodes(self.graph.network, self.ends, self.batch_size.nodes)

    def candidates(self) -> list[int]:
        return self.totals()


@dataclass(frozen=True)
class JudgedMatches(JudgedAnswers):
    """The answers of `AnyMatches`; further conditions judge each of their matches."""

    unjudged: AnyMatches

    @property
    def is_listed_in_order(self) -> bool:
        return self.unjudged.is_listed_in_order

    def judged(self, tally: ListingTally, spending: Spending) -> Iterator[tuple[Paths, dict[str, pa.Array]]]:
        most = self.unjudged.counts.copy()
        most[spending.hopeless()] = 0
        for paths in self.unjudged.listing(most):
            starts = None if self.window_start is None else self.window_start[paths.jobs]
            passed = self.judge.accepts(self.graph, paths) & self.judge.unviolated(self.graph, paths, starts)
            matches = paths.take(np.flatnonzero(passed))
            spending.try_candidates(paths.jobs, np.diff(paths.offsets), passed)
            tally.add(matches.jobs)
            yield matches, {}
            last = int(paths.jobs[-1])
            most[tally.unwanted(last) | spending.given_up(last)] = 0

    def nodes(self) -> Paths:
        return self.unjudged.nodes()

    def candidates(self) -> list[int]:
        return self.unjudged.totals()


def any_matches(judge: BindingJudge, graph: EventGraph, days: Days) -> AnyMatches | JudgedMatches:
    """Counts the matches that become certain on one of the days. Cost: `counting`.

    A match that ends in a NOT becomes certain when its window ends, any other match at its last event.
    """
    questions = questions_about(graph, judge.automaton, judge.query.window, days)
    longest = int((questions.ends.rows - questions.ends.begins).max(initial=0)) + 1
    if walks_are_long(longest):
        graph = replace(graph, network=with_places(graph.network, graph.offsets))
    counts, large = count_matches(graph.network, questions.ends)
    answered = np.flatnonzero(counts)
    questions = questions if len(answered) == len(counts) else questions.take(answered)
    order = _in_time(graph, questions)
    if order is not None:
        answered, questions = answered[order], questions.take(order)
    if large:
        place = np.empty(len(counts), np.int64)
        place[answered] = np.arange(len(answered))
        large = dict(zip(place[list(large)].tolist(), large.values(), strict=True))
    counts = counts[answered]
    last = (judge, graph, questions.ends.rows, questions.window_start, questions.certain, questions.waits, days)
    matches = AnyMatches(*last, counts, large, questions.ends)
    return matches if judge.plan.counts_ahead else JudgedMatches(*last, matches)


def _in_time(graph: EventGraph, questions: EndQuestions) -> Ints | None:
    """The order of questions by last event, window, row, state and first row at which matches may begin.

    None: they are in order.
    """
    ends, windows = questions.ends, questions.window_start
    if windows is None and (ends.rows[1:] > ends.rows[:-1]).all():
        return graph.time_order(ends.rows)
    keys = [ends.begins, ends.states, ends.rows, graph.seq_of(ends.rows), graph.ts[ends.rows]]
    if windows is not None:
        keys.insert(3, windows)
    return np.lexsort(keys)


def questions_about(graph: EventGraph, automaton: Automaton, window: Window, days: Days) -> EndQuestions:
    """All questions whose matches may become certain on one of the days."""
    if automaton.after:
        rows, states = map(np.ascontiguousarray, np.nonzero(graph.network.accepts))  # kernels know them in one form
        waits = np.isin(states, list(automaton.after))
    else:
        rows = np.flatnonzero(any_state(graph.network.accepts))
        states, waits = np.full(len(rows), ANY_STATE), np.zeros(len(rows), np.bool_)
    if window.slide is None:
        return _moving(graph, window, days, rows, states, waits)
    at, start = windows_of(graph.clock[rows], window.size, window.slide, np.arange(len(rows)))
    rows, states, waits = rows[at], states[at], waits[at]
    lows = first_rows_from(graph.offsets, graph.clock, rows, start)
    certain = np.where(waits & (not window.events), start + window.size - 1, graph.ts[rows])
    after = first_rows_from(graph.offsets, graph.clock, rows, start + window.size)
    stands = owned_moments(certain, days) & (~waits | (_until(graph, rows, states) >= after))
    # all matches of one window become certain at the same time
    ends = Ends(rows, states, lows, lows, rows + 1)
    return EndQuestions(ends, start, certain, np.zeros(len(rows), np.bool_)).take(stands)


def _moving(graph: EventGraph, window: Window, days: Days, rows: Ints, states: Ints, waits: Flags) -> EndQuestions:
    """The questions without SLIDE; a waiting last event has one question for each day on which its wait may end."""
    lows = spans_back(graph.offsets, graph.clock, graph.width, rows).bounds
    befores = rows + 1
    if not waits.any():  # no match ends in a NOT
        questions = EndQuestions(Ends(rows, states, lows, lows, befores), None, graph.ts[rows], waits)
        return questions if days is None else questions.take(owned_moments(questions.certain, days))
    until = _until(graph, rows, states)
    seen = np.flatnonzero(
        waits & (until < len(graph.ts))
    )  # some first events are so late that the window contains the forbidden event
    sees = graph.clock[until[seen]] - graph.width
    befores[seen] = np.minimum(befores[seen], first_rows_from(graph.offsets, graph.clock, rows[seen], sees))
    questions = EndQuestions(Ends(rows, states, lows, lows, befores), None, graph.ts[rows], waits & (not window.events))
    if not questions.waits.any():  # a window of events
        return questions if days is None else questions.take(owned_moments(questions.certain, days))
    now = questions.take(~questions.waits & owned_moments(questions.certain, days))
    later = questions.take(questions.waits)
    if days is not None:
        ts = later.certain
        first, last = part_of(ts, days), part_of(ts + window.size, days)
        first, last = np.maximum(first, 0), np.minimum(last, len(parts(days)) - 1)
        counts = np.maximum(last - first + 1, 0)
        part = np.repeat(first - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
        later = later.take(np.repeat(np.arange(len(ts)), counts))
        day = np.array(days, np.int64)
        ends = later.ends
        begins = first_rows_from(graph.offsets, graph.ts, ends.rows, day[part] - window.size)
        before = first_rows_from(graph.offsets, graph.ts, ends.rows, day[part + 1] - window.size)
        begins, before = np.maximum(ends.begins, begins), np.minimum(ends.befores, before)
        later = replace(later, ends=ends._replace(begins=begins, befores=before))
    later = later.take(later.ends.begins < later.ends.befores)
    later = replace(later, certain=graph.ts[later.ends.begins] + window.size)
    ends = Ends(*(np.concatenate(columns) for columns in zip(now.ends, later.ends, strict=True)))
    waits = np.concatenate([now.waits, later.waits])
    return EndQuestions(ends, None, np.concatenate([now.certain, later.certain]), waits)


def _until(graph: EventGraph, rows: Ints, states: Ints) -> Ints:
    """The first row that the window of a match ending at a node must not reach; m: there is no such row."""
    return graph.until[rows, states] if len(graph.until) else np.full(len(rows), len(graph.ts), np.int64)
