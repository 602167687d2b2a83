"""Verdicts on a log that comes in blocks of points: any blocks give the rows of the whole log, in its order.

After each block the decided points are reported (`decided`). Kept are the points that are not decided, and those before
them that the formula looks back to: the reach of its operators, one point for PREV. A past operator without an upper
bound keeps a relation instead, the valuations for which it holds just before the points that its operands still need
(`plan/past.py`); it grows with these valuations, not with the log. With `-- for each` the whole log is kept, since rows
are in order of the sub-logs. Texts have codes for one block only.

Where a term may have no value, each part is evaluated only at points where its operands are exact and decided, so that
an error is one that the whole log has. Rows wait then until the rewritten formula is decided, too.

Cost of a block: that of evaluating kept and new points, and of the relations that are taken over. Unless verdicts are
wanted at once, blocks are put together until they have as many points as are kept, so the whole costs about twice what
it costs to evaluate every point once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.reading.text_blocks import joined
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.policy import Policy
from cep_core.language.temporal.formulas import Formula
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.arrays.relation import Column, Relation
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.first_order.evaluation import EarlierPoints, Evaluation
from cep_core.monitoring.first_order.plan.past import Needs, carried_form, carried_parts, may_fail, parts_with_terms
from cep_core.monitoring.first_order.plan.shapes import shape_of
from cep_core.monitoring.first_order.result.verdicts import row_batches
from cep_core.monitoring.first_order.whole_log import verdict_columns, verdicts
from cep_core.monitoring.shared.decided import decided_points

_NO_POINTS = PointLog(np.zeros(0, np.int64))


def block_verdicts(
    policy: Policy, blocks: Iterable[PointLog], *, closed: bool, at_once: bool = False
) -> Iterator[pa.RecordBatch]:
    """The verdicts on a log in blocks, in batches of whole points. `at_once`: after each block all that is decided."""
    if policy.for_each:
        yield from verdicts(policy, joined(list(blocks)), closed=closed)
        return
    monitor = BlockMonitor(policy)
    columns = verdict_columns(policy)
    for rows in monitor.rows(blocks, closed=closed, at_once=at_once):
        yield from pa.Table.from_batches([rows]).cast(columns).to_batches()


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

    def rows(self, blocks: Iterable[PointLog], *, closed: bool, at_once: bool = False) -> Iterator[pa.RecordBatch]:
        """The rows of the whole log (`result/verdicts.py`)."""
        waiting: list[PointLog] = []
        for block in blocks:
            if not at_once and waiting and sum(part.points for part in waiting) >= self.log.points:
                yield from self._decided_rows(waiting)
                waiting = []
            waiting.append(block)
            if at_once:
                yield from self._decided_rows(waiting)
                waiting = []
        yield from self._last_rows(waiting, closed=closed)

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
        """The rows that are left when the log ends."""
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
