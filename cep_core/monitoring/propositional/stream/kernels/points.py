"""A block of points: known steps are repeated, others are taken."""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Bits, Ints
from cep_core.inner_kernels import borrowing, inner
from cep_core.monitoring.propositional.stream.kernels.diagram_lists import forget, number_of, restore
from cep_core.monitoring.propositional.stream.kernels.diagrams import keep_only
from cep_core.monitoring.propositional.stream.kernels.known_steps import ANY, entry_of, record, repeat, repeat_run
from cep_core.monitoring.propositional.stream.kernels.rewriting import distance
from cep_core.monitoring.propositional.stream.kernels.state import (
    ACTIVE,
    BEGIN,
    CLASSES,
    COUNT,
    CURRENT,
    DIAGRAM,
    DIRTY,
    ENOUGH,
    EPOCH,
    FLAT,
    FORBIDDEN,
    GROUPS,
    IMAGE,
    KIND,
    LEAF,
    LEFT,
    LIMIT,
    LOGS,
    MEMBERS,
    MODE,
    NAIVE,
    NEAR,
    NO_ROOM,
    NOW,
    PLACE,
    PREV,
    QUIET,
    REQUIRED,
    RIGHT,
    SINCE,
    SINCE_TS,
    SIZE,
    STARTED,
    UNTIL,
    VERDICTS,
    WAITS,
    Codes,
    MonitorState,
)
from cep_core.monitoring.propositional.stream.kernels.steps import take_step
from cep_core.monitoring.propositional.stream.kernels.telling import move

FIRST_POINT, LAST_POINT = 1, 2
"""Flags of points: the first of a sub-log; the end of a closed one."""


@njit(cache=True)
def take_points(state: MonitorState, stamps: Ints, letters: Bits, flags: Codes) -> int:
    """Goes on through a block; gives the number of points done, not all of them if live diagrams pass the limit."""
    return _take_points(state, stamps, letters, flags)


@borrowing
def _take_points(state: MonitorState, stamps: Ints, letters: Bits, flags: Codes) -> int:
    at, known, masks = state.at, state.known, state.masks
    points = stamps.shape[0]
    remembers = letters.shape[1] == 1 and at[MODE] != NAIVE
    number = at[CURRENT]
    i = 0
    while i < points:
        letter = letters[i, 0]
        same_stamp = flags[i] == 0 and stamps[i] == at[NOW] and at[STARTED] == 1
        if number >= 0:
            if same_stamp and letter & masks[REQUIRED] == masks[REQUIRED] and letter & masks[FORBIDDEN] == 0:
                entry = entry_of(known, number, np.int64(letter))
                if known.entries[entry, 0] == known.counts[EPOCH]:
                    if known.entries[entry, 4] != ANY:
                        run = _run(stamps, letters, flags, i)
                        repeat_run(known, state.open.classes, state.verdicts, at, entry, stamps[i], run)
                        i += run
                        continue
                    number = repeat(known, state.open.classes, state.verdicts, at, entry, stamps[i])
                    i += 1
                    continue
            restore(state.program, state.open, at, known, number)
        epoch = known.counts[EPOCH]
        if not _take_point(state, stamps[i], letters[i], flags[i]):
            at[CURRENT] = -1
            return i
        following = -1
        if remembers and i + 1 < points and stamps[i + 1] == stamps[i] and at[DIRTY] == 0:
            following = number_of(state.program, state.open, at, known)
            if number >= 0 and following >= 0 and same_stamp and at[QUIET] and epoch == known.counts[EPOCH]:
                record(known, at, state.scratch, number, np.int64(letter), following)
        number = following
        i += 1
    if number >= 0:
        restore(state.program, state.open, at, known, number)
    at[CURRENT] = number
    return i


@borrowing
def _run(stamps: Ints, letters: Bits, flags: Codes, begin: int) -> int:
    """How many points from a place on are as the first."""
    end = begin + 1
    letter, stamp = letters[begin, 0], stamps[begin]
    while end < stamps.shape[0] and letters[end, 0] == letter and stamps[end] == stamp and flags[end] == 0:
        end += 1
    return end - begin


@borrowing
def _take_point(state: MonitorState, stamp: int, letter: Bits, flag: int) -> bool:
    """One step that is not known. False if there is no room for its diagrams: then it told nothing."""
    at, diagrams = state.at, state.diagrams
    if flag == FIRST_POINT:
        _begin_log(state)
    is_full = diagrams.counts[SIZE] > 2 * at[LIMIT]
    if (is_full or diagrams.counts[SIZE] > diagrams.counts[ENOUGH]) and _kept_live(state) > at[LIMIT] and is_full:
        return False
    verdicts, now, place, started = at[VERDICTS], at[NOW], at[PLACE], at[STARTED]
    take_step(state, stamp, letter, flag == LAST_POINT)
    if diagrams.counts[NO_ROOM]:
        at[VERDICTS], at[NOW], at[PLACE], at[STARTED] = verdicts, now, place, started
        return False
    if at[FLAT]:
        _set_masks(state)
    return True


@borrowing
def _begin_log(state: MonitorState) -> None:
    """Nothing is open at the begin of a sub-log."""
    at = state.at
    for place in (ACTIVE, CLASSES, WAITS, GROUPS, DIRTY, STARTED, MEMBERS):
        at[place] = 0
    state.open.head[:] = 0
    state.verdicts.begins[at[LOGS]] = at[VERDICTS]
    at[LOGS] += 1


@borrowing
def _set_masks(state: MonitorState) -> None:
    """Which letters decide nothing of earlier stamps."""
    at, program, groups, masks = state.at, state.program, state.open.groups, state.masks
    masks[REQUIRED] = 0
    masks[FORBIDDEN] = 0
    for n in range(program.shape[0]):
        if program[n, KIND] != UNTIL or state.open.head[n] >= at[GROUPS]:
            continue
        left, right = program[n, LEFT], program[n, RIGHT]
        if program[left, KIND] == LEAF and program[left, LEFT] < 64:
            masks[REQUIRED] |= np.uint64(1) << np.uint64(program[left, LEFT])
        waited = distance(groups[state.open.head[n], SINCE_TS], at[NOW])
        if program[right, KIND] == LEAF and program[right, LEFT] < 64 and waited >= np.uint64(program[n, NEAR]):
            masks[FORBIDDEN] |= np.uint64(1) << np.uint64(program[right, LEFT])


@njit(cache=True)
def close_gaps(state: MonitorState) -> None:
    """Of a flat program: drops the groups that nothing waits for, and moves classes to the front of their table."""
    at, groups, head, program = state.at, state.open.groups, state.open.head, state.program
    base = at[GROUPS]
    for n in range(program.shape[0]):
        if program[n, KIND] == UNTIL:
            base = min(base, head[n])
    place = 0
    for group in range(base, at[GROUPS]):
        for origin in range(groups[group, BEGIN], groups[group, BEGIN] + groups[group, COUNT]):
            move(state.open, place, origin)
            place += 1
        groups[group - base, BEGIN] = place - groups[group, COUNT]
        groups[group - base, COUNT] = groups[group, COUNT]
        groups[group - base, SINCE_TS] = groups[group, SINCE_TS]
    for i in range(at[CLASSES] + at[WAITS]):
        move(state.open, place + i, at[ACTIVE] + i)
    state.scratch.touched[: at[DIRTY]] -= base
    head[:] = np.maximum(head - base, 0)
    at[ACTIVE] = place
    at[GROUPS] -= base


@inner
def _kept_live(state: MonitorState) -> int:
    """Drops diagrams that are not needed; gives how many are."""
    at, kept, program = state.at, state.open, state.program
    forget(state.known)
    classes = at[ACTIVE] + at[CLASSES] + at[WAITS]
    roots = np.zeros(classes + program.shape[0] * (1 + kept.past_ts.shape[1]), np.int64)
    roots[:classes] = kept.classes[:classes, DIAGRAM]
    count = classes
    for n in range(program.shape[0]):
        if program[n, KIND] == PREV:
            roots[count] = kept.held[n]
            count += 1
        elif program[n, KIND] == SINCE:
            roots[count : count + kept.past_count[n]] = kept.past_diagram[n, : kept.past_count[n]]
            count += kept.past_count[n]
    live = keep_only(state.diagrams, roots[:count])
    table = state.diagrams.table
    for place in range(classes):
        kept.classes[place, DIAGRAM] = table[kept.classes[place, DIAGRAM], IMAGE]
    for n in range(program.shape[0]):
        if program[n, KIND] == PREV:
            kept.held[n] = table[kept.held[n], IMAGE]
        elif program[n, KIND] == SINCE:
            for entry in range(kept.past_count[n]):
                kept.past_diagram[n, entry] = table[kept.past_diagram[n, entry], IMAGE]
    return live
