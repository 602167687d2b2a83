"""Statements of pSPICE's experiments, checked against our own numbers (section IV-B, Fig. 5 to 9).

A relation checks the summary of a grid. It says whether it holds there, and with which numbers. The paper's own
numbers are not compared, because its data, machine and cost of an event differ from ours.

Differences are between means over seeds; a difference below `TIE` (a percentage point) counts as equal. A strategy that
should lose less everywhere may lose as much in some places, but not on average.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cep_core.experiments.grids.summaries import Point, Summary
from cep_core.shedding.shedders import pspice
from cep_core.shedding.shedders.chance import AT_RANDOM
from cep_core.shedding.shedders.events import EVENTS_BY_TYPE
from cep_core.shedding.shedders.nothing import UNSHED

TIE = 0.01

OURS, TIMELESS, CHANCE, EVENTS = pspice.PSPICE.name, pspice.TIMELESS.name, AT_RANDOM.name, EVENTS_BY_TYPE.name

LIKELY = 0.81
"""The match probability above which the paper lets random dropping win (Fig. 5b)."""


@dataclass(frozen=True)
class PaperVerdict:
    """Whether a relation holds, and the numbers in words."""

    agrees: bool
    finding: str


@dataclass(frozen=True)
class PaperRelation:
    """`says`: the paper's statement, in our words."""

    says: str
    judge: Callable[[Summary], PaperVerdict]


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def _where(point: Point) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in point.setting.items())


def _ends(summary: Summary, axis: str, strategy: str, metric: str = "lost") -> tuple[float, float, str]:
    """A metric at the lowest and the highest place of an axis, each averaged over the other axes."""
    points = summary.along(axis, strategy)
    values = sorted({_place(point, axis) for point in points})
    low, high = (_mean([p[metric] for p in points if _place(p, axis) == end]) for end in (values[0], values[-1]))
    return low, high, f"{strategy} {_percent(low)} to {_percent(high)}"


def _place(point: Point, axis: str) -> float:
    return point.setting[axis] if axis in point.setting else point[axis]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _loses_less_unless_likely(summary: Summary) -> PaperVerdict:
    pairs = [
        (own, rival)
        for own, rival in summary.pairs("match_probability", OURS, CHANCE)
        if own["match_probability"] <= LIKELY
    ]
    numbers = "; ".join(f"{_percent(own['lost'])} against {_percent(rival['lost'])}" for own, rival in pairs)
    return PaperVerdict(_loses_less(pairs), f"{OURS} against {CHANCE}: {numbers}")


def _loses_less(pairs: Sequence[tuple[Point, Point]]) -> bool:
    """Whether the first of each pair never loses more, and less on average."""
    gaps = [rival["lost"] - own["lost"] for own, rival in pairs]
    return bool(gaps) and min(gaps) >= -TIE and _mean(gaps) > TIE


def _chance_wins_when_likely(summary: Summary) -> PaperVerdict:
    pairs = [
        (own, rival)
        for own, rival in summary.pairs("match_probability", OURS, CHANCE)
        if own["match_probability"] > LIKELY
    ]
    numbers = "; ".join(f"{_percent(own['lost'])} against {_percent(rival['lost'])}" for own, rival in pairs)
    agrees = bool(pairs) and all(rival["lost"] < own["lost"] for own, rival in pairs)
    return PaperVerdict(agrees, f"{OURS} against {CHANCE}: {numbers}")


def _grows_with_match_probability(summary: Summary) -> PaperVerdict:
    low, high, own = _ends(summary, "match_probability", OURS)
    less, more, rival = _ends(summary, "match_probability", CHANCE)
    return PaperVerdict(low < high and less < more, f"{own}, {rival}")


def _advantage_shrinks(summary: Summary) -> PaperVerdict:
    ratios = [rival["lost"] / max(own["lost"], TIE) for own, rival in summary.pairs("match_probability", OURS, CHANCE)]
    finding = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    return PaperVerdict(
        ratios[0] > ratios[-1], f"{CHANCE}'s loss over {OURS}'s, by rising match probability: {finding}"
    )


def _events_gain(summary: Summary) -> PaperVerdict:
    low, high, numbers = _ends(summary, "match_probability", EVENTS)
    return PaperVerdict(low > high, f"{numbers} from the lowest to the highest match probability")


def _events_win_only_when_likely(summary: Summary) -> PaperVerdict:
    pairs = summary.pairs("match_probability", OURS, EVENTS)
    numbers = [
        f"{_percent(own['match_probability'])}: {_percent(own['lost'])} against {_percent(rival['lost'])}"
        for own, rival in pairs
    ]
    (first, first_events), (last, last_events) = pairs[0], pairs[-1]
    agrees = first["lost"] < first_events["lost"] and last["lost"] > last_events["lost"]
    return PaperVerdict(agrees, f"{OURS} against {EVENTS} at match probability " + "; ".join(numbers))


def _more_load_more_loss(summary: Summary) -> PaperVerdict:
    numbers, agrees = [], True
    for strategy in (OURS, CHANCE, EVENTS):
        lost = [point["lost"] for point in summary.along("load", strategy)]
        falls = any(later < earlier - TIE for earlier, later in pairwise(lost))
        agrees = agrees and lost[0] < lost[-1] and not falls
        numbers.append(f"{strategy} {', '.join(map(_percent, lost))}")
    return PaperVerdict(agrees, "; ".join(numbers))


def _best_at_every_load(summary: Summary) -> PaperVerdict:
    return _best_of(summary, (CHANCE, EVENTS))


def _better_than_chance_at_every_load(summary: Summary) -> PaperVerdict:
    return _best_of(summary, (CHANCE,))


def _best_of(summary: Summary, rivals: Sequence[str]) -> PaperVerdict:
    by_rival = {name: summary.pairs("load", OURS, name) for name in rivals}
    numbers = [
        f"{name} " + "; ".join(f"{_percent(own['lost'])} against {_percent(rival['lost'])}" for own, rival in pairs)
        for name, pairs in by_rival.items()
    ]
    return PaperVerdict(all(map(_loses_less, by_rival.values())), f"{OURS} against " + ", against ".join(numbers))


def _keeps_the_bound(summary: Summary) -> PaperVerdict:
    late = max(point["late_events"] for point in summary.along("load", OURS))
    return PaperVerdict(late == 0.0, f"share of {OURS}'s events above the bound, at most: {100 * late:.3f} %")


def _bound_breaks_without(summary: Summary) -> PaperVerdict:
    late = min(point["late_events"] for point in summary.along("load", UNSHED.name))
    return PaperVerdict(late > 0.0, f"share of late events without shedding, at least: {_percent(late)}")


def _time_matters(summary: Summary) -> PaperVerdict:
    pairs = summary.pairs("tau_factor", OURS, TIMELESS)
    numbers = [
        f"factor {own.setting['tau_factor']:g}: {_percent(own['lost'])} against {_percent(rival['lost'])}"
        for own, rival in pairs
    ]
    gaps = [rival["lost"] - own["lost"] for own, rival in pairs]
    agrees = gaps[-1] > TIE and gaps[-1] > gaps[0]
    return PaperVerdict(agrees, f"{OURS} against {TIMELESS} at " + "; ".join(numbers))


def _equal_at_low_factors(summary: Summary) -> PaperVerdict:
    own, rival = summary.pairs("tau_factor", OURS, TIMELESS)[0]
    gap = abs(own["lost"] - rival["lost"])
    spread = max(own.metrics["lost"].deviation, rival.metrics["lost"].deviation)
    numbers = f"{_percent(own['lost'])} against {_percent(rival['lost'])}, standard deviation {_percent(spread)}"
    return PaperVerdict(gap <= max(spread, TIE), numbers)


def _cheaper_than_events(summary: Summary) -> PaperVerdict:
    pairs = summary.pairs("window", OURS, EVENTS)
    numbers = "; ".join(
        f"window {own.setting['window']:g}: {100 * own['overhead']:.3f} % against {100 * rival['overhead']:.2f} %"
        for own, rival in pairs
    )
    return PaperVerdict(
        all(own["overhead"] < rival["overhead"] for own, rival in pairs), f"{OURS} against {EVENTS}, {numbers}"
    )


def _chance_is_cheaper_still(summary: Summary) -> PaperVerdict:
    pairs = summary.pairs("window", OURS, CHANCE)
    numbers = "; ".join(
        f"{100 * own['overhead']:.4f} % against {100 * rival['overhead']:.4f} %" for own, rival in pairs
    )
    return PaperVerdict(
        all(rival["overhead"] <= own["overhead"] for own, rival in pairs), f"{OURS} against {CHANCE}: {numbers}"
    )


def _model_takes_longer(summary: Summary) -> PaperVerdict:
    points = summary.along("window", OURS)
    times = [point["model_time"] for point in points]
    numbers = "; ".join(
        f"window {point.setting['window']:g}: {point['model_time'] / 1e6:.0f} virtual ms" for point in points
    )
    return PaperVerdict(all(shorter < longer for shorter, longer in pairwise(times)), numbers)


def _model_is_small(summary: Summary) -> PaperVerdict:
    most = max(point["model_share"] for point in summary.along("window", OURS))
    return PaperVerdict(most < TIE, f"at most {100 * most:.2f} % of what the judged events cost without shedding")


def _events_cost_grows(summary: Summary) -> PaperVerdict:
    low, high, numbers = _ends(summary, "window", EVENTS, "overhead")
    return PaperVerdict(low < high, f"{numbers} of all work from the smallest to the largest window")


RELATIONS = {
    "loses_less_unless_likely": PaperRelation(
        "pSPICE loses less than random dropping as long as not nearly every partial match completes (up to 81 %).",
        _loses_less_unless_likely,
    ),
    "chance_wins_when_likely": PaperRelation(
        "Where nearly every partial match completes (above 81 %), random dropping loses less.",
        _chance_wins_when_likely,
    ),
    "grows_with_match_probability": PaperRelation(
        "Both lose more where more of the partial matches complete.", _grows_with_match_probability
    ),
    "advantage_shrinks": PaperRelation(
        "pSPICE's advantage over random dropping is largest where few partial matches complete.", _advantage_shrinks
    ),
    "events_gain": PaperRelation("Dropping events loses less where more partial matches complete.", _events_gain),
    "events_win_only_when_likely": PaperRelation(
        "Dropping events is worse than pSPICE where few partial matches complete, and better where most do.",
        _events_win_only_when_likely,
    ),
    "more_load_more_loss": PaperRelation("Every strategy loses more at a higher rate of events.", _more_load_more_loss),
    "best_at_every_load": PaperRelation(
        "pSPICE loses less than random dropping and than dropping events, whatever the rate.", _best_at_every_load
    ),
    "better_than_chance_at_every_load": PaperRelation(
        "pSPICE loses less than random dropping, whatever the rate.", _better_than_chance_at_every_load
    ),
    "keeps_the_bound": PaperRelation("pSPICE always keeps the latency bound.", _keeps_the_bound),
    "bound_breaks_without": PaperRelation("Without shedding the bound would break.", _bound_breaks_without),
    "time_matters": PaperRelation(
        "The dearer one query's partial matches are, the more it helps to divide by their remaining time.",
        _time_matters,
    ),
    "equal_at_low_factors": PaperRelation(
        "Where both queries' partial matches cost alike, remaining time makes no difference.", _equal_at_low_factors
    ),
    "cheaper_than_events": PaperRelation(
        "Choosing and dropping partial matches costs less than dropping events, at every window.", _cheaper_than_events
    ),
    "chance_is_cheaper_still": PaperRelation(
        "Random dropping costs slightly less than pSPICE, which sorts.", _chance_is_cheaper_still
    ),
    "events_cost_grows": PaperRelation("Dropping events costs more the more windows overlap.", _events_cost_grows),
    "model_takes_longer": PaperRelation("Building the model takes longer the larger the window.", _model_takes_longer),
    "model_is_small": PaperRelation(
        "Building the model is small against the run, so that it can be built anew at any time.", _model_is_small
    ),
}
"""The relations, by the names that grids use."""


def judged(summary: Summary, names: Iterable[str]) -> dict[str, PaperVerdict]:
    """The verdict on each relation. Raises KeyError for an unknown one."""
    return {name: RELATIONS[name].judge(summary) for name in names}
