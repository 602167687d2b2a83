"""The evaluator of propositional policies: the points of one slice at which the formula is false, and their merge.

A slice's events become a trace of all its sub-logs side by side, and the whole-log engine says where the formula holds.
A violation becomes certain when the future reach of the formula has passed (`docs/semantics.md` 2). Cost: that of
`arrays.points` and `evaluation`, linear in events and points, and one row for each violation of the days that the slice
owns; sub-logs cost nothing of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.chunks import one_array
from cep_core.events.event_types import EventTypes
from cep_core.language.day_results import together
from cep_core.language.evaluator import CERTAIN, Atom, Explain, Merge, Ownership, Reach, ResultTable, tagged
from cep_core.language.propositional.facts.atoms import atoms_of
from cep_core.language.propositional.facts.reach import certain_after, reach_of
from cep_core.language.propositional.facts.reads import reads_of
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.settings import DEFAULTS, Settings
from cep_core.language.temporal.formulas import Formula, Implies
from cep_core.language.temporal.sugar import without_sugar
from cep_core.language.temporal.walk import operands
from cep_core.language.totals import Days, parts
from cep_core.monitoring.propositional.arrays.points import SplitTrace, split_trace_of
from cep_core.monitoring.propositional.choice.table import KERNELS, chosen
from cep_core.monitoring.propositional.evaluation import truths_and_counts
from cep_core.monitoring.propositional.plan.silence import speaks_of_silence
from cep_core.monitoring.propositional.result.episode_shares import (
    SHARE,
    combine_with_sizes,
    merge_with_shares,
    size_schema,
    with_sizes,
)
from cep_core.monitoring.propositional.result.explaining import (
    Explaining,
    explained_points,
    explained_schema,
    first_points,
    merge_explained,
    points_to_explain,
)
from cep_core.monitoring.propositional.result.judgement import PLACE, Judgement, certain_days, sub_logs_of_points
from cep_core.monitoring.propositional.result.shares import (
    TRUTHS,
    TRUTHS_SCHEMA,
    merge_truths,
    parts_of_formula,
    truth_rows,
)
from cep_core.monitoring.shared.causes import WHY
from cep_core.monitoring.shared.episodes import EPISODES, partial_episodes
from cep_core.monitoring.shared.listing import partial, with_certain
from cep_core.monitoring.shared.longest import candidates
from cep_core.monitoring.shared.policy_results import PASSES, PolicyResults
from cep_core.monitoring.shared.sub_logs import sub_log_types


class PropositionalEvaluator(PolicyResults):
    """Evaluates a propositional policy (`cep_core.language.evaluator.Evaluator`)."""

    episodes_are = "One row is a run of time-points that violate {query}"
    causes_are = "One row is a claim in the proof of the first violation of one of a day's longest episodes of {query}"

    def __init__(self, policy: PropositionalPolicy, settings: Settings = DEFAULTS) -> None:
        super().__init__(settings)
        self.policy = policy
        self.condition = condition_of(policy)

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
        return self.condition is None or speaks_of_silence(self.policy.core, self.condition)

    def describe(self) -> tuple[str, ...]:
        """The algorithm and its cost, as `explain` prints them."""
        used = {chosen(part).name for part in _operators(self.policy.core)}
        kernels = [f"{kernel.words}: {kernel.order}" for kernel in KERNELS if kernel.name in used]
        return (
            "bit columns over the points of all sub-logs, one operator after the other; n points",
            *kernels,
            *([PASSES] if self.condition is not None else []),
        )

    def evaluate(
        self, events: pa.Table, owned: Ownership | None = None, points: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Partial results: the violations listed in order, an empty batch with each day's totals, then episodes."""
        owned = owned or Ownership()
        cut = owned.cut if owned.days is not None else (False, False)
        split = split_trace_of(self.policy, events, points)
        heard = self._heard(split, events)
        judgement, often = self.judged(split, owned, heard)
        yield from tagged(often.to_batches(), TRUTHS)
        violations, numbers = judgement.violations()
        violations = self._with_moment(violations)
        complete = with_certain(self.schema)
        yield from partial(violations.select(complete.names).cast(complete), numbers, owned.days, self.most)
        complete, of_edges = with_certain(self.episode_schema), self._edge_schema
        runs = self._with_moment(judgement.episodes())
        listed = runs.select(complete.names).cast(complete)
        known = self._with_moment(judgement.edges(cut)).select(of_edges.names).cast(of_edges)
        of_sizes = size_schema(self._key_fields)
        sizes = self._with_moment(judgement.sizes(heard, cut)).select(of_sizes.names).cast(of_sizes)
        pieces = partial_episodes(listed, known, owned.days, self.most, cut)
        yield from tagged(with_sizes(pieces, sizes, self._keys, owned.days, cut), EPISODES)
        of_keys = with_certain(pa.schema(self._key_fields))
        judged = self._with_moment(judgement.judged_on_days()).select(of_keys.names).cast(of_keys)
        yield from self._partial_judged(judged, owned.days)
        if self.explained:
            kept = pa.array(candidates(listed, owned.days, self.explained, cut))
            yield from tagged(partial_episodes(listed.take(kept), known, owned.days, None, cut), WHY)
            yield from tagged(first_points(runs.take(kept), violations, PLACE), WHY)

    def judged(self, trace: SplitTrace, owned: Ownership, heard: Flags) -> tuple[Judgement, pa.Table]:
        """What the policy says of each point of a slice, and how often each of its parts is true at those `heard`."""
        formulas = [self.policy.core] if self.condition is None else [self.policy.core, self.condition]
        counted = [without_sugar(part) for _, part in parts_of_formula(self.policy.formula)]
        own = _owned_logs(trace, owned)
        days = len(parts(owned.days))
        day = certain_days(trace.trace.stamps, owned.days, self._after)
        day[~own[sub_logs_of_points(trace.trace.starts)] | ~heard] = -1
        truths, counts = truths_and_counts(formulas, counted, trace.trace, day, days)
        points = np.bincount(day[(day >= 0) & (day < days)], minlength=days)
        condition = None if self.condition is None else truths[1]
        judgement = Judgement(trace, ~truths[0], condition, own, owned.days, self._after)
        return judgement, truth_rows(self.policy.formula, counts, points, owned.days)

    def _heard(self, trace: SplitTrace, events: pa.Table) -> Flags:
        """[points] Whether an event that the policy reads is at a point. Others are in slices that nobody evaluates."""
        heard = np.zeros(trace.trace.points, np.bool_)
        read = EventTypes(one_array(events["event_type"])).among(self.reads)
        heard[trace.point[read & (trace.point >= 0)]] = True
        return heard

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        """Those of every policy, episodes with their share; and how often each part of the formula is true."""
        comment = "One row is a subformula of {query} on a day, and at how many points it is true"
        bound = "the subformulas of each slice and day"
        result, episodes, *others = super().tables
        episodes = replace(episodes, schema=self.episode_schema.append(SHARE))
        truths = ResultTable(TRUTHS, TRUTHS_SCHEMA, merge_truths, together, comment=comment, bound=bound)
        return result, episodes, *others, truths

    @property
    def cause_schema(self) -> pa.Schema:
        """An episode's first violation, a claim of its proof, and for how many points the proof is the same."""
        return explained_schema(super().cause_schema)

    def _merged_episodes(self, partials: Iterable[pa.RecordBatch], days: Days = None) -> pa.Table:
        return merge_with_shares(partials, self.episode_schema, self._keys, days, self.most)

    def _combined_episodes(
        self, partials: Iterable[pa.RecordBatch], days: tuple[int, ...], cut: tuple[bool, bool]
    ) -> list[pa.RecordBatch]:
        return combine_with_sizes(partials, self.episode_schema, self._keys, days, self.most, cut)

    def _merged_causes(self, partials: Iterable[pa.RecordBatch], days: Days = None) -> pa.Table:
        return merge_explained(partials, self.cause_schema, self._keys)

    @property
    def _explain(self) -> Explain | None:
        return self._proven if self.explained else None

    @property
    def _chosen(self) -> Merge:
        return self._points_to_explain

    @property
    def _slices_explain(self) -> bool:
        return True

    def _points_to_explain(self, partials: Iterable[pa.RecordBatch], days: Days = None) -> pa.Table:
        """The first points of each day's longest episodes."""
        return points_to_explain(partials, self.episode_schema, self._keys, days, self.explained)

    def _proven(
        self, rows: pa.Table, events: pa.Table | None, points: pa.Table, owned: Ownership | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The causes of points (`Explain`): all of a sub-log is in the slice that owns them."""
        assert events is not None, "slices explain what they own"
        explaining = Explaining(self.policy, split_trace_of(self.policy, events, points), events)
        yield from tagged(explained_points(explaining, self._with_moment(rows)), WHY)

    @property
    def _values(self) -> list[pa.Field]:
        """The columns of a violation beside its point."""
        types = sub_log_types(self.policy.for_each, self.policy.schema)
        return [pa.field(name, ARROW_TYPES[kind], False) for name, kind in types.items()]

    @property
    def _keys(self) -> tuple[str, ...]:
        return self.policy.for_each

    @property
    def _after(self) -> int:
        return certain_after(self.policy) or 0

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
