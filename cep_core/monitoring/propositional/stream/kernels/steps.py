"""One step of the monitor, from a point to the next (paper 02, figure 2; `step`).

First the next point's stamp is known: classes that can no longer hold become false, the last point joins a class or
begins one, and classes that have become equal are told so, the oldest first. Then its letter: what becomes true or
false is told, the oldest first, and the point itself if it is decided (`Now` of section 5.4).

The active classes are written as lists: `Workspace.diagram`, and `Workspace.origin`, the place where a class stood
before the step. Of a flat program they are those of the current stamp; those of earlier stamps are in `groups`. A point
then costs O(|formula|) on average.
"""

from __future__ import annotations

import numpy as np

from cep_core.arrays import Bits
from cep_core.inner_kernels import borrowing
from cep_core.monitoring.propositional.stream.kernels.diagrams import begin_pass
from cep_core.monitoring.propositional.stream.kernels.groups import (
    close_group,
    look_at_groups,
    touch_decided,
    touch_expired,
)
from cep_core.monitoring.propositional.stream.kernels.rewriting import ENDLESS, NextPoint, distance, rewritten
from cep_core.monitoring.propositional.stream.kernels.state import (
    ACTIVE,
    CLASS,
    CLASSES,
    DIAGRAM,
    EQUAL,
    FLAT,
    GLOBAL,
    MET,
    MODE,
    NAIVE,
    NOW,
    PASS,
    PLACE,
    QUIET,
    SCRIPT,
    STARTED,
    TRUE,
    TS,
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
            touch_expired(state, step, is_new_stamp)
            look_at_groups(state, step)
        length = _active_classes(state, length, step)
        if at[MODE] == NAIVE:
            in_order(state.verdicts, begun, at[VERDICTS])
        begun = at[VERDICTS]
        if is_flat and is_new_stamp:
            at[WAITS] = 0
            _store(state, length)
            close_group(state, length)
            length = 0
    at[PLACE] = 0 if is_new_stamp else at[PLACE] + 1
    at[NOW] = stamp
    at[STARTED] = 1
    step = NextPoint(stamp, gap, True, is_flat, closing)
    value_nodes(state.diagrams, state.program, state.scratch.value, state.open, letter, is_first, step)
    if is_flat:
        touch_decided(state, step, is_new_stamp)
        look_at_groups(state, step)
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
