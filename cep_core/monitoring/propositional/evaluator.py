"""The evaluator of propositional policies: the points of one slice at which the formula is false, and their merge.

A slice's events become a trace of all its sub-logs side by side, and the whole-log engine says where the formula holds.
A violation becomes certain when the future reach of the formula has passed (`docs/semantics.md` 2). Cost: that of
`arrays.points` and `evaluation`, linear in events and points, and one row for each violation of the days that the slice
owns; sub-logs cost nothing of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.logs.time_points import OFFSET
from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import CERTAIN, RESULT, Atom, Ownership, Reach, ResultTable, tagged, together
from cep_core.language.propositional.facts.atoms import atoms_of
from cep_core.language.propositional.facts.reach import certain_after, reach_of
from cep_core.language.propositional.facts.reads import reads_of
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.settings import DEFAULTS, Settings
from cep_core.language.temporal.bind.sub_logs import split_types
from cep_core.language.temporal.formulas import Formula, Implies
from cep_core.language.temporal.sugar import without_sugar
from cep_core.language.temporal.walk import operands
from cep_core.monitoring.propositional.arrays.points import SplitTrace, split_trace_of
from cep_core.monitoring.propositional.choice.table import KERNELS, chosen
from cep_core.monitoring.propositional.evaluation import truths_of
from cep_core.monitoring.propositional.plan.silence import speaks_of_silence
from cep_core.monitoring.propositional.result.claims import claims_of
from cep_core.monitoring.propositional.result.judgement import Judgement
from cep_core.monitoring.shared.causes import WHY, cause_schema, merge_causes
from cep_core.monitoring.shared.episodes import (
    COUNTED_IN,
    EPISODES,
    edge_schema,
    episode_schema,
    merge_episodes,
    partial_episodes,
)
from cep_core.monitoring.shared.listing import first_of_each_day, in_order, merge_partials, partial, with_certain


class PropositionalEvaluator:
    """Evaluates a propositional policy (`cep_core.language.evaluator.Evaluator`).

    Of the settings it reads `max_violations`: the violations listed for each operating day, the first in the order of
    (ts, offset, values), None lists all; and `explained`: how many of these have causes.
    """

    def __init__(self, policy: PropositionalPolicy, settings: Settings = DEFAULTS) -> None:
        self.policy = policy
        self.most = settings.max_violations
        self.explained = settings.explained if self.most is None else min(settings.explained, self.most)
        self.condition = condition_of(policy)

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
        return not self.policy.for_each and speaks_of_silence(self.policy.core, self.condition)

    @property
    def schema(self) -> pa.Schema:
        """`ts`, `offset`, the attributes of `-- for each`."""
        shared = [pa.field("ts", pa.int64(), False), pa.field(OFFSET, pa.int64(), False)]
        return pa.schema([*shared, *self._values])

    @property
    def episode_schema(self) -> pa.Schema:
        """The run of points, the attributes of `-- for each`."""
        return episode_schema(self._values)

    @property
    def cause_schema(self) -> pa.Schema:
        """A violation, and a claim of its proof."""
        return cause_schema(self._values)

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        of_episodes = "One row is a run of time-points that violate {query}"
        of_causes = "One row is a claim in the proof of one of the first violations of {query} on a day"
        return (
            ResultTable(RESULT, self.schema, self.merge, together, self.evaluate),
            ResultTable(
                EPISODES,
                self.episode_schema,
                self._merged_episodes,
                together,
                comment=of_episodes,
                counted_in=COUNTED_IN,
            ),
            ResultTable(WHY, self.cause_schema, self._merged_causes, together, comment=of_causes),
        )

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, as `explain` prints them."""
        used = {chosen(part).name for part in _operators(self.policy.core)}
        kernels = [f"{kernel.words}: {kernel.order}" for kernel in KERNELS if kernel.name in used]
        passes = "episodes pass over points where the left side of IMPLIES is false"
        return (
            "bit columns over the points of all sub-logs, one operator after the other; n points",
            *kernels,
            *([passes] if self.condition is not None else []),
        )

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: the violations listed in order, an empty batch with each day's totals, then episodes."""
        owned = owned or Ownership()
        cut = owned.cut if owned.days is not None else (False, False)
        split = split_trace_of(self.policy, events, points)
        judgement = self.judgement(split, owned)
        violations, numbers = judgement.violations()
        violations = self._with_moment(violations)
        complete = with_certain(self.schema)
        yield from partial(violations.select(complete.names).cast(complete), numbers, owned.days, self.most)
        complete, of_edges = with_certain(self.episode_schema), edge_schema(self._values)
        found = self._with_moment(judgement.episodes()).select(complete.names).cast(complete)
        known = self._with_moment(judgement.edges(cut)).select(of_edges.names).cast(of_edges)
        yield from tagged(partial_episodes(found, known, owned.days, self.most, cut), EPISODES)
        first_ones = first_of_each_day(in_order(violations), owned.days, self.explained)
        complete = with_certain(self.cause_schema)
        claims = [
            table.select(complete.names).cast(complete) for table in claims_of(self.policy, split, events, first_ones)
        ]
        causes = pa.concat_tables([complete.empty_table(), *claims]).combine_chunks()
        yield from tagged(causes.to_batches(), WHY)

    def merge(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        """The first violations of each day over all slices, in order of (ts, offset, values), with exact totals."""
        return merge_partials(partials, self.schema, days, self.most)

    def judgement(self, trace: SplitTrace, owned: Ownership) -> Judgement:
        """What the policy says of each point of a slice."""
        core = self.policy.core
        truths = truths_of([core] if self.condition is None else [core, self.condition], trace.trace)
        judged = None if self.condition is None else truths[1]
        return Judgement(trace, ~truths[0], judged, _owned_logs(trace, owned), owned.days, self._after)

    @property
    def _values(self) -> list[pa.Field]:
        """The columns of a violation beside its point."""
        carriers = split_types(self.policy.for_each, self.policy.schema)
        attributes = self.policy.schema.attributes_of(carriers[0]) if carriers else {}
        kinds = [(name, attributes[name].type) for name in self.policy.for_each]
        return [
            pa.field(name, pa.int64() if kind is AttributeType.BOOL else ARROW_TYPES[kind], False)
            for name, kind in kinds
        ]

    @property
    def _after(self) -> int:
        return certain_after(self.policy) or 0

    def _merged_causes(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        return merge_causes(partials, self.cause_schema, days, self.explained)

    def _merged_episodes(self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...] | None = None) -> pa.Table:
        return merge_episodes(partials, self.episode_schema, self.policy.for_each, days, self.most)

    def _with_moment(self, table: pa.Table) -> pa.Table:
        """The rows with `certain`. Their first column tells the stamp of a point."""
        return table.append_column(CERTAIN, pc.add(table.column(0), self._after))


def condition_of(policy: PropositionalPolicy) -> Formula | None:
    """The left side, as a core formula, of a policy that says `left IMPLIES right`: it judges where this holds."""
    match policy.formula:
        case Implies(left):
            return without_sugar(left)
        case _:
            return None


def _owned_logs(trace: SplitTrace, owned: Ownership) -> Flags:
    """[sub-logs] Which of them the slice owns."""
    if owned.owns is None:
        return np.ones(len(trace.trace.starts) - 1, np.bool_)
    return owned.owns(trace.values.select(list(owned.variables)))


def _operators(formula: Formula) -> Iterator[Formula]:
    """The subformulas that have operands."""
    parts = operands(formula)
    if parts:
        yield formula
    for part in parts:
        yield from _operators(part)
