"""Verdicts on a log that comes in blocks of points: any blocks give the rows of the whole log, in its order.

After each block the decided points are reported (`decided`). Kept are the points that are not decided, and those before
them that the formula looks back to: the reach of its operators, one point for PREV. A past operator without an upper
bound keeps a relation instead, the valuations for which it holds just before the points that its operands still need
(`plan/past.py`); it grows with these valuations, not with the log. With `-- for each` every sub-log has a monitor of
its own: its rows are in order, and rows of different sub-logs come as they are decided. Texts have codes for one block.

Where a term may have no value, each part is evaluated only at points where its operands are exact and decided, so that
an error is one that the whole log has. Rows wait then until the rewritten formula is decided, too.

Cost of a block: that of evaluating kept and new points, and of the relations that are taken over. Unless verdicts are
wanted at once, blocks are put together until they have as many points as are kept, so the whole costs about twice what
it costs to evaluate every point once. Of a sub-log at least `WAITED_FOR` points are put together, since an evaluation
has a cost of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa

from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.logs.reading.text_blocks import joined
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.policy import Policy
from cep_core.language.temporal.formulas import Formula
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.arrays.relation import Column, Relation
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.first_order.earlier_points import EarlierPoints
from cep_core.monitoring.first_order.evaluation import Evaluation
from cep_core.monitoring.first_order.plan.past import Needs, carried_form, carried_parts, may_fail, parts_with_terms
from cep_core.monitoring.first_order.plan.shapes import shape_of
from cep_core.monitoring.first_order.result.verdicts import row_batches
from cep_core.monitoring.first_order.whole_log import named_rows, verdict_columns
from cep_core.monitoring.shared.decided import decided_points
from cep_core.monitoring.shared.sub_logs import Values, sub_logs

WAITED_FOR = 256
"""The points of a sub-log that are evaluated together, unless verdicts are wanted at once."""
_NO_POINTS = PointLog(np.zeros(0, np.int64))


def block_verdicts(
    policy: Policy, blocks: Iterable[PointLog], *, closed: bool, at_once: bool = False
) -> Iterator[pa.RecordBatch]:
    """The verdicts on a log in blocks, in batches of whole points. `at_once`: after each block all that is decided."""
    columns = verdict_columns(policy)
    monitors: dict[Values, BlockMonitor] = {}
    for block in blocks:
        if not policy.for_each:
            monitor = monitors.get(()) or monitors.setdefault((), BlockMonitor(policy))
            yield from named_rows(columns, monitor.add(block, at_once=at_once))
            continue
        for values, own in sub_logs(block, policy.for_each):
            monitor = monitors.get(values) or monitors.setdefault(values, BlockMonitor(policy))
            yield from named_rows(columns, monitor.add(_copy(own), at_once=at_once, fewest=WAITED_FOR), values)
    for values, monitor in monitors.items():
        yield from named_rows(columns, monitor.end(closed=closed), values)


def _copy(log: PointLog) -> PointLog:
    """The log in memory of its own, so that no block is kept for the sake of a sub-log that waits."""
    events = {}
    for name, of_type in log.events.items():
        columns = {attribute: column.take(np.arange(len(column))) for attribute, column in of_type.columns.items()}
        events[name] = TypedEvents(of_type.point.copy(), columns, None if of_type.seq is None else of_type.seq.copy())
    return PointLog(log.stamps.copy(), events, log.before)


class BlockMonitor:
    """A policy without `-- for each` on a log whose points come in blocks. `log`: the points that are kept."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.log = _NO_POINTS
        self.reported = 0
        """How many points of the whole log have been reported."""
        self._plain = carried_form(policy.plain)
        self._core = carried_form(policy.core)
        self._may_fail = may_fail(self._core)
        self._first: dict[Formula, int] = {}
        """The first point of the whole log at which each part must be exact, by shape."""
        self._carried: dict[Formula, _Carried] = {}
        self._waiting: list[PointLog] = []
        self._waiting_points = 0

    def rows(self, blocks: Iterable[PointLog], *, closed: bool, at_once: bool = False) -> Iterator[pa.RecordBatch]:
        """The rows of the whole log (`result/verdicts.py`)."""
        for block in blocks:
            yield from self.add(block, at_once=at_once)
        yield from self.end(closed=closed)

    def add(self, block: PointLog, *, at_once: bool = False, fewest: int = 0) -> Iterator[pa.RecordBatch]:
        """The rows that are told after a further block. `fewest`: how many new points are waited for, at least."""
        if not at_once and self._waiting and self._waiting_points >= max(self.log.points, fewest):
            yield from self._decided_rows(self._taken())
        self._waiting.append(block)
        self._waiting_points += block.points
        if at_once:
            yield from self._decided_rows(self._taken())

    def end(self, *, closed: bool) -> Iterator[pa.RecordBatch]:
        """The rows that are left when the log ends."""
        yield from self._last_rows(self._taken(), closed=closed)

    def _taken(self) -> list[PointLog]:
        """The blocks that waited."""
        taken, self._waiting, self._waiting_points = self._waiting, [], 0
        return taken

    def _decided_rows(self, blocks: list[PointLog]) -> Iterator[pa.RecordBatch]:
        """The rows that became decided with some blocks; then what nothing needs any more is dropped."""
        self.log = joined([self.log, *blocks])
        decided = decided_points(self.policy.plain, self.log.stamps, closed=False)
        if self._may_fail:
            decided = min(decided, decided_points(self._core, self.log.stamps, closed=False))
        if self.log.before + decided == self.reported:
            return
        evaluation = self._evaluation(is_last=False)
        parts = {shape: self._relation(evaluation, part) for shape, part in carried_parts(self._core)}
        yield from self._rows(evaluation, decided)
        self._pass_over(decided, parts, evaluation)

    def _last_rows(self, blocks: list[PointLog], *, closed: bool) -> Iterator[pa.RecordBatch]:
        self.log = joined([self.log, *blocks])
        decided = decided_points(self.policy.plain, self.log.stamps, closed=closed)
        if self.log.before + self.log.points > self.reported:
            yield from self._rows(self._evaluation(is_last=True), decided)

    def _evaluation(self, *, is_last: bool) -> Evaluation:
        texts = Texts()
        before, points = self.log.before, self.log.points
        first = {shape: point - before for shape, point in self._first.items()}
        exact: dict[Formula, tuple[int, int]] = {}
        if self._may_fail:
            for shape, part in parts_with_terms(self._core).items():
                end = points if is_last else decided_points(part, self.log.stamps, closed=False)
                exact[shape] = first.get(shape, 0), end
        earlier = EarlierPoints(
            {shape: first.get(shape, 0) for shape, _ in carried_parts(self._core)},
            {shape: carried.at(first[shape] - 1, texts) for shape, carried in self._carried.items()},
            exact,
        )
        return Evaluation(self._core, self.log, self.policy.types, texts=texts, earlier=earlier)

    def _rows(self, evaluation: Evaluation, decided: int) -> Iterator[pa.RecordBatch]:
        relation = self._relation(evaluation, self._core).of_variables(tuple(self.policy.variables))
        new = relation.between(self.reported - self.log.before, decided)
        texts = evaluation.setting.texts
        yield from row_batches(new, self.log, texts, self.policy.variables, decided, first=self.log.before)

    def _relation(self, evaluation: Evaluation, part: Formula) -> Relation:
        try:
            return evaluation.relation_of(part)
        except EvaluationError as error:
            raise error.of_text(self.policy.text, self.policy.path) from None

    def _pass_over(self, decided: int, parts: Mapping[Formula, Relation], evaluation: Evaluation) -> None:
        """Drops the points that no later row needs, and takes over what carried parts know of them."""
        before = self.log.before
        needs = Needs(self.log.stamps, {shape: point - before for shape, point in self._first.items()})
        needs.add(self._core, decided)
        needs.add(self._plain, decided)
        for shape, part in carried_parts(self._core):
            if point := needs.first[shape]:
                self._carried[shape] = _Carried(part, parts[shape].between(point - 1, point), evaluation)
        self.reported = before + decided
        self._first = {shape: before + point for shape, point in needs.first.items()}
        self.log = self.log.since(needs.earliest)


class _Carried:
    """The valuations for which a part held at one point; texts as texts, since codes are of one block."""

    def __init__(self, part: Formula, relation: Relation, evaluation: Evaluation) -> None:
        numbers = {name: number for number, name in shape_of(part)[1].items()}
        types = evaluation.setting.types
        self.columns: dict[str, Column | pa.Array] = {
            numbers[name]: evaluation.setting.texts.texts_of(column.astype(np.int64, copy=False))
            if types.get(name) is AttributeType.STRING
            else column
            for name, column in zip(relation.variables, relation.columns, strict=True)
        }
        self.rows = relation.rows

    def at(self, point: int, texts: Texts) -> Relation:
        """The relation at the run of this point, its texts in the codes of another block."""
        columns = (
            texts.codes_of(column) if isinstance(column, pa.Array) else column for column in self.columns.values()
        )
        begin = np.full(self.rows, point, np.int64)
        return Relation(tuple(self.columns), tuple(columns), begin, begin + 1)
