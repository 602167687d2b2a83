"""One step of the monitor, from a point to the next (paper 02, figure 2; `step`).

First the next point's stamp is known: classes that can no longer hold become false, the last point joins a class or
begins one, and classes that have become equal are told so, the oldest first. Then its letter: what becomes true or
false is told, the oldest first, and the point itself if it is decided (`Now` of section 5.4).

The active classes are written as lists: `Workspace.diagram`, and `Workspace.origin`, the place where a class stood
before the step. Of a flat program they are those of the current stamp. Classes of earlier stamps are in groups, and
only those groups are looked at for which an UNTIL has come to its end; each does so once, so a point costs O(|formula|)
on average.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Bits, Ints
from cep_core.inner_kernels import borrowing, inner
from cep_core.monitoring.propositional.stream.kernels.diagrams import begin_pass
from cep_core.monitoring.propositional.stream.kernels.rewriting import ENDLESS, NextPoint, distance, rewritten
from cep_core.monitoring.propositional.stream.kernels.state import (
    ACTIVE,
    BEGIN,
    CLASS,
    CLASSES,
    COUNT,
    DIAGRAM,
    DIRTY,
    EQUAL,
    FALSE,
    FAR,
    FLAT,
    GLOBAL,
    GROUPS,
    KIND,
    LEFT,
    MET,
    MODE,
    NAIVE,
    NEAR,
    NEXT,
    NOW,
    PASS,
    PLACE,
    QUIET,
    RIGHT,
    SCRIPT,
    SINCE_TS,
    STARTED,
    TRUE,
    TS,
    UNTIL,
    VERDICTS,
    WAITS,
    MonitorState,
)
from cep_core.monitoring.propositional.stream.kernels.telling import (
    in_order,
    move,
    new_point,
    tell_equal,
    tell_truth,
)
from cep_core.monitoring.propositional.stream.kernels.values import value_nodes


@borrowing
def take_step(state: MonitorState, stamp: int, letter: Bits, closing: bool) -> None:
    """Goes on to a point. `closing`: to the end of a closed log, which is no point and gets no verdict."""
    at = state.at
    is_first = at[STARTED] == 0
    gap = ENDLESS if closing else np.uint64(0) if is_first else distance(at[NOW], stamp)
    is_flat = at[FLAT] == 1
    is_new_stamp = is_first or closing or stamp != at[NOW]
    at[SCRIPT] = 0
    at[QUIET] = 1
    begun = at[VERDICTS]
    length = _load(state)
    if not is_first:
        step = NextPoint(stamp, gap, False, is_flat, closing)
        if is_flat:
            _touch_expired(state, step, is_new_stamp)
            _look_at_groups(state, step)
        length = _active_classes(state, length, step)
        if at[MODE] == NAIVE:
            in_order(state.verdicts, begun, at[VERDICTS])
        begun = at[VERDICTS]
        if is_flat and is_new_stamp:
            _close_group(state, length)
            length = 0
    at[PLACE] = 0 if is_new_stamp else at[PLACE] + 1
    at[NOW] = stamp
    at[STARTED] = 1
    step = NextPoint(stamp, gap, True, is_flat, closing)
    value_nodes(state.diagrams, state.program, state.scratch.value, state.open, letter, is_first, step)
    if is_flat:
        _touch_decided(state, step, is_new_stamp)
        _look_at_groups(state, step)
    length = _active_classes(state, length, step)
    if not closing:
        length = _add_point(state, length)
    _store(state, length)
    if at[MODE] == NAIVE:
        in_order(state.verdicts, begun, at[VERDICTS])


@borrowing
def _load(state: MonitorState) -> int:
    """Lists the active classes, with the last point behind them if it waits; gives their number."""
    at, scratch = state.at, state.scratch
    length = at[CLASSES] + at[WAITS]
    for i in range(length):
        scratch.diagram[i] = state.open.classes[at[ACTIVE] + i, DIAGRAM]
        scratch.origin[i] = i
    return length


@borrowing
def _note(state: MonitorState, code: int, place: int, earlier: int) -> None:
    script, at = state.scratch.script, state.at
    script[at[SCRIPT], 0] = code
    script[at[SCRIPT], 1] = place
    script[at[SCRIPT], 2] = earlier
    at[SCRIPT] += 1


@borrowing
def _active_classes(state: MonitorState, length: int, step: NextPoint) -> int:
    """A step of the active classes; gives how many are left. Equal ones join when the stamp is known."""
    at, scratch, table = state.at, state.scratch, state.diagrams.table
    classes, first = state.open.classes, at[ACTIVE]
    begin_pass(state.diagrams)
    merging, ts, count = 0, 0, 0
    for i in range(length):
        origin = scratch.origin[i]
        place = first + origin
        d = rewritten(state.diagrams, state.program, scratch.value, scratch.diagram[i], step.gap, step)
        if d <= TRUE:
            _note(state, d, origin, 0)
            tell_truth(state.open, state.verdicts, at, place, d)
            continue
        if not step.letter_too:
            if i == 0 or (at[MODE] != GLOBAL and classes[place, TS] != ts):
                merging += 1  # classes of another stamp are not looked at
                ts = classes[place, TS]
            met = (state.diagrams.counts[PASS] << 24) + merging
            if table[d, MET] == met:
                _note(state, EQUAL, origin, scratch.origin[table[d, CLASS]])
                tell_equal(state.open, state.verdicts, at, place, first + scratch.origin[table[d, CLASS]])
                continue
            table[d, MET] = met
            table[d, CLASS] = count
        scratch.diagram[count] = d
        scratch.origin[count] = origin
        count += 1
    return count


@borrowing
def _add_point(state: MonitorState, length: int) -> int:
    """The current point: it is told, or it waits behind the active classes."""
    at, scratch = state.at, state.scratch
    origin = at[CLASSES] + at[WAITS]
    place = at[ACTIVE] + origin
    new_point(state.open, at, place, at[NOW], at[PLACE])
    d = scratch.value[state.program.shape[0] - 1]
    at[WAITS] = 0
    if d <= TRUE:
        _note(state, d, origin, 0)
        tell_truth(state.open, state.verdicts, at, place, d)
    else:
        scratch.diagram[length] = d
        scratch.origin[length] = origin
        length += 1
        at[WAITS] = 1
    return length


@borrowing
def _store(state: MonitorState, length: int) -> None:
    """Moves the active classes to their places."""
    at, scratch = state.at, state.scratch
    for i in range(length):
        if scratch.origin[i] != i:
            move(state.open, at[ACTIVE] + i, at[ACTIVE] + scratch.origin[i])
        state.open.classes[at[ACTIVE] + i, DIAGRAM] = scratch.diagram[i]
    at[CLASSES] = length - at[WAITS]


# ---------------------------------------------------------------- earlier stamps of flat programs


@borrowing
def _close_group(state: MonitorState, length: int) -> None:
    """The classes of the current stamp become a group; the stamp that follows has none yet."""
    at, groups = state.at, state.open.groups
    at[WAITS] = 0
    _store(state, length)
    if length:
        group = at[GROUPS]
        groups[group, BEGIN] = at[ACTIVE]
        groups[group, COUNT] = length
        groups[group, SINCE_TS] = at[NOW]
        at[GROUPS] = group + 1
        at[ACTIVE] += length
    at[CLASSES] = 0


@borrowing
def _touch_expired(state: MonitorState, step: NextPoint, is_new_stamp: bool) -> None:
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
def _touch_decided(state: MonitorState, step: NextPoint, is_new_stamp: bool) -> None:
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
def _look_at_groups(state: MonitorState, step: NextPoint) -> None:
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
