"""Sentences about what a machine that is too slow for the day would have missed."""

from __future__ import annotations

from collections.abc import Sequence

from cep_core.experiments.loads import DAY
from cep_core.shedding.shedders.chance import AT_RANDOM
from cep_core.shedding.shedders.clairvoyant import CLAIRVOYANT
from cep_core.shedding.shedders.events import EVENTS_BY_TYPE
from cep_core.shedding.shedders.nothing import UNSHED
from cep_core.shedding.shedders.pspice import PSPICE
from cep_core.shedding.strategies import strategy_named
from jobs.reports.comparisons.shedding_comparison import SheddingComparison, SheddingOutcome
from jobs.reports.words.quantities import counted, share, virtual
from jobs.reports.words.values import listed, shown

QUESTION = "What would a machine too slow for the day have missed?"


ALIKE = 0.05
"""Two losses count as equal if they differ by at most this share of the larger one."""


def answer(compared: SheddingComparison) -> str:
    """What pSPICE and random dropping would have missed, and which strategy would have missed the fewest.

    If the strategies had little to choose from, the sentence says so and names no best strategy.
    """
    load, names = f"At {described_load(compared)}", compared.queries or list(compared.asked) or ["all queries"]
    queries = listed([shown(name) for name in names])
    outcomes = compared.attainable
    if not outcomes:
        return f"{load} no strategy was tried for {queries}."
    if not outcomes[0].measures["matches"].mean:
        return f"{load} nothing could be missed: {queries} had no matches on this day."
    if not any(outcome.dropped for outcome in outcomes):
        return f"{load} nothing would have been dropped, so no match of {queries} would have been missed."
    first = next((outcome for outcome in outcomes if outcome.strategy == PSPICE.name), outcomes[0])
    if not any(outcome.dropped for outcome in outcomes if outcome.strategy != EVENTS_BY_TYPE.name):
        missed = _too_early(outcomes)
        return f"{load} no partial match would have been dropped, so no match would have been missed{missed}."
    sentence = f"{load} {shown(first.strategy)} would have missed {_lost(first)} of the matches of {queries}"
    chance = next((outcome for outcome in outcomes if outcome.strategy == AT_RANDOM.name), first)
    if chance is not first:
        sentence += f", dropping at random {_lost(chance)}"
    if compared.little_choice:
        assert compared.choice is not None
        return (
            f"{sentence}. That does not show which strategy is better: in only {share(compared.choice)} of the drops "
            "was there a choice, in all others every partial match had to be dropped."
        )
    return f"{sentence}; {_best(outcomes, first)}{_within(outcomes)}."


def _too_early(outcomes: Sequence[SheddingOutcome]) -> str:
    """What dropping events would have missed, on a day when no partial match had to be dropped."""
    events = next((outcome for outcome in outcomes if outcome.strategy == EVENTS_BY_TYPE.name and outcome.lost), None)
    if events is None:
        return ""
    missed = _lost(events)
    return f"; {events.strategy}, which drops events and begins at half of the bound, would have missed {missed}"


def described_load(compared: SheddingComparison) -> str:
    """The load of the setting that the page describes, with the time for which it holds."""
    return f"{share(compared.setting.load)} load over {over_what(compared, compared.setting.over)}"


def over_what(compared: SheddingComparison, over: str) -> str:
    """The time for which a load holds, in words."""
    if over == DAY:
        return "the day"
    hours = compared.busiest_hours
    return "the busiest hour" if hours == 1 else f"the busiest {hours or ''} hours".replace("  ", " ")


def choice_text(compared: SheddingComparison) -> str:
    """How often partial matches had to be dropped, and how often there was a choice; empty if none were dropped."""
    drops = [outcome.measures["drops"].mean for outcome in compared.attainable if "choice" in outcome.measures]
    if not drops or compared.choice is None:
        return ""
    least, most = (round(end(drops)) for end in (min, max))
    events = counted(most, "event") if least == most else f"{least} to {counted(most, 'event')}"
    return (
        f"Strategies that drop partial matches had to drop some at {events} of the day. In {share(compared.choice)} of "
        "these drops they could choose which, because not all had to be dropped."
    )


def yardsticks(compared: SheddingComparison) -> str:
    """What a clairvoyant would have missed, and the least that any strategy can miss.

    If all strategies miss about as many although they had a choice, the reason follows.
    """
    clairvoyant, least = compared.outcome(CLAIRVOYANT.name), compared.least_lost(compared.setting)
    outcomes = [outcome for outcome in compared.attainable if outcome.strategy != EVENTS_BY_TYPE.name]
    if not any(outcome.dropped for outcome in outcomes):
        return ""
    parts = []
    if clairvoyant is not None:
        missed = _lost(clairvoyant) if clairvoyant.lost else "none"
        parts.append(f"a clairvoyant, who keeps only what still leads to a match, would have missed {missed}")
    if least:
        parts.append(
            f"no strategy that drops partial matches and keeps the bound could have missed less than {share(least)}"
        )
    if not parts:
        return ""
    without = compared.outcome(UNSHED.name)
    useless = None if without is None else without.measures.get("useless_work")
    if useless is not None:
        parts[0] = f"{share(useless.mean)} of the work on partial matches leads to no match: {parts[0]}"
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}.{_why_alike(compared, outcomes)}"


def _why_alike(compared: SheddingComparison, outcomes: Sequence[SheddingOutcome]) -> str:
    """Why all strategies that drop partial matches miss about as many; empty if they differ or had no choice."""
    best, worst = outcomes[0].lost, outcomes[-1].lost
    if compared.little_choice or len(outcomes) == 1 or worst - best > ALIKE * worst:
        return ""
    clairvoyant, least = compared.outcome(CLAIRVOYANT.name), compared.least_lost(compared.setting)
    if least is not None and best - least <= ALIKE * best:
        return " The strategies that drop partial matches all miss about as many, because no strategy can miss fewer."
    if clairvoyant is not None and best - clairvoyant.lost > ALIKE * best:
        return (
            " The strategies that drop partial matches all miss about as many: they know the query of a partial match, "
            "how far it has come and how long it has left, and that does not tell which will complete."
        )
    return " The strategies that drop partial matches all miss about as many, and so does the clairvoyant."


def _best(outcomes: Sequence[SheddingOutcome], first: SheddingOutcome) -> str:
    """The strategy that would have missed the fewest, compared with the first in the sentence or with the next best."""
    best, *rivals = outcomes
    if best is not first and best.strategy == AT_RANDOM.name:
        return f"dropping at random would have been the best{_fewer(best, first)}"
    if best is not first:
        return f"{_called(best)} would have been the best with {_lost(best)}{_fewer(best, first)}"
    if not rivals:
        return "no other strategy was tried"
    equals = [_called(outcome) for outcome in rivals if outcome.lost == best.lost]
    if equals:
        return f"no strategy would have been better, and {listed(equals)} would have been as good"
    if _is_chance(best, rivals[0]):
        return f"that would have been the best, with {_called(rivals[0])} within one standard deviation over seeds"
    return f"that would have been the best, ahead of {_called(rivals[0])}{_fewer(best, rivals[0])}"


def _within(outcomes: Sequence[SheddingOutcome]) -> str:
    """If the best strategy broke the latency bound: how often, and the best strategy that kept it."""
    best = outcomes[0]
    if not best.late:
        return ""
    kept = [outcome for outcome in outcomes if not outcome.late]
    comparison = ", as with every other"
    if kept:
        comparison = f"; the best that keeps the bound is {_called(kept[0])} with {_lost(kept[0])}"
    return f", but {share(best.late)} of the events would have been later than the latency bound{comparison}"


def _called(outcome: SheddingOutcome) -> str:
    record = strategy_named(outcome.strategy)
    return record.spoken if record is not None and record.spoken else shown(outcome.strategy)


def _fewer(better: SheddingOutcome, worse: SheddingOutcome) -> str:
    """How many fewer the better strategy misses, and whether that is more than the difference between seeds."""
    if better.lost >= worse.lost:
        return ""
    within = " (within one standard deviation over seeds)" if _is_chance(better, worse) else ""
    return f", {share(1 - better.lost / worse.lost)} fewer{within}"


def _is_chance(better: SheddingOutcome, worse: SheddingOutcome) -> bool:
    """Whether the better of two strategies leads by at most one standard deviation over seeds."""
    return worse.lost - better.lost <= max(outcome.measures["lost"].deviation for outcome in (better, worse))


def _lost(outcome: SheddingOutcome) -> str:
    lost = outcome.measures["lost"]
    return share(lost.mean) + (f" (± {share(lost.deviation)})" if lost.deviation else "")


def bound_kept(compared: SheddingComparison) -> str:
    """How many events are later than the bound: without shedding, and under each strategy that broke it."""
    bound, without, outcomes = virtual(compared.bound_ns), compared.outcome(UNSHED.name), compared.attainable
    broken = [outcome for outcome in outcomes if outcome.late]
    each = listed([f"{shown(outcome.strategy)} {share(outcome.late)}" for outcome in broken], 8)
    if without is None:
        if not broken:
            return f"Under every strategy all events would have been within the bound of {bound}."
        return f"Events later than the bound of {bound}: under {each}{_others(outcomes, broken)}."
    if not without.late and not broken:
        return f"Even without shedding every event would have been within the bound of {bound}."
    sentence = f"Without shedding {share(without.late)} of the events would have been later than the bound of {bound}"
    if not outcomes:
        return f"{sentence}."
    if not broken:
        return f"{sentence}; under every strategy none."
    return f"{sentence}; under {each}{_others(outcomes, broken)}."


def _others(outcomes: Sequence[SheddingOutcome], broken: Sequence[SheddingOutcome]) -> str:
    kept = [shown(outcome.strategy) for outcome in outcomes if outcome not in broken]
    if not kept:
        return ""
    return f", under {kept[0] if len(kept) == 1 else f'the other {len(kept)} strategies'} none"
