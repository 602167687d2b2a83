"""What a slower machine would have missed, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.reports.quantities import share, virtual
from jobs.reports.shedding_comparison import AT_RANDOM, LOOK_AHEAD, NONE, PSPICE, Outcome, Shedding
from jobs.reports.values import listed, shown

QUESTION = "What would a machine too slow for the day have missed?"


def answer(compared: Shedding) -> str:
    """What pSPICE and chance would have missed, and which strategy would have missed the fewest, by how much."""
    load, names = share(compared.load), compared.queries or list(compared.asked) or ["all queries"]
    queries = listed([shown(name) for name in names])
    told = compared.attainable
    if not told:
        return f"At {load} load no strategy was tried for {queries}."
    if not told[0].measures["matches"].mean:
        return f"At {load} load nothing could be missed: {queries} had no matches on this day."
    if not any(one.dropped for one in told):
        return (
            f"At {load} load nothing would have been dropped, so that none of the matches of {queries} would be missed."
        )
    first = next((one for one in told if one.strategy == PSPICE), told[0])
    sentence = f"At {load} load {shown(first.strategy)} would have missed {_lost(first)} of the matches of {queries}"
    chance = next((one for one in told if one.strategy == AT_RANDOM and one is not first), None)
    if chance is not None:
        sentence += f", dropping at random {_lost(chance)}"
    return f"{sentence}; {_best(told, first)}{_within(told)}."


def _best(told: Sequence[Outcome], first: Outcome) -> str:
    """Who would have missed the fewest, against the one that the sentence began with, or else the next."""
    best, *rivals = told
    if best is not first and best.strategy == AT_RANDOM:
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


def _within(told: Sequence[Outcome]) -> str:
    """Whether the best kept the latency bound, and if not, which is the best of those that did."""
    best = told[0]
    if not best.late:
        return ""
    kept = [one for one in told if not one.late]
    others = f"; of those that keep it, {_called(kept[0])} with {_lost(kept[0])}" if kept else ", as with every other"
    return f", though with {share(best.late)} of the events beyond the latency bound{others}"


def _called(outcome: Outcome) -> str:
    return "dropping at random" if outcome.strategy == AT_RANDOM else shown(outcome.strategy)


def _fewer(one: Outcome, other: Outcome) -> str:
    """By how much one misses fewer, and whether chance alone makes such a difference."""
    if one.lost >= other.lost:
        return ""
    within = " (no more than seeds differ)" if _is_chance(one, other) else ""
    return f", {share(1 - one.lost / other.lost)} fewer{within}"


def _is_chance(one: Outcome, other: Outcome) -> bool:
    """Whether the better of two leads by no more than a standard deviation over seeds."""
    return other.lost - one.lost <= max(own.measures["lost"].deviation for own in (one, other))


def _lost(outcome: Outcome) -> str:
    found = outcome.measures["lost"]
    return share(found.mean) + (f" (± {share(found.deviation)})" if found.deviation else "")


def bound_kept(compared: Shedding) -> str:
    """How often the latency bound did not hold: without shedding, and under each strategy that broke it."""
    bound, without, told = virtual(compared.bound_ns), compared.outcome(NONE), compared.attainable
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


def out_of_reach(compared: Shedding) -> str:
    """What even knowing the future of each partial match would have missed: how much better any strategy could be."""
    known = compared.outcome(LOOK_AHEAD)
    if known is None or not known.dropped:
        return ""
    return f"Knowing what would become of each partial match, which nobody can, would still have missed {_lost(known)}."


def _others(told: Sequence[Outcome], broken: Sequence[Outcome]) -> str:
    kept = [shown(one.strategy) for one in told if one not in broken]
    if not kept:
        return ""
    return f", under {kept[0] if len(kept) == 1 else f'the other {len(kept)} strategies'} none"
