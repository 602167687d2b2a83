"""The evaluator of first-order policies: the violations of one slice, and their merge (paper 01).

A slice's events become a log of points. The core formula becomes a relation over runs of points. The rows that the
slice owns, by valuation and by the moment at which they become certain, are expanded to violations. A violation becomes
certain when the future reach of the formula has passed (`docs/semantics.md` 2). Cost: that of the operators
(`evaluation`), and one row for each violation of the days that the slice owns. With `-- for each`, sub-logs are
evaluated one after the other, each at a cost of its own of about a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.time_points import OFFSET, point_log_of
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import CERTAIN, RESULT, Atom, Ownership, Reach, ResultTable, together
from cep_core.language.first_order.bind.declarations import is_built_in
from cep_core.language.first_order.facts.atoms import atoms_of
from cep_core.language.first_order.facts.reach import certain_after, reach_of
from cep_core.language.first_order.facts.reads import reads_of
from cep_core.language.first_order.policy import Policy
from cep_core.language.settings import DEFAULTS, Settings
from cep_core.language.temporal.formulas import Predicate
from cep_core.language.temporal.walk import walk
from cep_core.language.totals import Days, parts
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.arrays.relation import Relation
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.plan.silence import speaks_of_silence
from cep_core.monitoring.first_order.result.merging import merge_partials, partial, with_certain
from cep_core.monitoring.first_order.result.satisfactions import Satisfactions
from cep_core.monitoring.first_order.result.verdicts import rows
from cep_core.monitoring.shared.sub_logs import sub_logs


class PolicyEvaluator:
    """Evaluates a first-order policy (`cep_core.language.evaluator.Evaluator`).

    Of the settings it reads `max_violations`: the violations listed for each operating day, the first in the order of
    (ts, offset, values); None lists all.
    """

    def __init__(self, policy: Policy, settings: Settings = DEFAULTS) -> None:
        self.policy = policy
        self.most = settings.max_violations

    reads_points = True

    @property
    def atoms(self) -> tuple[Atom, ...]:
        return atoms_of(self.policy)

    @property
    def reads(self) -> Mapping[str, tuple[str, ...]]:
        return reads_of(self.policy)

    @property
    def reach(self) -> Reach:
        return reach_of(self.policy)

    @property
    def speaks_of_silence(self) -> bool:
        return not self.policy.for_each and speaks_of_silence(self.policy.core)

    @property
    def schema(self) -> pa.Schema:
        """`ts`, `offset`, the attributes of `-- for each`, the free variables."""
        shared = [pa.field("ts", pa.int64(), False), pa.field(OFFSET, pa.int64(), False)]
        return pa.schema([*shared, *(pa.field(name, ARROW_TYPES[kind], False) for name, kind in self._columns.items())])

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        return (ResultTable(RESULT, self.schema, self.merge, together, self.evaluate),)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, as `explain` prints them."""
        sub_logs_too = ("one sub-log after the other",) if self.policy.for_each else ()
        return (
            "relations over runs of time-points, one operator after the other",
            "cost: rows in and out of each operator, and one pass over the points for each metric operator",
            *sub_logs_too,
        )

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: the violations listed in order, then an empty batch with each day's totals."""
        owned = owned or Ownership()
        log = point_log_of(events, self.looked_at, points)
        numbers = np.zeros(len(parts(owned.days)), np.int64)
        listed: list[pa.Table] = []
        for values, own in sub_logs(log, self.policy.for_each) if self.policy.for_each else [((), log)]:
            listed += self._violations(own, dict(zip(self.policy.for_each, values, strict=True)), owned, numbers)
        violations = pa.concat_tables(
            [table.cast(with_certain(self.schema)) for table in listed] or [with_certain(self.schema).empty_table()]
        )
        yield from partial(violations, numbers, owned.days, self.most)

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """The first violations of each day over all slices, in order of (ts, offset, values), with exact totals."""
        return merge_partials(partials, self.schema, days, self.most)

    @property
    def _columns(self) -> dict[str, AttributeType]:
        """The columns of a violation beside its point."""
        schema = self.policy.schema
        carriers = [attributes for attributes in map(schema.attributes_of, schema.types) if attributes]
        own = {
            name: next(attributes[name].type for attributes in carriers if name in attributes)
            for name in self.policy.for_each
        }
        return {name: _as_value(kind) for name, kind in own.items()} | dict(self.policy.variables)

    @property
    def looked_at(self) -> dict[str, tuple[str, ...]]:
        """The columns of each event type that the log of points needs; `seq` and `ts` where an atom names them."""
        columns: dict[str, dict[str, None]] = {name: dict.fromkeys(own) for name, own in self.reads.items()}
        for part in walk(self.policy.core):
            if isinstance(part, Predicate) and not is_built_in(part):
                columns.setdefault(part.event_type, {}).update(dict.fromkeys(part.names or ()))
        return {name: tuple(own) for name, own in columns.items()}

    def _violations(
        self, log: PointLog, constants: Mapping[str, int | float | str], owned: Ownership, numbers: Ints
    ) -> Iterator[pa.Table]:
        """The listed violations of each day, and their numbers added to `numbers`."""
        relation, texts = satisfactions_of(self.policy, log)
        own = Satisfactions(relation, texts, self.policy.variables).owned_by(owned, constants)
        after = certain_after(self.policy) or 0
        for day, (first, last) in enumerate(_points_of_days(log.stamps, owned.days, after)):
            of_day = own.between(first, last)
            numbers[day] += of_day.count
            end = last if self.most is None else of_day.first_points(first, last, self.most)
            listed = rows(of_day.relation, log, texts, self.policy.variables, end, place=OFFSET)
            yield self._with_constants(listed, constants).append_column(CERTAIN, pc.add(listed["ts"], after))

    def _with_constants(self, listed: pa.Table, constants: Mapping[str, int | float | str]) -> pa.Table:
        """The rows of a sub-log with its values, in the columns of the result."""
        own = [pa.repeat(value, listed.num_rows) for value in constants.values()]
        columns = [*listed.columns[:2], *own, *listed.columns[2:]]
        return pa.table(columns, names=self.schema.names).cast(self.schema)


def satisfactions_of(policy: Policy, log: PointLog) -> tuple[Relation, Texts]:
    """The relation of a policy on a log, its columns in the order of `policy.variables`, and its dictionary of texts.

    Raises EvaluationError, with the policy's line, where a term has no value.
    """
    try:
        relation, texts = satisfied(policy.core, log, policy.types)
    except EvaluationError as error:
        raise error.of_text(policy.text, policy.path) from None
    return relation.of_variables(tuple(policy.variables)), texts


def _points_of_days(stamps: Ints, days: Days, after: int) -> Iterator[tuple[int, int]]:
    """The range of points whose verdicts become certain on each day, `after` their stamps."""
    if days is None:
        yield 0, len(stamps)
        return
    bounds = np.searchsorted(stamps, [day - after for day in days])
    yield from pairwise(bounds.tolist())


def _as_value(kind: AttributeType) -> AttributeType:
    """The type of an attribute's values in formulas."""
    return AttributeType.INT if kind is AttributeType.BOOL else kind
