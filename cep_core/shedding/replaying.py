"""One experiment: train the model, run without shedding, then shed with each strategy, load and seed.

The model is trained on the events before the judged interval, at a load that the operator can bear, and then used on
the judged events (pSPICE, section IV-B). While a run sheds, it compares fresh observations with the model at regular
distances and trains the model again where they have drifted (section III-D). If there are no events before the
interval, the judged events train the model.

Cost: one run over the events before, then one over those judged for each strategy, load and seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cep_core.arrays import Ints
from cep_core.shedding.arrays.clock import arrivals
from cep_core.shedding.arrays.costs import Costs
from cep_core.shedding.arrays.rules import RECORD, REPLAY, UNTRACKED
from cep_core.shedding.arrays.stream import Offered, stream_of
from cep_core.shedding.hindsight.clairvoyance import Clairvoyance
from cep_core.shedding.hindsight.least_loss import Loss, least_loss
from cep_core.shedding.model.observations import Observations
from cep_core.shedding.model.overload import Detector
from cep_core.shedding.operator_run import OperatorRun
from cep_core.shedding.result_quality import Quality, quality_of
from cep_core.shedding.shedders.clairvoyant import Clairvoyant
from cep_core.shedding.shedders.look_ahead import GreedyLookAhead
from cep_core.shedding.shedders.shedder import Shedder, detector_of
from cep_core.shedding.shedders.strategy import SheddingStrategy
from cep_core.shedding.training.drift import has_drifted
from cep_core.shedding.training.operator_model import Model, model_of

LOOKS = 24
"""How often a run checks for drift."""

PLANS = 2
"""How often the clairvoyant checks again whether the work that it keeps is done in time."""

ENOUGH = 1_000
"""How many observations of a pattern are needed to train its model again."""


@dataclass(frozen=True)
class Scenario:
    """Patterns and events up to `end` (log time). Events before `begin` train, those in [begin, end) are judged."""

    patterns: Sequence[Offered]
    ts: Ints
    begin: int
    end: int
    costs: Costs
    kind: Ints
    """[n] the type of each event by number."""
    bound: int
    """LB in virtual nanoseconds."""
    buffer: int = 0
    ordered: bool = False
    drift: float = 0.01
    """A model is trained again if the mean squared error of its transition matrix exceeds this."""

    def buffer_of(self, bound: int) -> int:
        """The safety buffer for another bound: its proportion to the bound stays the same."""
        return self.buffer * bound // self.bound

    @property
    def first(self) -> int:
        """The first judged event."""
        return int(np.searchsorted(self.ts, self.begin))


@dataclass(frozen=True)
class Measured:
    """One strategy at one load with one seed."""

    strategy: str
    load: float
    """Over the judged interval."""
    bound: int
    seed: int
    quality: Quality
    retrained: int
    run: OperatorRun


class Experiment:
    """A scenario with its model and its unshed run."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.stream = stream_of(
            scenario.patterns, scenario.ts, scenario.costs, ordered=scenario.ordered, kind=scenario.kind
        )
        self._at_ease = np.zeros(len(scenario.ts), np.int64)
        # recorded, so that the worth of each partial match is known afterwards
        self.unshed = OperatorRun(self.stream, self._at_ease, tracked=RECORD)
        self.unshed.advance(scenario.first or len(scenario.ts))
        types = int(scenario.kind.max(initial=0)) + 1
        self.model: Model = model_of(self.unshed, scenario.patterns, scenario.costs, types)
        self.unshed.advance(len(scenario.ts))
        self._detectors: dict[tuple[str, int], Detector] = {}
        self._losses: dict[tuple[float, int], Loss] = {}
        self._weights = [pattern.weight for pattern in scenario.patterns]

    @property
    def cost(self) -> int:
        """What the judged events cost unshed, in virtual nanoseconds."""
        return int(self.unshed.account.work[self.scenario.first :].sum())

    @cached_property
    def look_ahead(self) -> GreedyLookAhead:
        """The shedder that knows the unshed run and drops only when the bound is in danger."""
        return GreedyLookAhead(self._known)

    @cached_property
    def clairvoyant(self) -> Clairvoyant:
        """The shedder that does useful work only."""
        return Clairvoyant(self._known)

    def shedder_of(self, strategy: SheddingStrategy) -> Shedder:
        """The strategy's shedder. A strategy that is out of reach gets to know the unshed run."""
        return strategy.make(self._known) if strategy.out_of_reach else strategy.make()

    @property
    def useless_work(self) -> float:
        """The share of the work on partial matches, at the judged events, that leads to no match."""
        first, fixed = self.scenario.first, self.stream.fixed_cost
        unshed = int((self.unshed.account.work - fixed)[first:].sum())
        return 1 - int(self._useful[1][first:].sum()) / unshed if unshed else 0.0

    def least_lost(self, load: float, *, bound: int | None = None) -> float:
        """The weighted share of matches that any strategy which drops partial matches must lose to keep the bound.

        See `least_loss`; `load` and `bound` as for `measure`.
        """
        pattern, event, _ = self.unshed.match_columns()
        weighted = float(np.array(self._weights)[pattern[event >= self.scenario.first]].sum())
        lost = self._least_loss(load, self.scenario.bound if bound is None else bound).weight
        return lost / weighted if weighted else 0.0

    def busiest(self, span: int) -> tuple[int, int, float]:
        """The busiest stretch of length `span` in the judged interval: its begin, its end, and how busy it is.

        How busy: the unshed work per moment there, divided by the unshed work per moment of the whole interval. A load
        of x over the stretch is a load of x divided by that over the interval. If the interval is not longer than
        `span`, or has no work, the answer is the whole interval.
        """
        scenario, first = self.scenario, self.scenario.first
        whole = scenario.end - scenario.begin
        if span >= whole or not self.cost:
            return scenario.begin, scenario.end, 1.0
        ts = scenario.ts[first:]
        done = np.concatenate([[0], np.cumsum(self.unshed.account.work[first:])])
        # The busiest span can be moved until it begins with an event, or until it ends with the interval.
        begins = np.append(ts[ts <= scenario.end - span], scenario.end - span)
        work = done[np.searchsorted(ts, begins + span)] - done[np.searchsorted(ts, begins)]
        best = int(np.argmax(work))
        return int(begins[best]), int(begins[best]) + span, int(work[best]) / self.cost * (whole / span)

    def measure(self, shedder: Shedder, load: float, seed: int = 0, *, bound: int | None = None) -> Measured:
        """Runs one strategy over the judged events. Windows opened before them are still open; the queue is empty.

        `load`: over the judged interval. `bound`: virtual nanoseconds; None: the scenario's. The safety buffer keeps
        its proportion to the bound.
        """
        scenario, first = self.scenario, self.scenario.first
        arrival = arrivals(scenario.ts, scenario.begin, scenario.end, max(1, self.cost), load)
        latest = scenario.bound if bound is None else bound
        detector = self._detector(shedder, latest)
        before = self._plainly
        if isinstance(shedder, GreedyLookAhead):
            before = self._looking_ahead
        elif isinstance(shedder, Clairvoyant):
            shedder, before = self._planned(load, latest)
        rules = shedder.rules(self.model, detector, seed)
        run, model, retrained = before.resumed(arrival), self.model, 0
        last_observations = _observed(run, model)
        for stop in np.linspace(first, len(scenario.ts), LOOKS + 1).astype(np.int64)[1:].tolist():
            run.advance(stop, rules)
            observations = _observed(run, model)
            new_model = _retrained(
                model,
                [later.since(earlier) for later, earlier in zip(observations, last_observations, strict=True)],
                scenario,
            )
            if new_model is not None:
                model, retrained, last_observations = new_model, retrained + 1, observations
                rules = shedder.rules(model, detector, seed)
        quality = quality_of(run, self.unshed, latest, self._weights, first)
        return Measured(shedder.name, load, latest, seed, quality, retrained, run)

    def _detector(self, shedder: Shedder, bound: int) -> Detector:
        """The detector of a strategy and a bound; it depends neither on load nor on seed, so it is fitted once."""
        key = shedder.name, bound
        if key not in self._detectors:
            self._detectors[key] = detector_of(shedder, self.model, bound, self.scenario.buffer_of(bound))
        return self._detectors[key]

    @cached_property
    def _plainly(self) -> OperatorRun:
        """The operator when the judged events begin."""
        run = OperatorRun(self.stream, self._at_ease, tracked=UNTRACKED)
        run.advance(self.scenario.first)
        return run

    @cached_property
    def _looking_ahead(self) -> OperatorRun:
        """The same operator, with the future worth of each partial match."""
        run = OperatorRun(self.stream, self._at_ease, tracked=REPLAY)
        run.advance(self.scenario.first, self.look_ahead.knowledge)
        return run

    def _planned(self, load: float, bound: int) -> tuple[Clairvoyant, OperatorRun]:
        """The clairvoyant with the matches it keeps, and its operator when the judged events begin."""
        shedder, operator = self.clairvoyant, self._useful[0]
        loss = self._least_loss(load, bound)
        for _ in range(PLANS):
            if not loss.gone.any():
                break
            kept = shedder.known.kept
            shedder = Clairvoyant(shedder.known.keeping(~loss.gone if kept is None else kept & ~loss.gone))
            operator, useful = self._doing_only(shedder)
            loss = self._loss_of(shedder.known, useful, load, bound)
        return shedder, operator

    def _least_loss(self, load: float, bound: int) -> Loss:
        """The least loss, computed once for each load and bound."""
        if (load, bound) not in self._losses:
            self._losses[load, bound] = self._loss_of(self._known, self._useful[1], load, bound)
        return self._losses[load, bound]

    def _loss_of(self, known: Clairvoyance, useful: Ints, load: float, bound: int) -> Loss:
        scenario = self.scenario
        arrival = arrivals(scenario.ts, scenario.begin, scenario.end, max(1, self.cost), load)
        return least_loss(known, arrival, useful, scenario.first, bound, self._weights)

    @cached_property
    def _useful(self) -> tuple[OperatorRun, Ints]:
        return self._doing_only(self.clairvoyant)

    def _doing_only(self, shedder: Clairvoyant) -> tuple[OperatorRun, Ints]:
        """The operator that does only the clairvoyant's work, when the judged events begin; [n] its work by event."""
        run = OperatorRun(self.stream, self._at_ease, tracked=REPLAY)
        run.advance(self.scenario.first, shedder.knowledge)
        whole = run.resumed(self._at_ease)
        whole.advance(len(self.scenario.ts), shedder.knowledge)
        return run, whole.account.work - self.stream.fixed_cost

    @cached_property
    def _known(self) -> Clairvoyance:
        return Clairvoyance(self.unshed)


def _observed(run: OperatorRun, model: Model) -> list[Observations]:
    return [run.observations(q) for q in range(len(model.patterns))]


def _retrained(model: Model, fresh: Sequence[Observations], scenario: Scenario) -> Model | None:
    """The model with new chains for patterns that have drifted; None if no pattern has."""
    patterns = [
        replace(own, observations=new)
        if new.count >= ENOUGH and has_drifted(own.observations.transitions(), new, scenario.drift)
        else own
        for own, new in zip(model.patterns, fresh, strict=True)
    ]
    changed = any(new is not old for new, old in zip(patterns, model.patterns, strict=True))
    return replace(model, patterns=tuple(patterns)) if changed else None
