"""The planner: from statistics to the plan with the least predicted maximum load (docs/semantics.md 6).

The planner tries every way to divide the slices into time ranges and data slices, and every set of variables whose
heavy values get slices of their own. For each it optimises the shares (paper 01, Algorithm 2) and predicts the maximum
load. The plan with the lowest load wins; among equals, the one with fewer copies, then fewer ranges, then fewer
variables with heavy values.

The paper always treats all heavy values apart. They get share 1 on their variable, which is worse than plain hashing
where no other variable is left to split them. So each variable is tried both ways.

Cost: O(sqrt(slices)) divisions times 2^h sets of variables, where h variables have heavy values. Beyond 4 such
variables they are added one by one while that helps, and at most the 8 whose heavy values are in the most events: a
set of variables gets a share vector for each of its subsets. A division whose lower bound is no better than a plan
that is known already is not tried. Twenty variables on 256 slices take less than 2 seconds on one core, a clique of 190
atoms included; a plan that is forced to tell eight of them needs up to 2^8 searches, which is 1 to 3 seconds for each
division, and is made for the two divisions that load slices least without them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom, Reach
from cep_core.slicing.atom_rows import relation_of
from cep_core.slicing.hashing import common_type
from cep_core.slicing.heavy import heaviest, heavy_values
from cep_core.slicing.prediction import Predictor
from cep_core.slicing.ranges import TimeRange, cut, shares_read
from cep_core.slicing.real_shares import lower_bound
from cep_core.slicing.shares import best_shares, bound, subsets
from cep_core.slicing.slicing_plan import Plan, Prediction, cubes_of
from cep_core.slicing.statistics import Statistics

MOST_DIVISIONS = 3
"""Divisions in which sets are grown, where there are too many to try all: those with the least load by hashing."""

MOST_FORCED = 2
"""Divisions that are tried with heavy values forced apart, of as many variables."""

ALL_SETS_UP_TO = 4
"""Up to this many variables with heavy values are tried in all combinations."""

MOST_NAMED = 8
"""The most variables whose heavy values the slicer is told."""

NO_REACH = Reach()


def make_plan(
    atoms_by_query: Mapping[str, Sequence[Atom]],
    variables: Sequence[str],
    statistics: Statistics,
    slices: int,
    seed_text: str,
    reach: Reach = NO_REACH,
    interval: tuple[int, int] | None = None,
    *,
    types: Mapping[str, AttributeType] | None = None,
    stamps: npt.NDArray[np.int64] | None = None,
    ranges: int | None = None,
    heavy: Collection[str] | None = None,
) -> Plan:
    """The best plan with at most `slices` slices for queries that slice on the same `variables`.

    `statistics`: exact statistics of the events that will be sliced, over the atoms of all queries.
    `seed_text`: names the workload and its queries, never the log.
    `reach`: the widest reach of the queries. Time ranges are tried only if `interval` is given, too: the log time
    [start, end) in which results become certain.
    `stamps`: ascending time-stamps of the events. The load of ranges is then counted in events. They are needed where
    the reach counts time-points or events.
    `types`: the types of variables whose values the statistics do not show.
    `ranges`, `heavy`: force the number of ranges, and the variables whose heavy values are treated apart (of more than
    8, those 8 whose heavy values are in the most events).
    """
    if slices < 1:
        raise ValueError(f"slices must be at least 1, found {slices}")
    for query, query_atoms in atoms_by_query.items():
        unbound = set(variables).difference(*(bound(atom) for atom in query_atoms))
        if unbound:
            raise ValueError(f"no atom of {query} binds {', '.join(sorted(unbound))}: it cannot share this plan")
    atoms = tuple(dict.fromkeys(atom for query_atoms in atoms_by_query.values() for atom in query_atoms))
    predictor = Predictor(statistics)
    task = _Task(tuple(sorted(atoms_by_query)), atoms, tuple(variables), statistics, seed_text, types or {}, predictor)
    divisions = []
    for count in _range_counts(slices, reach, interval) if ranges is None else [ranges]:
        pieces = () if interval is None else cut(interval, count, reach, stamps)
        read, cells = shares_read(pieces, stamps), max(1, slices // count)
        factor, copies = float(read.max()), float(read.sum())
        divisions.append(_Division(pieces, factor, copies, cells, task.lower_bound(cells) * factor))
    candidates = _candidates(task, divisions, heavy)
    chosen = min(candidates, key=lambda candidate: candidate.rank)
    costs = replace(chosen.costs, lower_bound=min(division.lower_bound for division in divisions))
    return replace(chosen.plan, predicted=costs, decisions=tuple(_reasons(chosen, candidates)))


@dataclass(frozen=True)
class _Task:
    """What all candidates have in common, and results that several of them use."""

    queries: tuple[str, ...]
    atoms: tuple[Atom, ...]
    variables: tuple[str, ...]
    statistics: Statistics
    seed_text: str
    given_types: Mapping[str, AttributeType]
    predictor: Predictor
    shares: dict[int, dict[frozenset[str], tuple[int, ...]]] = field(default_factory=dict)
    """By number of slices and heavy set."""

    def types(self) -> dict[str, AttributeType]:
        """The type of each variable: the given one, or the common type of all attributes that bind it."""
        return {name: self.given_types.get(name) or self._observed(name) for name in self.variables}

    def _observed(self, name: str) -> AttributeType:
        places = [
            (relation_of(atom), attribute) for atom in self.atoms for attribute, own in atom.variables if own == name
        ]
        value_types = [
            self.statistics.frequencies[place].values.type for place in places if place in self.statistics.frequencies
        ]
        if not value_types:
            raise ValueError(f"the type of {name} is unknown: give `types` or statistics with its values")
        return common_type(value_types)

    def best_shares(self, slices: int, heavy: frozenset[str]) -> tuple[int, ...]:
        """Algorithm 2 for one heavy set. The result is kept for the next call."""
        known = self.shares.setdefault(slices, {})
        if heavy not in known:
            rates = [Fraction(self.statistics.matching(atom)) for atom in self.atoms]
            known[heavy] = best_shares(self.atoms, self.variables, slices, rates, heavy, known)
        return known[heavy]

    def lower_bound(self, slices: int) -> float:
        """The bound from real-valued shares. The atoms of one type share its rate, so that it stays a lower bound."""
        names = [atom.event_type for atom in self.atoms]
        rates = [self.statistics.matching(atom) / names.count(atom.event_type) for atom in self.atoms]
        return lower_bound(self.atoms, self.variables, slices, rates)


@dataclass(frozen=True)
class _Candidate:
    """A plan that was tried."""

    plan: Plan
    costs: Prediction
    heavy: Mapping[str, pa.Array]
    """All heavy values, whether they are treated apart or not."""

    @property
    def apart(self) -> frozenset[str]:
        """The variables whose heavy values get slices of their own."""
        return frozenset(self.plan.heavy)

    @property
    def rank(self) -> tuple[float, float, int, int, list[str]]:
        """Lower is better."""
        load, copies = round(self.costs.maximum_load, 9), round(self.costs.replication, 9)
        return load, copies, len(self.plan.ranges), len(self.apart), sorted(self.apart)


@dataclass(frozen=True)
class _Division:
    """Slices divided into time ranges, of which one reads at most `factor` of all events and all together read `copies`
    times all events, and at most `slices` data slices each."""

    pieces: tuple[TimeRange, ...]
    factor: float
    copies: float
    slices: int
    lower_bound: float

    def named(self, task: _Task, heavy: Mapping[str, pa.Array], forced: Collection[str] | None) -> list[str]:
        """The variables whose heavy values may get slices of their own."""
        wanted = {name: values for name, values in heavy.items() if forced is None or name in forced}
        return heaviest(task.atoms, task.statistics, self.slices, wanted, MOST_NAMED)

    def candidate(self, task: _Task, heavy: Mapping[str, pa.Array], apart: frozenset[str]) -> _Candidate:
        """The best plan with the heavy values of the variables `apart` in slices of their own."""
        groups = map(frozenset, subsets(sorted(apart)))
        plan = Plan(
            task.queries,
            task.atoms,
            task.variables,
            tuple(task.types().values()),
            cubes_of({group: task.best_shares(self.slices, group) for group in groups}, task.variables, task.seed_text),
            {name: heavy[name] for name in task.variables if name in apart},
            self.pieces,
        )
        loads = task.predictor.cell_loads(plan)
        bound, largest = task.predictor.bound(plan) * self.factor, float(loads.max()) * self.factor
        return _Candidate(plan, Prediction(bound, largest, float(loads.sum()) * self.copies, self.lower_bound), heavy)


def _candidates(task: _Task, divisions: Sequence[_Division], forced: Collection[str] | None) -> list[_Candidate]:
    """The plans that are tried: of each division the plain one, then those that tell heavy values."""
    types = task.types()
    heavy_of = [heavy_values(task.atoms, types, task.statistics, division.slices) for division in divisions]
    named_of = [division.named(task, heavy, forced) for division, heavy in zip(divisions, heavy_of, strict=True)]
    cases = list(zip(divisions, heavy_of, named_of, strict=True))
    if forced is not None and max(map(len, named_of)) <= ALL_SETS_UP_TO:
        return list(_promising(task, [(*case[:2], frozenset(case[2])) for case in cases]).values())
    plain = _promising(task, [(*case[:2], frozenset()) for case in cases])
    in_order = sorted(plain, key=lambda place: plain[place].rank)
    if forced is not None:
        best = [cases[place] for place in in_order[:MOST_FORCED]]
        return [division.candidate(task, heavy, frozenset(named)) for division, heavy, named in best]
    candidates, grown = list(plain.values()), 0
    for place in in_order:
        division, heavy, named = cases[place]
        if division.lower_bound > min(candidate.costs.maximum_load for candidate in candidates):
            continue
        if len(named) <= ALL_SETS_UP_TO:
            candidates += [division.candidate(task, heavy, frozenset(group)) for group in subsets(named) if group]
        elif grown < MOST_DIVISIONS:
            grown += 1
            candidates += _grown(task, division, plain[place], named)
    return candidates


def _promising(
    task: _Task, cases: Sequence[tuple[_Division, Mapping[str, pa.Array], frozenset[str]]]
) -> dict[int, _Candidate]:
    """By place of the division: the plan that tells the named variables' heavy values (division, heavy, named).

    Left out are divisions whose lower bound is above another one's load. The division without time ranges is always
    among them, because the reasons compare with it.
    """
    made: dict[int, _Candidate] = {}
    least = np.inf
    for place in sorted(
        range(len(cases)), key=lambda place: (len(cases[place][0].pieces) > 1, cases[place][0].lower_bound)
    ):
        division, heavy, apart = cases[place]
        if len(division.pieces) <= 1 or division.lower_bound <= least:
            made[place] = division.candidate(task, heavy, apart)
            least = min(least, made[place].costs.maximum_load)
    return made


def _grown(task: _Task, division: _Division, best: _Candidate, named: Sequence[str]) -> list[_Candidate]:
    """Plans that tell the heavy values of more and more variables, as long as that helps."""
    candidates: list[_Candidate] = []
    while True:
        more = [best.apart | {name} for name in named if name not in best.apart]
        steps = [division.candidate(task, best.heavy, apart) for apart in more]
        candidates += steps
        better = min(steps, key=lambda step: step.rank, default=best)
        if better.rank >= best.rank:
            return candidates
        best = better


def _reasons(chosen: _Candidate, tried: Sequence[_Candidate]) -> Iterable[str]:
    """Why the plan has its heavy values and time ranges: one sentence for each choice, without values of the log. A
    stored plan names these in one place, where whoever removes or hides values looks."""
    same_ranges = {candidate.apart: candidate for candidate in tried if candidate.plan.ranges == chosen.plan.ranges}
    for name, values in chosen.heavy.items():
        rival = same_ranges.get(chosen.apart ^ {name})
        fate = "get their own shares" if name in chosen.apart else "are hashed like any other"
        clause = ""
        if rival is not None:
            apart, plain = (chosen, rival) if name in chosen.apart else (rival, chosen)
            loads = apart.costs.maximum_load, plain.costs.maximum_load
            if round(abs(loads[0] - loads[1]), 9) == 0:
                continue  # the plan does not slice on this variable
            clause = f": predicted maximum load {loads[0]:.3f} with their own shares, {loads[1]:.3f} hashed"
        yield f"heavy values of {name} ({len(values)}) {fate}{clause}"
    if len(chosen.plan.ranges) > 1:
        single_range_loads = [candidate.costs.maximum_load for candidate in tried if len(candidate.plan.ranges) <= 1]
        clause = f", {min(single_range_loads):.3f} without" if single_range_loads else ""
        yield f"{len(chosen.plan.ranges)} time ranges: predicted maximum load {chosen.costs.maximum_load:.3f}{clause}"


def _range_counts(slices: int, reach: Reach, interval: tuple[int, int] | None) -> list[int]:
    """The numbers of time ranges to try: for each number of data slices, the largest that leaves that many."""
    if interval is None or reach.time is None:
        return [1]
    counts = {slices // (slices // count) for count in range(1, slices + 1)}
    longest = max(1, interval[1] - interval[0])
    return sorted({1, *(count for count in counts if count <= longest)})
