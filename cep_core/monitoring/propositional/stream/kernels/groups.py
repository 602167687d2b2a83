"""Classes of earlier stamps of a flat program, and the steps that they take (paper 02, figure 2; `step`).

The classes of a stamp are a group. Only those groups are looked at for which an UNTIL has come to its end, since its
time is over or the letter decides it, and the last one for NEXT. An UNTIL does so once for each group, so a point costs
O(|formula|) on average. `Workspace.touched` lists the groups; they are looked at in order of time.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Ints
from cep_core.inner_kernels import borrowing, inner
from cep_core.monitoring.propositional.stream.kernels.diagrams import begin_pass
from cep_core.monitoring.propositional.stream.kernels.rewriting import NextPoint, distance, rewritten
from cep_core.monitoring.propositional.stream.kernels.state import (
    ACTIVE,
    BEGIN,
    CLASS,
    CLASSES,
    COUNT,
    DIAGRAM,
    DIRTY,
    FALSE,
    FAR,
    GROUPS,
    KIND,
    LEFT,
    MET,
    NEAR,
    NEXT,
    NOW,
    QUIET,
    RIGHT,
    SINCE_TS,
    TRUE,
    UNTIL,
    MonitorState,
)
from cep_core.monitoring.propositional.stream.kernels.telling import move, tell_equal, tell_truth


@borrowing
def close_group(state: MonitorState, length: int) -> None:
    """The classes of the current stamp, which are at their places, become a group; the stamp that follows has none."""
    at, groups = state.at, state.open.groups
    if length:
        group = at[GROUPS]
        groups[group, BEGIN] = at[ACTIVE]
        groups[group, COUNT] = length
        groups[group, SINCE_TS] = at[NOW]
        at[GROUPS] = group + 1
        at[ACTIVE] += length
    at[CLASSES] = 0


@borrowing
def touch_expired(state: MonitorState, step: NextPoint, is_new_stamp: bool) -> None:
    """Lists the groups for which an UNTIL can no longer hold, besides those that are listed as dirty."""
    if not is_new_stamp:
        return
    at, groups, program = state.at, state.open.groups, state.program
    touched = state.scratch.touched
    for n in range(program.shape[0]):
        if program[n, KIND] != UNTIL:
            continue
        group = state.open.head[n]
        while group < at[GROUPS] and _waited(groups, group, step) > np.uint64(program[n, FAR]):
            touched[at[DIRTY]] = group
            at[DIRTY] += 1
            group += 1
        state.open.head[n] = group


@borrowing
def touch_decided(state: MonitorState, step: NextPoint, is_new_stamp: bool) -> None:
    """Lists the groups for which the current letter decides an UNTIL, or NEXT at the last point."""
    at, groups, program = state.at, state.open.groups, state.program
    touched = state.scratch.touched
    at[DIRTY] = 0
    for n in range(program.shape[0]):
        if program[n, KIND] == NEXT and is_new_stamp and at[GROUPS]:
            touched[at[DIRTY]] = at[GROUPS] - 1
            at[DIRTY] += 1
        if program[n, KIND] != UNTIL:
            continue
        left = state.scratch.value[program[n, LEFT]]
        right = state.scratch.value[program[n, RIGHT]]
        group = state.open.head[n]
        while group < at[GROUPS] and (
            left == FALSE or (right == TRUE and _waited(groups, group, step) >= np.uint64(program[n, NEAR]))
        ):
            touched[at[DIRTY]] = group
            at[DIRTY] += 1
            group += 1
        state.open.head[n] = group


@borrowing
def _waited(groups: Ints, group: int, step: NextPoint) -> np.uint64:
    return step.gap if step.closing else distance(groups[group, SINCE_TS], step.now)


@borrowing
def look_at_groups(state: MonitorState, step: NextPoint) -> None:
    """A step of the groups that are listed, in order of time. Those with several classes left are dirty after it."""
    at, touched = state.at, state.scratch.touched
    if at[DIRTY] == 0:
        return
    at[QUIET] = 0
    number = at[DIRTY]
    for i in range(1, number):
        if touched[i] < touched[i - 1]:
            _sort(touched[:number])
            break
    at[DIRTY] = 0
    last = -1
    for i in range(number):  # what is dirty is written where it has been read
        group = touched[i]
        if group == last:
            continue
        last = group
        left = _one_group(state, group, step)
        if step.letter_too and left > 1:
            touched[at[DIRTY]] = group
            at[DIRTY] += 1


@inner
def _sort(numbers: Ints) -> None:
    numbers.sort()


@borrowing
def _one_group(state: MonitorState, group: int, step: NextPoint) -> int:
    """A step of the classes of one group; gives how many are left."""
    at, groups, classes, table = state.at, state.open.groups, state.open.classes, state.diagrams.table
    met = begin_pass(state.diagrams) << 24
    begin = groups[group, BEGIN]
    waited = _waited(groups, group, step)
    count = 0
    for place in range(begin, begin + groups[group, COUNT]):
        before = classes[place, DIAGRAM]
        d = rewritten(state.diagrams, state.program, state.scratch.value, before, waited, step)
        if d <= TRUE:
            tell_truth(state.open, state.verdicts, at, place, d)
            continue
        if not step.letter_too:
            if table[d, MET] == met:
                tell_equal(state.open, state.verdicts, at, place, begin + table[d, CLASS])
                continue
            table[d, MET] = met
            table[d, CLASS] = count
        if begin + count != place:
            move(state.open, begin + count, place)
        classes[begin + count, DIAGRAM] = d
        count += 1
    groups[group, COUNT] = count
    return count
