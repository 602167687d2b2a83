"""The streaming monitor: blocks of points in, verdicts out as soon as they are known (paper 02, section 5).

Modes: `naive` keeps every open point and tells truths alone; `local` keeps one point of each class of equal open points
of a stamp, the earliest, and tells the others as equal to it; `global` does so over all stamps. An UNTIL without upper
bound may stay open for ever, so `local` then goes on as `global`.

Memory: the live diagrams, and one record for each class; of `local` and `global` it does not depend on the number of
points a stamp. Time for a point: see `account`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cep_core.arrays import Bits, Ints
from cep_core.language.temporal.formulas import Formula
from cep_core.monitoring.propositional.arrays.trace import Bits as Column
from cep_core.monitoring.propositional.stream.fresh_memory import fresh_zeros
from cep_core.monitoring.propositional.stream.kernels.diagram_lists import no_known_steps, shapes_of_known_steps
from cep_core.monitoring.propositional.stream.kernels.diagrams import diagram_shapes, empty_diagrams
from cep_core.monitoring.propositional.stream.kernels.points import (
    FIRST_POINT,
    LAST_POINT,
    close_gaps,
    take_points,
)
from cep_core.monitoring.propositional.stream.kernels.state import (
    ACTIVE,
    CLASSES,
    CONSTANT,
    COUNT,
    CURRENT,
    FLAT,
    GLOBAL,
    GROUPS,
    LAST,
    LIMIT,
    LOCAL,
    LOGS,
    MEMBERS,
    MODE,
    NAIVE,
    NOW,
    PLACE,
    QUIET,
    STARTED,
    UNTIL,
    VERDICTS,
    WAITS,
    Codes,
    MonitorState,
    Open,
    Told,
    Workspace,
)
from cep_core.monitoring.propositional.stream.kernels.telling import gather_members
from cep_core.monitoring.propositional.stream.limit import LIVE_LIMIT, TooManyExpressions
from cep_core.monitoring.propositional.stream.past import PastColumns
from cep_core.monitoring.propositional.stream.program import program_of

MODES = {"naive": NAIVE, "local": LOCAL, "global": GLOBAL}
BLOCK = 1 << 16
"""Points that are taken at once."""


class StreamMonitor:
    """Monitors one formula. `take` goes on through a block of points and gives what is told.

    >>> from cep_core.language.temporal.formulas import Predicate, Until
    >>> from cep_core.language.temporal.interval import Interval
    >>> monitor = StreamMonitor(Until(Interval(0, 1), Predicate("a"), Predicate("b")))
    >>> atoms = {"a": np.array([1, 1, 1, 0, 1], np.bool_), "b": np.array([0, 0, 0, 1, 1], np.bool_)}
    >>> verdicts = monitor.take(np.array([1, 2, 2, 3, 4]), atoms)
    >>> for ts, offset, code, equal_ts, equal_offset in zip(*map(np.ndarray.tolist, verdicts[:5]), strict=True):
    ...     print(f"{ts}:{offset}", "= 2:0" if code == 2 else bool(code))
    1:0 False
    2:1 = 2:0
    2:0 True
    3:0 True
    4:0 True
    """

    def __init__(self, core: Formula, mode: str = "local", *, limit: int = LIVE_LIMIT) -> None:
        self.program = program = program_of(core)
        self.mode = "global" if mode == "local" and program.has_unbounded_until else mode
        """The mode that is used."""
        self.limit = limit
        self.failure: TooManyExpressions | None = None
        """Why `take` did not get to the end of a block."""
        self._leaves = PastColumns(program.leaves)
        self._untils = int(np.count_nonzero(program.nodes[:, 0] == UNTIL))
        self._last = (0, -1)  # stamp and offset of the last point of a past-only formula
        self._state = self._first_state()

    @property
    def open_records(self) -> int:
        """Open points that are kept."""
        at, groups = self._state.at, self._state.open.groups
        if at[MODE] == NAIVE:
            return self._gathered_members()
        return int(groups[: at[GROUPS], COUNT].sum() + at[CLASSES] + at[WAITS])

    def take(self, stamps: Ints, atoms: Mapping[str, Column], flags: Codes | None = None) -> Told:
        """The verdicts that the next points bring. `flags`: points that begin a sub-log, or end a closed one."""
        if flags is None:
            flags = np.zeros(len(stamps), np.int8)
        if self.program.is_past_only:
            return self._at_once(stamps, atoms, flags)
        parts = []
        for begin in range(0, len(stamps), BLOCK):
            piece = slice(begin, begin + BLOCK)
            some = {name: column[piece] for name, column in atoms.items()}
            letters = self._leaves.letters(stamps[piece], flags[piece], some)
            parts.append(self._taken(stamps[piece], letters, flags[piece]))
            if self.failure is not None:
                break
        return parts[0] if len(parts) == 1 else _joined(parts)

    def close(self, stamp: int) -> Told:
        """What is told at the end of a closed log whose last point has this stamp."""
        return self.take(np.array([stamp]), {}, np.array([LAST_POINT], np.int8))

    def _at_once(self, stamps: Ints, atoms: Mapping[str, Column], flags: Codes) -> Told:
        """The verdicts of a past-only formula: every point is told at once."""
        kind, value = self.program.nodes[0, :2].tolist()
        is_constant = kind == CONSTANT
        holds = np.full(len(stamps), value == 1) if is_constant else self._leaves.column(stamps, flags, atoms)
        offsets = _offsets(stamps, flags, self._last)
        if len(stamps):
            self._last = int(stamps[-1]), int(offsets[-1])
        kept = flags != LAST_POINT
        nothing = np.zeros(int(np.count_nonzero(kept)), np.int64)
        begins = (np.cumsum(kept) - kept)[flags == FIRST_POINT]
        return Told(stamps[kept], offsets[kept], holds[kept].astype(np.int8), nothing, nothing, begins)

    def _taken(self, stamps: Ints, letters: Bits, flags: Codes) -> Told:
        self._make_room(len(stamps), 1 + int(np.count_nonzero(stamps[1:] != stamps[:-1])))
        at = self._state.at
        open_points = int(at[MEMBERS] if at[MODE] == NAIVE else at[ACTIVE] + at[CLASSES] + at[WAITS])
        begin = int(np.count_nonzero(flags == FIRST_POINT))
        state = self._state = self._state._replace(verdicts=_empty_verdicts(open_points + len(stamps) + 1, begin))
        at[VERDICTS] = at[LOGS] = 0
        done = take_points(state, stamps, letters, flags)
        if done < len(stamps):
            follows = flags[done] != FIRST_POINT and at[STARTED] and at[NOW] == stamps[done]
            offset = int(at[PLACE]) + 1 if follows else 0
            self.failure = TooManyExpressions(self.limit, int(stamps[done]), offset, self.open_records)
        number, verdicts = at[VERDICTS], state.verdicts
        points, equal = (
            (verdicts.ts[:number], verdicts.offset[:number]),
            (verdicts.equal_ts[:number], verdicts.equal_offset[:number]),
        )
        return Told(*points, verdicts.code[:number], *equal, verdicts.begins[: at[LOGS]])

    def _first_state(self) -> MonitorState:
        nodes, size = self.program.nodes, self.program.size
        at = np.zeros(QUIET + 1, np.int64)
        at[LIMIT], at[MODE], at[FLAT] = self.limit, MODES[self.mode], self.program.is_flat
        at[CURRENT] = -1
        past = np.zeros((size, 0), np.int64)
        counts = np.zeros(size, np.int64)
        kept = Open(
            _table(LAST + 1), _table(2), _table(3), counts.copy(), counts.copy(), past, past.copy(), counts.copy()
        )
        scratch = Workspace(_row(), _row(), counts.copy(), _table(3), _row())
        arrays = fresh_zeros([*diagram_shapes(4 * self.limit + 64), *shapes_of_known_steps()])
        diagrams, known = empty_diagrams(arrays[:5]), no_known_steps(arrays[5:])
        return MonitorState(nodes, diagrams, kept, scratch, _empty_verdicts(0), known, np.zeros(2, np.uint64), at)

    def _make_room(self, points: int, stamps: int) -> None:
        """Tables that a block of so many points and stamps cannot fill."""
        state, at = self._state, self._state.at
        kept, scratch = state.open, state.scratch
        used = int(at[ACTIVE] + at[CLASSES] + at[WAITS])
        if at[FLAT] and (used + points + 2 > len(kept.classes) or at[GROUPS] + stamps > len(kept.groups)):
            close_gaps(state)
            used = int(at[ACTIVE] + at[CLASSES] + at[WAITS])
        if at[MODE] == NAIVE and at[MEMBERS] + points + 1 > len(kept.members):
            self._gathered_members()
            used = int(at[ACTIVE] + at[CLASSES] + at[WAITS])
        classes = _longer(kept.classes, used + points + 2)
        kept = kept._replace(
            classes=classes,
            members=_longer(kept.members, int(at[MEMBERS]) + points + 1) if at[MODE] == NAIVE else kept.members,
            groups=_longer(kept.groups, int(at[GROUPS]) + stamps + 1),
            past_ts=_wider(kept.past_ts, int(kept.past_count.max()) + stamps + 1),
            past_diagram=_wider(kept.past_diagram, int(kept.past_count.max()) + stamps + 1),
        )
        rows = len(classes)
        scratch = scratch._replace(
            diagram=_longer(scratch.diagram, rows),
            origin=_longer(scratch.origin, rows),
            script=_longer(scratch.script, 2 * rows),
            touched=_longer(scratch.touched, (self._untils + 1) * len(kept.groups) + self.program.size),
        )
        self._state = state._replace(open=kept, scratch=scratch)

    def _gathered_members(self) -> int:
        """Drops the members of the naive mode that have been told; gives the number of the others."""
        at, kept = self._state.at, self._state.open
        if at[FLAT]:
            close_gaps(self._state)
        used = int(at[ACTIVE] + at[CLASSES] + at[WAITS])
        at[MEMBERS] = gather_members(kept.classes[:used], kept.members)
        return int(at[MEMBERS])


def _empty_verdicts(rows: int, logs: int = 0) -> Told:
    ts, offset, equal_ts, equal_offset = (np.empty(rows, np.int64) for _ in range(4))
    return Told(ts, offset, np.empty(rows, np.int8), equal_ts, equal_offset, np.empty(logs, np.int64))


def _joined(parts: list[Told]) -> Told:
    """What was told of one piece after the other."""
    parts = [*parts, _empty_verdicts(0)]
    before = np.cumsum([0, *(len(part.ts) for part in parts)])
    return Told(
        np.concatenate([part.ts for part in parts]),
        np.concatenate([part.offset for part in parts]),
        np.concatenate([part.code for part in parts]),
        np.concatenate([part.equal_ts for part in parts]),
        np.concatenate([part.equal_offset for part in parts]),
        np.concatenate([part.begins + first for part, first in zip(parts, before.tolist(), strict=False)]),
    )


def _row() -> Ints:
    return np.zeros(0, np.int64)


def _table(columns: int) -> Ints:
    return np.zeros((0, columns), np.int64)


def _longer(table: Ints, rows: int) -> Ints:
    """The table with room for so many rows. The new ones are not cleared: no row is read before it is written."""
    if rows <= len(table):
        return table
    longer = np.empty((max(rows, 2 * len(table)), *table.shape[1:]), np.int64)
    longer[: len(table)] = table
    return longer


def _wider(table: Ints, columns: int) -> Ints:
    return table if columns <= table.shape[1] else np.ascontiguousarray(_longer(table.T, columns).T)


def _offsets(stamps: Ints, flags: Codes, last: tuple[int, int]) -> Ints:
    """[points] The index of each point among those of its stamp. `last`: stamp and offset of the point before."""
    here = np.arange(len(stamps))
    begins = (flags == FIRST_POINT) | (np.diff(stamps, prepend=stamps[:1]) != 0)
    if len(stamps) and stamps[0] != last[0]:
        begins[0] = True
    first = np.maximum.accumulate(np.where(begins, here, -1))
    return np.where(first < 0, here + last[1] + 1, here - first)
