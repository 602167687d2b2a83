"""The evaluator of first-order policies: the violations of one slice, and their merge (paper 01).

A slice's events become a log of points. The core formula becomes a relation over runs of points. The rows that the
slice owns, by valuation and by the moment at which they become certain, are expanded to violations. A violation becomes
certain when the future reach of the formula has passed (`docs/semantics.md` 2). Cost: that of the operators
(`evaluation`), and one row for each violation of the days that the slice owns. With `-- for each`, sub-logs are
evaluated one after the other, each at a cost of its own of about a millisecond. Episodes come with the result, at the
cost of one row for each run of points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.time_points import OFFSET, point_log_of
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import CERTAIN, Atom, Explain, Ownership, Reach, tagged
from cep_core.language.first_order.facts.atoms import atoms_of
from cep_core.language.first_order.facts.opening import OpenPolicy, open_policy
from cep_core.language.first_order.facts.reach import certain_after, reach_of
from cep_core.language.first_order.facts.reads import reads_of
from cep_core.language.first_order.policy import Policy
from cep_core.language.open_form import PIECES, OpenForm, opened_by
from cep_core.language.settings import DEFAULTS, Settings
from cep_core.language.temporal.walk import free_variables
from cep_core.language.totals import parts
from cep_core.monitoring.first_order.answering import looked_at_by, satisfactions_of, satisfied_part
from cep_core.monitoring.first_order.gathering import gathered, pieces_of
from cep_core.monitoring.first_order.plan.silence import speaks_of_silence
from cep_core.monitoring.first_order.result.day_episodes import (
    PartsOfDays,
    cut_edges,
    day_pieces,
    judged_on_days,
    ranges_of_days,
)
from cep_core.monitoring.first_order.result.satisfactions import Satisfactions
from cep_core.monitoring.first_order.result.verdicts import rows
from cep_core.monitoring.first_order.result.witnessed import smallest_of_slices
from cep_core.monitoring.first_order.violation_causes import REFUTES, ViolationCauses
from cep_core.monitoring.shared.causes import MOST_CLAIMS, WHY
from cep_core.monitoring.shared.episodes import EPISODES, partial_episodes
from cep_core.monitoring.shared.listing import partial, with_certain
from cep_core.monitoring.shared.policy_results import PASSES, PolicyResults
from cep_core.monitoring.shared.sub_logs import sub_log_types, sub_logs

Constants = Mapping[str, int | float | str]
"""The values of a sub-log, by attribute of `-- for each`."""
_NO_EVENTS = pa.table({"event_type": pa.array([], pa.string()), "ts": pa.array([], pa.int64())})


class PolicyEvaluator(PolicyResults):
    """Evaluates a first-order policy (`cep_core.language.evaluator.Evaluator`)."""

    def __init__(self, policy: Policy, settings: Settings = DEFAULTS) -> None:
        super().__init__(settings)
        self.policy = policy

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
        if self.policy.for_each:
            return False
        parts = (self.policy.core, self.policy.condition)
        return any(part is None or speaks_of_silence(part) for part in parts)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, as `explain` prints them."""
        sub_logs_too = ("one sub-log after the other",) if self.policy.for_each else ()
        return (
            "relations over runs of time-points, one operator after the other",
            "cost: rows in and out of each operator, and one pass over the points for each metric operator",
            *sub_logs_too,
            *([PASSES] if self.policy.condition is not None else []),
            *([REFUTES] if self.explained and self._causes.refutes else []),
        )

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: the violations listed in order, an empty batch with each day's totals, then episodes."""
        owned = owned or Ownership()
        if opened_by(self, owned.variables):
            yield from self._pieces(events, owned, points)
            return
        cut = owned.cut if owned.days is not None else (False, False)
        owned = replace(owned, cut=cut)
        log = point_log_of(events, self.looked_at, points, coded=not self.policy.for_each)
        numbers = np.zeros(len(parts(owned.days)), np.int64)
        listed = [with_certain(self.schema).empty_table()]
        runs = [with_certain(self.episode_schema).empty_table()]
        near = [self._edge_schema.empty_table()]
        of_keys = with_certain(pa.schema(self._key_fields))
        judged = [of_keys.empty_table()]
        for values, own in sub_logs(log, self.policy.for_each) if self.policy.for_each else [((), log)]:
            constants = dict(zip(self.policy.for_each, values, strict=True))
            held = Satisfactions(*satisfactions_of(self.policy, own), self.policy.variables)
            held = held.owned_by(owned, constants)
            points_of_days = list(ranges_of_days(own.stamps, owned.days, self._after))
            listed += self._violations(held, own, constants, points_of_days, numbers, self.most)
            judges = self._judges(held, own)
            if held.relation.rows:
                pieces = day_pieces(held, judges, own, points_of_days)
                runs.append(self._placed(pieces, self.episode_schema, constants))
            for edges in cut_edges(judges, own, points_of_days, owned, constants):
                near.append(self._placed(edges, self._edge_schema, constants))
            on_days = judged_on_days(judges, own, points_of_days, owned, constants)
            judged += [self._placed(rows, of_keys, constants) for rows in on_days]
        yield from partial(pa.concat_tables(listed), numbers, owned.days, self.most)
        episodes = partial_episodes(pa.concat_tables(runs), pa.concat_tables(near), owned.days, self.most, cut)
        yield from tagged(episodes, EPISODES)
        yield from self._partial_judged(pa.concat_tables(judged), owned.days)

    def gather(
        self, pieces: Sequence[pa.RecordBatch], days: tuple[int, ...] | None, points: pa.Table
    ) -> Iterator[pa.RecordBatch]:
        """The partial results that pieces of all slices add up to, as those of `evaluate`."""
        assert self._open is not None, "only a policy with an outermost EXISTS is evaluated in pieces"
        log = point_log_of(_NO_EVENTS, {}, points)
        held = gathered(pieces, self.policy.variables, log, negated=self._open.negated)
        points_of_days = list(ranges_of_days(log.stamps, days, self._after))
        numbers = np.zeros(len(parts(days)), np.int64)
        listed = list(self._violations(held, log, {}, points_of_days, numbers, self.most))
        yield from partial(pa.concat_tables(listed), numbers, days, self.most)
        runs = self._placed(day_pieces(held, None, log, points_of_days), self.episode_schema, {})
        near = self._edge_schema.empty_table()
        yield from tagged(partial_episodes(runs, near, days, self.most, (False, False)), EPISODES)

    @cached_property
    def _open(self) -> OpenPolicy | None:
        return open_policy(self.policy)

    @cached_property
    def opened(self) -> OpenForm | None:
        """The policy before its outermost EXISTS projects; None if it has none."""
        if self._open is None:
            return None
        own = self._open.policy
        return OpenForm(atoms_of(own), reads_of(own), tuple(self.policy.variables), self._open.hidden)

    def _pieces(self, events: pa.Table, owned: Ownership, points: pa.Table | None) -> Iterator[pa.RecordBatch]:
        """What a slice finds of the open policy, projected."""
        assert self._open is not None
        own = self._open.policy
        log = point_log_of(events, looked_at_by(own), points, coded=not own.for_each)
        held = Satisfactions(*satisfactions_of(own, log), own.variables).owned_by(owned, {})
        points_of_days = list(ranges_of_days(log.stamps, owned.days, self._after))
        pieces = pieces_of(held, self.policy.variables, log, points_of_days[0][0], points_of_days[-1][1])
        yield from tagged(pieces.to_batches() or [pa.RecordBatch.from_pylist([], pieces.schema)], PIECES)
        of_days = [with_certain(pa.schema(self._key_fields)).empty_table()]
        of_days += [
            self._placed(t, of_days[0].schema, {}) for t in judged_on_days(None, log, points_of_days, owned, {})
        ]
        yield from self._partial_judged(pa.concat_tables(of_days), owned.days)

    @property
    def sub_log_types(self) -> dict[str, AttributeType]:
        """The types of the values of `-- for each`."""
        return sub_log_types(self.policy.for_each, self.policy.schema)

    @property
    def looked_at(self) -> dict[str, tuple[str, ...]]:
        """The columns of each event type that the log of points needs."""
        return looked_at_by(self.policy)

    @property
    def _values(self) -> list[pa.Field]:
        """The columns of a violation beside its point."""
        columns = self.sub_log_types | dict(self.policy.variables)
        return [pa.field(name, ARROW_TYPES[kind], False) for name, kind in columns.items()]

    @property
    def _keys(self) -> tuple[str, ...]:
        """The columns on which it depends whether a point judges."""
        condition = self.policy.condition
        keys = {*self.policy.for_each, *(free_variables(condition) if condition is not None else ())}
        return tuple(name for name in self.schema.names if name in keys)

    @property
    def _after(self) -> int:
        return certain_after(self.policy) or 0

    def _violations(
        self,
        own: Satisfactions,
        log: PointLog,
        constants: Constants,
        points_of_days: PartsOfDays,
        numbers: Ints,
        most: int | None,
    ) -> Iterator[pa.Table]:
        """The first `most` violations of each day and those at their points; the days' numbers, added to `numbers`."""
        for day, (first, last) in enumerate(points_of_days):
            of_day = own.between(first, last)
            numbers[day] += of_day.count
            end = last if most is None else of_day.first_points(first, last, most)
            listed = rows(of_day.relation, log, own.texts, self.policy.variables, end, place=OFFSET)
            yield self._placed(listed, self.schema, constants)

    @property
    def _explain(self) -> Explain | None:
        return self._proven if self.explained else None

    @property
    def _slices_explain(self) -> bool:
        return not self._causes.refutes

    def _proven(
        self, rows: pa.Table, events: pa.Table | None, points: pa.Table, owned: Ownership | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The causes of violations (`Explain`); without events, the first claim of each."""
        violations = self._placed(rows, self.schema, {})
        if events is None:
            log, most = point_log_of(_NO_EVENTS, {}, points), 0
        else:
            log = point_log_of(events, self.looked_at, points, coded=not self.policy.for_each)
            most = MOST_CLAIMS
        yield from tagged(self._causes.batches(violations, log, owned, most), WHY)

    @cached_property
    def _causes(self) -> ViolationCauses:
        return ViolationCauses(self.policy, self._open, with_certain(self.cause_schema))

    def _merged_causes(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        if self._causes.witnessed is not None:
            partials = smallest_of_slices(partials, self.cause_schema, self._causes.witnessed)
        return super()._merged_causes(partials, days)

    def _judges(self, held: Satisfactions, log: PointLog) -> Satisfactions | None:
        """Where the left side of the policy holds, if its episodes pass over the other points."""
        condition = self.policy.condition
        if condition is None:
            return None
        relation = satisfied_part(self.policy, condition, log, held.texts)[0]
        return Satisfactions(relation, held.texts, self.policy.variables)

    def _placed(self, listed: pa.Table, schema: pa.Schema, constants: Constants) -> pa.Table:
        """The rows of a sub-log with its values, and with `certain`. The first column tells the point's stamp."""
        values = {name: pa.repeat(value, listed.num_rows) for name, value in constants.items()}
        values |= dict(zip(listed.column_names, listed.columns, strict=True))
        values[CERTAIN] = pc.add(listed.column(0), self._after)
        complete = schema if CERTAIN in schema.names else with_certain(schema)
        return pa.table([values[name] for name in complete.names], names=complete.names).cast(complete)
