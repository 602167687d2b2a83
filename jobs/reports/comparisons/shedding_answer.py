"""What a slower machine would have missed, in sentences."""

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
"""Strategies whose losses differ by no more than this share of the larger are alike."""


def answer(compared: SheddingComparison) -> str:
    """What pSPICE and chance would have missed, and which strategy would have missed the fewest, by how much.

    Of strategies that had little to choose from it says so, and names none the best.
    """
    load, names = f"At {load_told(compared)}", compared.queries or list(compared.asked) or ["all queries"]
    queries = listed([shown(name) for name in names])
    told = compared.attainable
    if not told:
        return f"{load} no strategy was tried for {queries}."
    if not told[0].measures["matches"].mean:
        return f"{load} nothing could be missed: {queries} had no matches on this day."
    if not any(one.dropped for one in told):
        return f"{load} nothing would have been dropped, so that none of the matches of {queries} would be missed."
    first = next((one for one in told if one.strategy == PSPICE.name), told[0])
    if not any(one.dropped for one in told if one.strategy != EVENTS_BY_TYPE.name):
        return f"{load} no partial match would have had to go, so that no match would be missed{_too_early(told)}."
    sentence = f"{load} {shown(first.strategy)} would have missed {_lost(first)} of the matches of {queries}"
    chance = next((one for one in told if one.strategy == AT_RANDOM.name and one is not first), None)
    if chance is not None:
        sentence += f", dropping at random {_lost(chance)}"
    if compared.little_choice:
        assert compared.choice is not None
        return (
            f"{sentence}; that says nothing about strategies: in only {share(compared.choice)} of the drops was there "
            "a choice, in the others everything had to go."
        )
    return f"{sentence}; {_best(told, first)}{_within(told)}."


def _too_early(told: Sequence[SheddingOutcome]) -> str:
    """What dropping events would have missed where dropping partial matches was not needed."""
    events = next((one for one in told if one.strategy == EVENTS_BY_TYPE.name and one.lost), None)
    if events is None:
        return ""
    missed = _lost(events)
    return f"; {events.strategy}, which drops events and begins at half of the bound, would have missed {missed}"


def load_told(compared: SheddingComparison) -> str:
    """The load of which is told, and over what it is."""
    return f"{share(compared.told.load)} load over {over_what(compared, compared.told.over)}"


def over_what(compared: SheddingComparison, over: str) -> str:
    """What a load is over, in words."""
    if over == DAY:
        return "the day"
    hours = compared.busiest_hours
    return "the busiest hour" if hours == 1 else f"the busiest {hours or ''} hours".replace("  ", " ")


def choice_told(compared: SheddingComparison) -> str:
    """How often something had to go, and whether there was a choice; empty where nothing had to."""
    told = [one.measures for one in compared.attainable if "choice" in one.measures]
    if not told or compared.choice is None:
        return ""
    least, most = (round(end(its["drops"].mean for its in told)) for end in (min, max))
    events = counted(most, "event") if least == most else f"{least} to {counted(most, 'event')}"
    return (
        f"Under the strategies that drop partial matches, some had to go for {events} of the day; in "
        f"{share(compared.choice)} of these drops fewer than there were, so that there was a choice."
    )


def yardsticks(compared: SheddingComparison) -> str:
    """What even those who know the future would have missed, and what no strategy can do better than.

    Where strategies are alike although they had a choice, why they are.
    """
    known, least = compared.outcome(CLAIRVOYANT.name), compared.least_lost(compared.told)
    told = [one for one in compared.attainable if one.strategy != EVENTS_BY_TYPE.name]
    if not any(one.dropped for one in told):
        return ""
    parts = []
    if known is not None:
        missed = _lost(known) if known.lost else "none"
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
        parts[0] = f"{share(useless.mean)} of what partial matches cost leads to no match: {parts[0]}"
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}.{_why_alike(compared, told)}"


def _why_alike(compared: SheddingComparison, told: Sequence[SheddingOutcome]) -> str:
    """Why strategies that drop partial matches lose alike; nothing where they do not, or where there was no choice."""
    best, worst = told[0].lost, told[-1].lost
    if compared.little_choice or len(told) == 1 or worst - best > ALIKE * worst:
        return ""
    known, least = compared.outcome(CLAIRVOYANT.name), compared.least_lost(compared.told)
    if least is not None and best - least <= ALIKE * best:
        return " The strategies that drop partial matches miss alike because the least possible is as much."
    if known is not None and best - known.lost > ALIKE * best:
        return (
            " The strategies that drop partial matches miss alike because what they know of one, its query, how far it "
            "has come and how long it has left, does not tell which will complete."
        )
    return " The strategies that drop partial matches miss alike, and so does the clairvoyant."


def _best(told: Sequence[SheddingOutcome], first: SheddingOutcome) -> str:
    """Who would have missed the fewest, against the one that the sentence began with, or else the next."""
    best, *rivals = told
    if best is not first and best.strategy == AT_RANDOM.name:
        return f"the latter would have been the best{_fewer(best, first)}"
    if best is not first:
        return f"{_called(best)} would have been the best with {_lost(best)}{_fewer(best, first)}"
    if not rivals:
        return "no other strategy was tried"
    equals = [_called(one) for one in rivals if one.lost == best.lost]
    if equals:
        return f"none would have been better, {listed(equals)} as good"
    if _is_chance(best, rivals[0]):
        return f"that would have been the best, though {_called(rivals[0])} is no further behind than seeds differ"
    return f"that would have been the best, ahead of {_called(rivals[0])}{_fewer(best, rivals[0])}"


def _within(told: Sequence[SheddingOutcome]) -> str:
    """Whether the best kept the latency bound, and if not, which is the best of those that did."""
    best = told[0]
    if not best.late:
        return ""
    kept = [one for one in told if not one.late]
    others = f"; of those that keep it, {_called(kept[0])} with {_lost(kept[0])}" if kept else ", as with every other"
    return f", though with {share(best.late)} of the events beyond the latency bound{others}"


def _called(outcome: SheddingOutcome) -> str:
    record = strategy_named(outcome.strategy)
    return record.spoken if record is not None and record.spoken else shown(outcome.strategy)


def _fewer(one: SheddingOutcome, other: SheddingOutcome) -> str:
    """By how much one misses fewer, and whether chance alone makes such a difference."""
    if one.lost >= other.lost:
        return ""
    within = " (no more than seeds differ)" if _is_chance(one, other) else ""
    return f", {share(1 - one.lost / other.lost)} fewer{within}"


def _is_chance(one: SheddingOutcome, other: SheddingOutcome) -> bool:
    """Whether the better of two leads by no more than a standard deviation over seeds."""
    return other.lost - one.lost <= max(own.measures["lost"].deviation for own in (one, other))


def _lost(outcome: SheddingOutcome) -> str:
    found = outcome.measures["lost"]
    return share(found.mean) + (f" (± {share(found.deviation)})" if found.deviation else "")


def bound_kept(compared: SheddingComparison) -> str:
    """How often the latency bound did not hold: without shedding, and under each strategy that broke it."""
    bound, without, told = virtual(compared.bound_ns), compared.outcome(UNSHED.name), compared.attainable
    broken = [one for one in told if one.late]
    each = listed([f"{shown(one.strategy)} {share(one.late)}" for one in broken], 8)
    if without is None:
        if not broken:
            return f"Under every strategy all events would have been within the bound of {bound}."
        return f"Of the events, under {each} would have been later than the bound of {bound}{_others(told, broken)}."
    if not without.late and not broken:
        return f"Even without shedding every event would have been within the bound of {bound}."
    sentence = f"Without shedding {share(without.late)} of the events would have been later than the bound of {bound}"
    if not told:
        return f"{sentence}."
    if not broken:
        return f"{sentence}; under every strategy none."
    return f"{sentence}; under {each} would still have been{_others(told, broken)}."


def _others(told: Sequence[SheddingOutcome], broken: Sequence[SheddingOutcome]) -> str:
    kept = [shown(one.strategy) for one in told if one not in broken]
    if not kept:
        return ""
    return f", under {kept[0] if len(kept) == 1 else f'the other {len(kept)} strategies'} none"
