"""Explanations for a person: why events are a match, why other events are not, and why there is no match at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cep_core.engines import evaluator_of
from cep_core.language.budget import Budget, WorkExhausted
from cep_core.language.patterns.query import Strategy
from cep_core.language.patterns.tree import Conjunction
from cep_core.language.settings import Settings
from cep_core.matches.obstacles import obstacles
from cep_core.matches.reasons import runs_from
from cep_core.matching.imprecise.why import confidence_of_pair, orders_of_match
from cep_core.matching.match_path import Path
from cep_core.matching.why.nearest import nearest_binding
from cep_core.matching.why.pair_verdicts import PairJudge
from cep_core.matching.why.verdicts import Judge, Kind, Verdict, deciding
from cep_core.progress.ranges import Tick, evaluate
from jobs.exits import WrongWorkload
from jobs.log_files.matches import LogMatches
from jobs.reports.words.quantities import Magnitude, counted, share
from jobs.reports.words.values import listed, shown

_AT_MOST = 4
"""How many values of one condition are shown, and how many orders of one match."""
_ORDERS = 1_000_000
"""The most steps for finding the orders of one match."""
_EVENTS = 8
"""The most events of one order that are named."""


def why(matches: LogMatches, judge: Judge | PairJudge, path: Path, window_start: int | None) -> Iterator[str]:
    """Each condition of a match with the values that made it hold, the deciding one last."""
    if matches.query.confidence is not None:
        yield from _why_so_likely(matches, judge, path)
        return
    verdicts = judge.verdicts(path, window_start)
    decided = deciding(verdicts)
    yield f"  why: {_binding(matches, path)}"
    for verdict in verdicts:
        if verdict is not decided:
            yield f"    {_verdict_text(matches, verdict)}"
    if decided is not None:
        when = f"row {_seq(matches, decided.decided)} at {matches.clock.short(_ts(matches, decided.decided))}"
        yield f"    decided by {_verdict_text(matches, decided)}, with {when}"


def _why_so_likely(matches: LogMatches, judge: Judge | PairJudge, path: Path) -> Iterator[str]:
    """The conditions in the likeliest order of the events that passes them, then each order with its share."""
    query = matches.query
    assert query.confidence is not None
    is_pair = isinstance(query.pattern, Conjunction)
    yield f"  why: {_binding(matches, path)}"
    try:
        orders = [] if is_pair else orders_of_match(query, matches.log.events, path, Budget(_ORDERS))
    except WorkExhausted:
        yield "    its events may come in more orders than can be listed"
        return
    for verdict in judge.verdicts(path if is_pair else orders[0].path):
        if verdict.kind not in (Kind.ORDER, Kind.WINDOW, Kind.ABSENCE):
            yield f"    {_verdict_text(matches, verdict)}"
    width = matches.clock.length(query.window.size)
    for order in orders[:_AT_MOST]:
        rows = ", ".join(str(_seq(matches, row)) for row, _ in order.path[:_EVENTS])
        rows += ", ..." if len(order.path) > _EVENTS else ""
        fails = "" if order.holds else ": no match, as a condition fails"
        yield f"    {share(order.probability)} of all worlds: rows {rows} in this order, within {width}{fails}"
    if len(orders) > _AT_MOST:
        rest = sum(order.probability for order in orders[_AT_MOST:] if order.holds)
        yield f"    {share(rest)} of all worlds: {counted(len(orders) - _AT_MOST, 'other order')}"
    confidence = sum(order.probability for order in orders if order.holds)
    if is_pair:
        confidence, sides = confidence_of_pair(query, matches.log.events, path)
        for name, likely in zip(("left", "right"), sides, strict=True):
            yield f"    {share(likely)} of all worlds have the match on the {name}"
        yield f"    {share(confidence)} have both within {width}"
    comparison = "more than" if query.confidence.strict else "at least"
    yield f"    confidence {confidence:.3g}, {comparison} {query.confidence.threshold:g} is asked for"


def why_not(
    matches: LogMatches, judge: Judge | PairJudge, seqs: Sequence[int], budget: Budget, said: Path | None = None
) -> Iterator[str]:
    """Why these events, by `seq`, are no match: the failed conditions of the binding that fails the fewest.

    `said`: the one binding that is asked about.
    """
    unknown = [str(seq) for seq in seqs if matches.row_of(seq) is None]
    if unknown:
        raise WrongWorkload(f"no event of the log is row {listed(unknown)}")
    places = sorted(place for seq in set(seqs) if (place := matches.row_of(seq)) is not None)
    rows = _rows(matches, places)
    try:
        nearest = nearest_binding(judge, places)
    except ValueError as refusal:
        raise WrongWorkload(f"--why-not: {refusal}") from refusal
    if nearest is None:
        kinds = listed([shown(matches.event(place)["event_type"]) for place in places], len(places))
        yield f"{rows}: the pattern binds no {kinds} in this order"
        return
    path, verdicts = nearest
    if said is not None and said != path:
        if said not in judge.bindings(places):
            yield f"{rows}: the pattern does not bind them as {_binding(matches, said)}"
            return
        path, verdicts = said, judge.verdicts(said)
    failing = [verdict for verdict in verdicts if not verdict.holds]
    if not failing:
        yield from _passed_over(matches, path, rows, budget)
        return
    yield f"{rows}: no match, as {_binding(matches, path)}"
    for verdict in sorted(verdicts, key=lambda verdict: verdict.holds):
        yield f"  {'holds' if verdict.holds else 'fails'}  {_verdict_text(matches, verdict)}"


def why_none(matches: LogMatches, tick: Tick, budget: Budget) -> Iterator[str]:
    """The number of matches if one condition is left out, most first. Each count is within the budget."""
    query, events = matches.query, matches.log.events
    every = list(obstacles(query, events, lambda evaluator: evaluate(evaluator, events, tick), budget))
    matching = sorted((each for each in every if each.matches), key=lambda each: each.matches or 0, reverse=True)
    for obstacle in matching:
        window = f"WITHIN {matches.clock.length(query.window.size)}" if not query.window.events else "WITHIN"
        condition = window if obstacle.condition == "WITHIN" else obstacle.condition
        many = counted(Magnitude.of(obstacle.matches), "match", "matches")
        yield f"  without {condition}: {'' if obstacle.exact else 'at least '}{many}"
    unknown = [obstacle for obstacle in every if obstacle.matches is None]
    for obstacle in unknown:
        yield f"  without {obstacle.condition}: not known, because the budget of work is too small (--work)"
    if not matching and not unknown:
        yield "  leaving out any single condition gives no match either: more than one is in the way"


def _passed_over(matches: LogMatches, path: Path, rows: str, budget: Budget) -> Iterator[str]:
    """For a binding of which every condition holds: it is a match, or the strategy took other events."""
    query, places = matches.query, [place for place, _ in path]
    if query.strategy is Strategy.ANY:
        yield f"{rows}: a match, as {_binding(matches, path)}"
        return
    evaluator = evaluator_of(query, Settings(budget=budget))
    listed_matches = evaluate(evaluator, matches.log.events, lambda done, of: None)
    started = runs_from(query, matches.by_seq, listed_matches, places[0])
    if path in started:
        yield f"{rows}: a match, as {_binding(matches, path)}"
        return
    yield f"{rows}: every condition holds as {_binding(matches, path)}, but the strategy is {query.strategy.value}"
    if isinstance(query.pattern, Conjunction):
        yield "  and the runs of the two sides are others"
    elif started:
        yield f"  the run from the first of them took {_rows(matches, [place for place, _ in started[0]])}"
    else:
        yield "  the run from the first of them came to no match"


def _verdict_text(matches: LogMatches, verdict: Verdict) -> str:
    clock, query = matches.clock, matches.query
    if verdict.kind is Kind.EQUIVALENCE:
        return f"{verdict.said}: {listed(list(verdict.values), _AT_MOST)}{' in every event' if verdict.holds else ''}"
    if verdict.kind is Kind.WINDOW:
        if query.window.events and query.window.slide is None:
            return f"within {query.window.size:,} events: {verdict.values[0]}"
        if query.window.events:
            return f"inside its window of {query.window.size:,} events"
        if query.window.slide is None:
            return f"within {clock.length(query.window.size)}: {clock.length(int(verdict.values[0]))}"
        return f"inside its window of {clock.length(query.window.size)}"
    if verdict.kind is Kind.ABSENCE and verdict.absence is not None:
        return f"{verdict.said} {_zone(matches, verdict)}"
    return f"{verdict.said}: {listed(list(verdict.values), _AT_MOST)}"


def _zone(matches: LogMatches, verdict: Verdict) -> str:
    absence = verdict.absence
    assert absence is not None
    sides = [
        f"{word} row {_seq(matches, place)}"
        for word, place in (("after", absence.after), ("before", absence.before))
        if place is not None
    ]
    where = " and ".join(sides)
    if not absence.happens:
        begin, end = absence.zone
        return f"{where}: {counted(max(end - begin, 0), 'event')} there, none makes it happen"
    return f"{where}: it happens, {_rows(matches, absence.happens)}"


def _binding(matches: LogMatches, path: Path) -> str:
    bound: dict[str, list[int]] = {}
    for place, name in path:
        bound.setdefault(name, []).append(place)
    order = [variable.name for variable in matches.query.positive if variable.name in bound]
    return "; ".join(f"{name} = {_rows(matches, bound[name])}" for name in order)


def _rows(matches: LogMatches, places: Sequence[int]) -> str:
    seqs = [str(_seq(matches, place)) for place in places]
    return f"row {seqs[0]}" if len(seqs) == 1 else f"rows {listed(seqs, 8)}"


def _seq(matches: LogMatches, place: int) -> int:
    return int(matches.log.events["seq"][place].as_py())


def _ts(matches: LogMatches, place: int) -> int:
    return int(matches.log.events["ts"][place].as_py())
