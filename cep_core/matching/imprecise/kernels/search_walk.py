"""The state of the search for possible matches: frame f has f chosen rows and the configurations of their worlds.

In the pool, a frame's configurations follow those of the frame before it. Choosing a row copies the configurations, so
undoing the choice restores the earlier ones. Cost of choosing a row: the frame's configurations and slots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.inner_kernels import borrowing, inner
from cep_core.matching.arrays.network import Network
from cep_core.matching.imprecise.kernels.configurations import SLOTS, Configurations, begin_at, copy, free_slot, union
from cep_core.matching.imprecise.kernels.passing import advance
from cep_core.matching.imprecise.kernels.useful import mark_useful
from cep_core.matching.imprecise.kernels.worlds import Asked, Chosen, Times

DONE, FULL, CROWDED, OVERLAP, PAUSED = 0, 1, 2, 3, 4
"""Why a kernel returns: done, batch full, pool too small, more events at once than slots, pause after many steps."""


class Questions(NamedTuple):
    """n last rows, in order. All rows of the matches of question k are in lows[k]:rows[k] + 1."""

    rows: Ints
    lows: Ints


class Walk(NamedTuple):
    """The state of the search. Frame f has f chosen rows; its values are about all of them."""

    at: Ints
    """[2] the current question, and its frame: -1 if the question has not begun."""
    listed: Ints
    """[question] the number of matches listed."""
    steps: Ints
    """[question] the number of configurations visited."""
    row: Ints
    """[frame] the last chosen row."""
    variable: Ints
    next_row: Ints
    """[frame] the next row to try."""
    next_variable: Ints
    begin: Ints
    """[frame] its configurations are pool[begin:end]."""
    end: Ints
    now: Ints
    """[frame] the moment that its configurations have reached."""
    least_low: Ints
    """[frame] the least and the most of the chosen rows' first moments (low) and last moments (high)."""
    most_low: Ints
    least_high: Ints
    most_high: Ints
    slot_row: Ints
    """[frame, slot]"""
    slot_variable: Ints
    useful: Flags
    """[row - low, state] the useful nodes of the current question."""
    begun: Flags
    first_low: Ints
    """[row - low] the earliest moment of this row and all later rows."""


def walk_of(questions: Questions, states: int) -> Walk:
    longest = int((questions.rows - questions.lows).max(initial=0)) + 1
    frames = np.zeros((11, longest + 1), np.int64)
    slots = np.zeros((2, longest + 1, SLOTS), np.int64)
    nodes = np.zeros((2, longest, states), np.bool_)
    return Walk(
        at=np.array([0, -1], np.int64),
        listed=np.zeros(len(questions.rows), np.int64),
        steps=np.zeros(len(questions.rows), np.int64),
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


@inner
def begin_question(
    network: Network, times: Times, questions: Questions, k: int, width: int, pool: Configurations, walk: Walk
) -> bool:
    """Sets up a question. Returns whether it can have a match."""
    low, anchor = questions.lows[k], questions.rows[k]
    if not mark_useful(network, times, low, anchor, width, walk.useful, walk.begun):
        return False
    first = times.low[anchor]
    for row in range(anchor, low - 1, -1):
        first = min(first, times.low[row])
        walk.first_low[row - low] = first
    begin_at(pool, 0)
    walk.begin[0], walk.end[0], walk.now[0] = 0, 1, first - 1
    walk.least_low[0], walk.most_low[0] = np.iinfo(np.int64).max >> 1, np.iinfo(np.int64).min >> 1
    walk.least_high[0], walk.most_high[0] = np.iinfo(np.int64).max >> 1, np.iinfo(np.int64).min >> 1
    walk.next_row[0], walk.next_variable[0] = low, 0
    return True


@inner
def chosen_in(walk: Walk, frame: int) -> Chosen:
    return Chosen(walk.slot_row[frame], walk.slot_variable[frame])


@inner
def choose(times: Times, pool: Configurations, walk: Walk, frame: int, row: int, variable: int) -> int:
    """Makes the next frame, with the row pending in every configuration. Returns DONE, CROWDED or OVERLAP."""
    begin, end = walk.begin[frame], walk.end[frame]
    if 2 * end - begin > pool.mass.shape[0]:
        return CROWDED
    slot = free_slot(union(pool, begin, end))
    if slot == SLOTS:
        return OVERLAP
    child = frame + 1
    for c in range(begin, end):
        copy(pool, c, end + c - begin)
        pool.pending[end + c - begin] |= 1 << slot
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


@inner
def pass_time(asked: Asked, pool: Configurations, walk: Walk, frame: int, until: int) -> bool:
    """Advances time in a frame. Returns whether the pool had room."""
    if walk.now[frame] < until:
        walk.end[frame], walk.now[frame] = advance(
            asked, chosen_in(walk, frame), pool, walk.begin[frame], walk.end[frame], walk.now[frame], until
        )
    return walk.now[frame] >= until


@borrowing
def is_useful(variable_of: Ints, walk: Walk, place: int, variable: int) -> bool:
    """Whether some match may bind the row to the variable."""
    useful = False
    for s in range(variable_of.shape[0]):
        useful |= variable_of[s] == variable and walk.useful[place, s]
    return useful


@borrowing
def try_next(walk: Walk, frame: int, variables: int) -> None:
    """Moves the frame to its next try: the same row as another variable, or the next row."""
    walk.next_variable[frame] += 1
    if walk.next_variable[frame] == variables:
        walk.next_row[frame] += 1
        walk.next_variable[frame] = 0
