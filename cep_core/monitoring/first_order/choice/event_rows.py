"""Relations of atoms that a chain of AND needs, alone or below ONCE, EVENTUALLY and EXISTS.

If there are many events, the rows of all such atoms are reduced by each other before anything is made of them
(`operators/reduction.py`). Columns of variables that nobody asks for are not made.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from cep_core.events.logs.point_log import PointLog
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.temporal.formulas import Eventually, Formula, Once, Predicate
from cep_core.language.temporal.terms import Constant
from cep_core.monitoring.first_order.arrays.built_ins import built_in
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.arrays.scan import scan
from cep_core.monitoring.first_order.arrays.setting import TermSetting
from cep_core.monitoring.first_order.operators.normal import merged
from cep_core.monitoring.first_order.operators.reduction import PlacedEvents, events_of, reduced
from cep_core.monitoring.first_order.operators.timeline import Timeline
from cep_core.monitoring.first_order.operators.windows import eventually, once
from cep_core.monitoring.first_order.plan.atom_below import AtomBelow

Recorder = Callable[[Formula, Sequence[int], int], None]
"""Is told of each subformula that was evaluated: the rows of its operands' relations, and the rows of its own."""

MANY = 1 << 14
"""From how many events on the rows of atoms are reduced before they become relations."""
_WINDOWS = {Once: once, Eventually: eventually}


@dataclass(frozen=True)
class AskedAtom:
    """An atom of a chain with the operators above it. `unseen`: variables that no other part of the chain asks for."""

    source: Formula
    below: AtomBelow
    unseen: frozenset[str] = frozenset()


@dataclass(frozen=True)
class EventRows:
    """The events of a log as rows of relations."""

    log: PointLog
    timeline: Timeline
    setting: TermSetting
    recorder: Recorder | None = None

    def of_atom(
        self, atom: Predicate, constants: Mapping[str, Constant] | None = None, hidden: Collection[str] = ()
    ) -> Relation:
        """The rows of an atom that have the constants, as they stand in the log; `hidden` variables have no column."""
        if is_built_in(atom):
            return built_in(atom, self.timeline.stamps, self.log.before)
        return scan(atom, self.log, self.setting.texts, self.setting.types, constants, hidden)

    def count(self, atom: Formula) -> int:
        """How many events an atom reads; a built-in atom reads none."""
        events = self.log.events.get(atom.event_type) if isinstance(atom, Predicate) else None
        return 0 if events is None else len(events.point)

    def are_many(self, asked: Collection[AskedAtom]) -> bool:
        """Whether the rows of some atoms are to be reduced by each other."""
        return len(asked) > 1 and sum(self.count(part.below.atom) for part in asked) >= MANY

    def relations(self, asked: Sequence[AskedAtom], constants: Mapping[str, Constant]) -> list[Relation]:
        """The relation of each source, in normal form."""
        rows = [self.of_atom(part.below.atom, constants, part.unseen | part.below.hidden) for part in asked]
        if self.are_many(asked):
            placed = [self._placed(part.below, own) for part, own in zip(asked, rows, strict=True)]
            rows = reduced(placed, self.timeline.points)
            del placed
        return [self._above(part, rows.pop(0)) for part in asked]

    def _placed(self, below: AtomBelow, rows: Relation) -> PlacedEvents:
        """The rows of an atom, with the runs that the operators above it give them."""
        placed = events_of(rows, self.timeline.points)
        for window in below.windows:
            of_window = placed.later if isinstance(window, Once) else placed.sooner
            placed = of_window(window.interval, self.timeline)
        return placed

    def _above(self, part: AskedAtom, rows: Relation) -> Relation:
        """The relation of a source from the rows of its atom; a window takes rows that are not in normal form."""
        below = part.below
        relation = rows if below.windows else merged(rows)
        self._record(below.atom, self.count(below.atom), relation.rows)
        for operator in below.operators:
            rows_in = relation.rows
            if isinstance(operator, Once | Eventually):
                relation = _WINDOWS[type(operator)](relation, operator.interval, self.timeline)
            self._record(operator, rows_in, relation.rows)
        return relation

    def _record(self, formula: Formula, rows_in: int, rows_out: int) -> None:
        if self.recorder is not None:
            self.recorder(formula, [rows_in], rows_out)
