"""Enumerates possible matches with their confidence, and gives up what can no longer reach the threshold.

SASE++, Algorithm 1, extends the enumerations it keeps event by event and drops those whose confidence falls below the
threshold, since more events never raise it. Here an enumeration is a set of (event, variable) pairs in the order of
(ts, seq), kept with the configurations of its possible worlds (`worlds`): events of a closure that overlap need no
order among themselves (appendix A), and what is dropped is bounded by the probability of all orders together, so that
it is sound whatever the conditions compare.

A question is the last event, by (ts, seq), of matches; it is asked of the rows of its partition within reach. The walk
chooses row after row; before it chooses one, time passes up to the first moment that any row from there on may have.

Cost of a question: marking useful nodes; for each set visited its moments times configurations. Memory: a pool of
configurations, as deep as the sets are long, and one batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from cep_core.language.patterns.query import Confidence
from cep_core.matching.imprecise.useful import mark_useful
from cep_core.matching.imprecise.windowed import TOO_CROWDED, TOO_MANY, confidence_within
from cep_core.matching.imprecise.worlds import (
    NOTHING,
    SLOTS,
    Configurations,
    Floats,
    Times,
    advance,
    chance,
    pool_of,
    union,
)
from cep_core.matching.network import Flags, Ints, Network
from cep_core.matching.paths import BATCH_EVENTS, BATCH_ROWS, Paths

POOL, LARGEST_POOL = 1 << 12, 1 << 23
"""Configurations at first, and the number at which a search is given up with an error."""

DONE, FULL, CROWDED, OVERLAP = 0, 1, 2, 3
"""Why the kernel returns: all is answered, a full batch, too small a pool, more events at once than slots."""


class Questions(NamedTuple):
    """n last rows, in order; the matches of question k have their rows in lows[k]:rows[k] + 1."""

    rows: Ints
    lows: Ints


class _Walk(NamedTuple):
    """Where the search stands. Frame f has chosen f rows; what it holds is about all of them."""

    at: Ints
    """[2] the question in hand; its frame, -1 if it has not begun."""
    listed: Ints
    """[question] matches listed."""
    row: Ints
    """[frame] the row chosen last."""
    variable: Ints
    next_row: Ints
    """[frame] what is tried next."""
    next_variable: Ints
    begin: Ints
    """[frame] its configurations are pool[begin:end]."""
    end: Ints
    now: Ints
    """[frame] the moment up to which they have come."""
    least_low: Ints
    """[frame] of the chosen rows' first and last moments the least and the most."""
    most_low: Ints
    least_high: Ints
    most_high: Ints
    slot_row: Ints
    """[frame, slot]"""
    slot_variable: Ints
    useful: Flags
    """[row - low, state] nodes of the question in hand."""
    begun: Flags
    first_low: Ints
    """[row - low] the first moment that this row or a later one may have."""


def _walk_of(questions: Questions, states: int) -> _Walk:
    longest = int((questions.rows - questions.lows).max(initial=0)) + 1
    frames = np.zeros((11, longest + 1), np.int64)
    slots = np.zeros((2, longest + 1, SLOTS), np.int64)
    nodes = np.zeros((2, longest, states), np.bool_)
    return _Walk(
        at=np.array([0, -1], np.int64),
        listed=np.zeros(len(questions.rows), np.int64),
        row=frames[0],
        variable=frames[1],
        next_row=frames[2],
        next_variable=frames[3],
        begin=frames[4],
        end=frames[5],
        now=frames[6],
        least_low=frames[7],
        most_low=frames[8],
        least_high=frames[9],
        most_high=frames[10],
        slot_row=slots[0],
        slot_variable=slots[1],
        useful=nodes[0],
        begun=nodes[1],
        first_low=np.zeros(longest, np.int64),
    )


@njit(cache=True)
def _begin(network: Network, times: Times, questions: Questions, k: int, pool: Configurations, walk: _Walk) -> bool:
    """Sets up a question; whether it can have a match."""
    low, anchor = questions.lows[k], questions.rows[k]
    if not mark_useful(network, times, low, anchor, walk.useful, walk.begun):
        return False
    first = times.low[anchor]
    for row in range(anchor, low - 1, -1):
        first = min(first, times.low[row])
        walk.first_low[row - low] = first
    pool.pending[0], pool.last[0], pool.state[0], pool.mass[0] = 0, NOTHING, NOTHING, 1.0
    walk.begin[0], walk.end[0], walk.now[0] = 0, 1, first - 1
    walk.least_low[0], walk.most_low[0] = np.iinfo(np.int64).max >> 1, np.iinfo(np.int64).min >> 1
    walk.least_high[0], walk.most_high[0] = np.iinfo(np.int64).max >> 1, np.iinfo(np.int64).min >> 1
    walk.next_row[0], walk.next_variable[0] = low, 0
    return True


@njit(cache=True)
def _accepts(probability: float, threshold: float, strict: bool) -> bool:
    """As `Confidence.accepts`."""
    if probability <= 0:
        return False
    return probability > threshold * (1 + 1e-12) if strict else probability >= threshold * (1 - 1e-12)


@njit(cache=True)
def _is_useful(variable_of: Ints, walk: _Walk, place: int, variable: int) -> bool:
    """Whether the row may stand for the variable in some match."""
    found = False
    for s in range(variable_of.shape[0]):
        found |= variable_of[s] == variable and walk.useful[place, s]
    return found


@njit(cache=True)
def _choose(times: Times, pool: Configurations, walk: _Walk, frame: int, row: int, variable: int) -> int:
    """Makes the next frame: the row is to come in every configuration. DONE, CROWDED or OVERLAP."""
    begin, end = walk.begin[frame], walk.end[frame]
    if 2 * end - begin > pool.mass.shape[0]:
        return CROWDED
    waiting = union(pool, begin, end)
    slot = 0
    while slot < SLOTS and waiting >> slot & 1:
        slot += 1
    if slot == SLOTS:
        return OVERLAP
    child = frame + 1
    for c in range(begin, end):
        to = end + c - begin
        pool.pending[to] = pool.pending[c] | 1 << slot
        pool.last[to], pool.state[to], pool.mass[to] = pool.last[c], pool.state[c], pool.mass[c]
    walk.begin[child], walk.end[child], walk.now[child] = end, 2 * end - begin, walk.now[frame]
    walk.row[child], walk.variable[child] = row, variable
    walk.least_low[child] = min(walk.least_low[frame], times.low[row])
    walk.most_low[child] = max(walk.most_low[frame], times.low[row])
    walk.least_high[child] = min(walk.least_high[frame], times.high[row])
    walk.most_high[child] = max(walk.most_high[frame], times.high[row])
    walk.slot_row[child] = walk.slot_row[frame]
    walk.slot_variable[child] = walk.slot_variable[frame]
    walk.slot_row[child, slot], walk.slot_variable[child, slot] = row, variable
    walk.next_row[child], walk.next_variable[child] = row + 1, 0
    return DONE


@njit(cache=True)
def _confidence(
    network: Network,
    variable_of: Ints,
    times: Times,
    base: int,
    width: int,
    pool: Configurations,
    walk: _Walk,
    frame: int,
) -> float:
    """The confidence of the rows chosen so far as a whole match; the frame's configurations are used up."""
    begin, end = walk.begin[frame], walk.end[frame]
    if walk.most_high[frame] - walk.least_low[frame] > width:
        chosen, variables = walk.row[1 : frame + 1], walk.variable[1 : frame + 1]
        return confidence_within(network, variable_of, times, walk.useful, base, width, chosen, variables, pool, begin)
    until = walk.most_high[frame]
    end, reached = advance(
        network,
        variable_of,
        times,
        walk.useful,
        base,
        pool,
        begin,
        end,
        walk.now[frame],
        until,
        walk.slot_row[frame],
        walk.slot_variable[frame],
    )
    if reached < until:
        return TOO_CROWDED
    total = 0.0
    for c in range(begin, end):
        if not pool.pending[c] and network.accepts[pool.last[c], pool.state[c]]:
            total += pool.mass[c]
    return total


@njit(cache=True)
def _fill(
    network: Network,
    variable_of: Ints,
    state_of: Ints,
    times: Times,
    questions: Questions,
    most: Ints,
    width: int,
    threshold: float,
    strict: bool,
    pool: Configurations,
    walk: _Walk,
    rows: Ints,
    states: Ints,
    offsets: Ints,
    jobs: Ints,
    confidences: Floats,
) -> tuple[int, int]:
    """Goes on until the batch is full or all is answered; returns the matches in the batch and why it stopped."""
    at = walk.at
    found = used = 0
    offsets[0] = 0
    while at[0] < questions.rows.shape[0]:
        k, frame = at[0], at[1]
        low, anchor = questions.lows[k], questions.rows[k]
        if walk.listed[k] >= most[k] or (frame < 0 and not _begin(network, times, questions, k, pool, walk)):
            at[0] += 1
            at[1] = -1
            continue
        frame = at[1] = max(frame, 0)
        row, variable = walk.next_row[frame], walk.next_variable[frame]
        if row > anchor:
            at[1] = frame - 1
            if frame == 0:
                at[0] += 1
            continue
        if found == jobs.shape[0] or used + frame + 1 > rows.shape[0]:
            return found, FULL
        if variable == 0:
            until = walk.first_low[row - low] - 1
            if walk.now[frame] < until:
                walk.end[frame], walk.now[frame] = advance(
                    network,
                    variable_of,
                    times,
                    walk.useful,
                    low,
                    pool,
                    walk.begin[frame],
                    walk.end[frame],
                    walk.now[frame],
                    until,
                    walk.slot_row[frame],
                    walk.slot_variable[frame],
                )
                if walk.now[frame] < until:
                    return found, CROWDED
            likely = chance(times, pool, walk.begin[frame], walk.end[frame], walk.now[frame], walk.slot_row[frame])
            if not _accepts(likely, threshold, strict):
                walk.next_row[frame] = anchor + 1
                continue
        inside = times.low[row] <= walk.least_high[frame] + width and walk.most_low[frame] <= times.high[row] + width
        if inside and _is_useful(variable_of, walk, row - low, variable):
            why = _choose(times, pool, walk, frame, row, variable)
            if why != DONE:
                return found, why
            if row == anchor:
                confidence = _confidence(network, variable_of, times, low, width, pool, walk, frame + 1)
                if confidence == TOO_CROWDED:
                    return found, CROWDED
                if confidence == TOO_MANY:
                    return found, OVERLAP
                if _accepts(confidence, threshold, strict):
                    for f in range(1, frame + 2):
                        rows[used] = walk.row[f]
                        states[used] = state_of[walk.variable[f]]
                        used += 1
                    jobs[found] = k
                    confidences[found] = min(confidence, 1.0)
                    found += 1
                    offsets[found] = used
                    walk.listed[k] += 1
            else:
                at[1] = frame + 1
        if variable + 1 < state_of.shape[0]:
            walk.next_variable[frame] = variable + 1
        else:
            walk.next_row[frame], walk.next_variable[frame] = row + 1, 0
    return found, DONE


def possible_matches(
    network: Network,
    variable_of: Ints,
    times: Times,
    questions: Questions,
    most: Ints,
    width: int,
    confidence: Confidence,
    batch_rows: int = BATCH_ROWS,
) -> Iterator[tuple[Paths, Floats]]:
    """The first most[k] matches of each question k with their confidence, one after another, in batches.

    The events of a match stand in the order of (ts, seq), each in its variable's first state. `most` may be lowered
    between two batches. Raises ValueError where too many events of one match may happen at once.
    """
    if not len(questions.rows):
        return
    state_of = np.full(int(variable_of.max()) + 1, -1)  # a unit of ANY that is like another has no state
    state_of[variable_of[::-1]] = np.arange(len(variable_of))[::-1]
    walk = _walk_of(questions, len(variable_of))
    pool = pool_of(POOL)
    capacity = max(BATCH_EVENTS, len(walk.row))
    why = FULL
    while why != DONE:
        rows, states = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
        offsets, jobs = np.empty(batch_rows + 1, np.int64), np.empty(batch_rows, np.int64)
        sure = np.empty(batch_rows)
        found, why = _fill(
            network,
            variable_of,
            state_of,
            times,
            questions,
            most,
            width,
            confidence.threshold,
            confidence.strict,
            pool,
            walk,
            rows,
            states,
            offsets,
            jobs,
            sure,
        )
        used = offsets[found]
        if found:
            paths = Paths(rows[:used].copy(), states[:used].copy(), offsets[: found + 1].copy(), jobs[:found].copy())
            yield paths, sure[:found].copy()
        if why == OVERLAP or (why == CROWDED and len(pool.mass) >= LARGEST_POOL):
            raise ValueError(
                "too many events of one match may happen at the same time: a higher confidence prunes more"
            )
        if why == CROWDED:
            larger = pool_of(4 * len(pool.mass))
            for old, new in zip(pool, larger, strict=True):
                new[: len(old)] = old
            pool = larger
