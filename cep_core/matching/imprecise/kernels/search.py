"""Enumerates possible matches with their confidence, and drops sets that can no longer reach the threshold.

SASE++, Algorithm 1, extends enumerations event by event. It drops an enumeration whose confidence falls below the
threshold, because more events never raise it. Here an enumeration is a set of (event, variable) pairs in (ts, seq)
order, together with the configurations of its possible worlds (`passing`). Overlapping events of a closure need no
order among themselves (appendix A). The bound for dropping is the probability of all orders together. So dropping is
correct for any conditions.

A question asks for the matches with a given last event, by (ts, seq), among the rows of its partition within reach. The
walk chooses row after row. Before it chooses a row, time advances up to the first moment of this and all later rows.

Cost of a question: marking useful nodes, and for each visited set its moments times its configurations. Memory: a pool
of configurations, as deep as the longest set, and one batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.arrays import Floats, Ints
from cep_core.inner_kernels import inner
from cep_core.language.patterns.query import Confidence
from cep_core.matching.arrays.network import Network
from cep_core.matching.arrays.paths import LARGEST, Paths
from cep_core.matching.imprecise.kernels.configurations import Configurations, pool_of
from cep_core.matching.imprecise.kernels.passing import advance, chance, completed
from cep_core.matching.imprecise.kernels.search_walk import (
    CROWDED,
    DONE,
    FULL,
    OVERLAP,
    PAUSED,
    Questions,
    Walk,
    begin_question,
    choose,
    chosen_in,
    is_useful,
    pass_time,
    try_next,
    walk_of,
)
from cep_core.matching.imprecise.kernels.windowed import TOO_CROWDED, TOO_MANY, confidence_within
from cep_core.matching.imprecise.kernels.worlds import Asked, Chosen, Times, asked_of

POOL, LARGEST_POOL = 1 << 12, 1 << 23
"""The initial number of configurations, and the number at which a search stops with an error."""

PAUSE = 1 << 20
"""Steps after which a search pauses to report the steps spent."""


class PossibleNetwork(NamedTuple):
    """An event graph over possible worlds."""

    network: Network
    variable_of: Ints
    """[state] the number of its variable."""
    kinds: Ints
    """[edge] whether it may lead to an event of the same moment (`worlds`)."""
    times: Times
    width: int
    """The largest distance in time of two events of a match."""


class Search(NamedTuple):
    """The input of a search: an event graph, the questions, and the limits of their answers."""

    network: Network
    times: Times
    asked: Asked
    state_of: Ints
    """[variable] its first state; -1 for a unit of ANY that is like another unit, which has no state."""
    questions: Questions
    most: Ints
    """[question] the largest number of matches to list."""
    width: int
    threshold: float
    strict: bool


class _Batch(NamedTuple):
    """The matches of a batch, as `Paths`; the first offset is 0."""

    rows: Ints
    states: Ints
    offsets: Ints
    jobs: Ints
    confidences: Floats


def _batch_of(events: int, matches: int) -> _Batch:
    offsets = np.zeros(matches + 1, np.int64)
    numbers = [np.empty(size, np.int64) for size in (events, events, matches)]
    return _Batch(numbers[0], numbers[1], offsets, numbers[2], np.empty(matches))


@inner
def _accepts(probability: float, threshold: float, strict: bool) -> bool:
    """The same as `Confidence.accepts`."""
    if probability <= 0:
        return False
    return probability > threshold * (1 + 1e-12) if strict else probability >= threshold * (1 - 1e-12)


@inner
def _confidence(asked: Asked, width: int, pool: Configurations, walk: Walk, frame: int) -> float:
    """The confidence of the chosen rows as a whole match; overwrites the frame's configurations."""
    begin, until = walk.begin[frame], walk.most_high[frame]
    if until - walk.least_low[frame] > width:
        chosen = Chosen(walk.row[1 : frame + 1], walk.variable[1 : frame + 1])
        return confidence_within(asked, width, chosen, pool, begin)
    chosen = chosen_in(walk, frame)
    end, reached = advance(asked, chosen, pool, begin, walk.end[frame], walk.now[frame], until)
    return completed(asked, pool, begin, end) if reached >= until else TOO_CROWDED


@inner
def _write(search: Search, walk: Walk, frame: int, confidence: float, batch: _Batch, match: int) -> None:
    """Writes the rows chosen so far as match `match` of the batch."""
    used = batch.offsets[match]
    for f in range(1, frame + 1):
        batch.rows[used] = walk.row[f]
        batch.states[used] = search.state_of[walk.variable[f]]
        used += 1
    batch.jobs[match] = walk.at[0]
    batch.confidences[match] = min(confidence, 1.0)
    batch.offsets[match + 1] = used
    walk.listed[walk.at[0]] += 1


@njit(cache=True)
def _fill(search: Search, pool: Configurations, walk: Walk, batch: _Batch) -> tuple[int, int]:
    """Searches until the batch is full or all questions are answered. Returns how many matches, and why it stopped."""
    network, times, questions, width = search.network, search.times, search.questions, search.width
    asked, at, steps, begins, ends = search.asked, walk.at, walk.steps, walk.begin, walk.end
    taken = 0
    count = 0
    while at[0] < questions.rows.shape[0]:
        k = at[0]
        low, anchor = questions.lows[k], questions.rows[k]
        asked.base[0] = low
        enough = walk.listed[k] >= search.most[k]
        if enough or (at[1] < 0 and not begin_question(network, times, questions, k, width, pool, walk)):
            at[0], at[1] = k + 1, -1
            continue
        frame = at[1] = max(at[1], 0)
        if taken >= PAUSE:
            return count, PAUSED
        row, variable = walk.next_row[frame], walk.next_variable[frame]
        if row > anchor:
            at[0], at[1] = at[0] + (frame == 0), frame - 1
            continue
        if count == batch.jobs.shape[0] or batch.offsets[count] + frame + 1 > batch.rows.shape[0]:
            return count, FULL
        if variable == 0:
            if not pass_time(asked, pool, walk, frame, walk.first_low[row - low] - 1):
                return count, CROWDED
            begin, end, now = walk.begin[frame], walk.end[frame], walk.now[frame]
            likely = chance(asked, chosen_in(walk, frame), pool, begin, end, now)
            if not _accepts(likely, search.threshold, search.strict):
                walk.next_row[frame] = anchor + 1
                continue
        looked = 1 + ends[frame] - begins[frame]
        inside = times.low[row] <= walk.least_high[frame] + width and walk.most_low[frame] <= times.high[row] + width
        if inside and is_useful(asked.variable_of, walk, row - low, variable):
            why = choose(times, pool, walk, frame, row, variable)
            if why != DONE:
                return count, why
            if row < anchor:
                at[1] = frame + 1
            else:
                confidence = _confidence(asked, width, pool, walk, frame + 1)
                if confidence == TOO_CROWDED:
                    return count, CROWDED
                if confidence == TOO_MANY:
                    return count, OVERLAP
                if _accepts(confidence, search.threshold, search.strict):
                    _write(search, walk, frame + 1, confidence, batch, count)
                    count += 1
        taken += looked
        steps[k] += looked
        try_next(walk, frame, search.state_of.shape[0])
    return count, DONE


class TooManyAtOnce(ValueError):
    """Too many events of one match may happen at the same time."""

    def __init__(self) -> None:
        super().__init__("too many events of one match may happen at the same time: a higher confidence prunes more")


class FoundMatches(NamedTuple):
    """One batch of possible matches with their confidence; an empty batch still reports the work done."""

    paths: Paths
    confidences: Floats
    question: int
    """The current question; all questions before it are answered."""
    steps: Ints
    """[question] steps spent so far."""


def possible_matches(
    possible: PossibleNetwork,
    questions: Questions,
    most: Ints,
    confidence: Confidence,
) -> Iterator[FoundMatches]:
    """The first most[k] matches of each question k with their confidence, one after another, in batches.

    The events of a match are in (ts, seq) order, each in its variable's first state. `most` may be lowered between two
    batches. Raises TooManyAtOnce.
    """
    if not len(questions.rows):
        return
    network, variable_of, kinds, times, width = possible
    state_of = np.full(int(variable_of.max()) + 1, -1)
    state_of[variable_of[::-1]] = np.arange(len(variable_of))[::-1]
    limits = (most, width, confidence.threshold, confidence.strict)
    walk, pool = walk_of(questions, len(variable_of)), pool_of(POOL)
    asked = asked_of(network, variable_of, kinds, times, walk.useful)
    search = Search(network, times, asked, state_of, questions, *limits)
    why = FULL
    while why != DONE:
        batch = _batch_of(max(LARGEST.events, len(walk.row)), LARGEST.rows)
        count, why = _fill(search, pool, walk, batch)
        used = batch.offsets[count]
        events = (batch.rows[:used].copy(), batch.states[:used].copy())
        paths = Paths(*events, batch.offsets[: count + 1].copy(), batch.jobs[:count].copy())
        question = min(int(walk.at[0]), len(walk.steps) - 1)
        yield FoundMatches(paths, batch.confidences[:count].copy(), question, walk.steps)
        if why == OVERLAP or (why == CROWDED and len(pool.mass) >= LARGEST_POOL):
            raise TooManyAtOnce
        if why == CROWDED:
            larger = pool_of(4 * len(pool.mass))
            for old, new in zip(pool, larger, strict=True):
                new[: len(old)] = old
            pool = larger
