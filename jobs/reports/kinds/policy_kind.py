"""Reports of policies, of any language: violations and episodes, whose they are, when, against other days, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from jobs.reports.answers import causes, episodes, truths, violations
from jobs.reports.answers.changes import compare
from jobs.reports.answers.concentration import Concentration, concentration, leaders
from jobs.reports.answers.points.events_then import Row, naming
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.violations.band import band_figure
from jobs.reports.figures.violations.by_day import by_day_figure
from jobs.reports.figures.violations.cause_lines import cause_lines_figure
from jobs.reports.figures.violations.moments import moments_figure
from jobs.reports.kinds.matching_kind import totals_of
from jobs.reports.kinds.presentation import Presentation
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.query_report import EvaluatedDay, QueryReport, Section, notices_of
from jobs.reports.questions import Question
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import Magnitude, counted, quantity


def _report(evaluated: EvaluatedDay, results: pa.Table) -> QueryReport:
    """`results`: the listed violations of the day."""
    record = evaluated.records[evaluated.day]
    totals = totals_of(record)
    runs = evaluated.reader.read(f"{evaluated.name}_episodes", evaluated.day, evaluated.day)
    number = record.get("episodes")
    if number is None and runs is not None:  # a result of an older program
        number = episodes.number_of(runs, violations.number_of(totals))
    columns = violations.valued(results)
    atoms = evaluated.question.bound.evaluator().atoms
    named = violations.titles_of(columns, atoms, evaluated.query.schema)
    whose = concentration(results, columns, named)
    answer = violations.answer(results, totals, evaluated.day, whose, number)
    numbers = _counts(evaluated.records)
    early = violations.before_the_day(results, evaluated.interval)
    before = f", {counted(early, 'violation')} happened before the day" if early else ""
    return QueryReport(
        evaluated.question,
        notices_of(evaluated, answer),
        answer,
        compare(evaluated.day, answer.headline, set(evaluated.records), numbers),
        violations.listing(
            results,
            evaluated.clock,
            named,
            evaluated.interval,
            whose,
            _events_then(evaluated, columns),
            measures=set(columns) - violations.titles(atoms, evaluated.query.schema).keys(),
        ),
        _figures(evaluated, results, runs, whose, number, cut=totals.truncated),
        periods=violations.by_period(results, evaluated.interval),
        listed=results.num_rows if totals.truncated else None,
        peak=lambda most: f"at most {counted(most, 'violation')} in an hour{before}",
        remark=violations.late_note(results, evaluated.interval, evaluated.clock),
        sections=tuple(_sections(evaluated, runs, whose, named, violations.number_of(totals), cut=totals.truncated)),
    )


def _events_then(evaluated: EvaluatedDay, columns: Sequence[str]) -> Callable[[Sequence[Row]], list[str]] | None:
    """Names the events at the moments of violations; None if their columns do, or nothing says what identifies them."""
    evaluator, query = evaluated.question.bound.evaluator(), evaluated.query
    propositions = getattr(query, "atoms", None)  # of a propositional policy, any event makes a point
    kinds = {atom.event_type for atom in propositions.values()} if propositions else evaluator.reads.keys()
    how = naming(evaluator, query.schema, columns, kinds)
    if how is None:
        return None

    def cells(violated: Sequence[Row]) -> list[str]:
        if not violated:
            return []
        moments = sorted({int(row["ts"]) for row in violated})
        first = min(evaluated.days.day_of(moments[0]), evaluated.day)
        wanted = pc.field("ts").isin(pa.array(moments, pa.int64()))
        wanted &= pc.field("event_type").isin(sorted(how.identifying))
        chosen = ["event_type", "ts", "seq", *sorted(how.attributes)]
        return how.cells(violated, rows(evaluated.reader.read("events", first, evaluated.day, chosen, wanted)))

    return cells


def _figures(
    evaluated: EvaluatedDay,
    results: pa.Table,
    runs: pa.Table | None,
    whose: Concentration | None,
    number: int | None,
    *,
    cut: bool,
) -> tuple[Figure, ...]:
    name, day, clock = evaluated.name, evaluated.day, evaluated.clock
    violated = {on: int(count.exact or 0) for on, count in _counts(evaluated.records).items()}
    bands = None
    if runs is not None:
        total = runs.num_rows if number is None else number
        bands = band_figure(name, runs, whose, evaluated.interval, day, clock, total)
    drawn = (
        by_day_figure(name, violated, day),
        moments_figure(name, results, evaluated.interval, day, clock, cut=cut),
        bands,
    )
    return tuple(figure for figure in drawn if figure is not None)


def _sections(
    evaluated: EvaluatedDay,
    runs: pa.Table | None,
    whose: Concentration | None,
    named: Mapping[str, str],
    total: int,
    *,
    cut: bool,
) -> list[Section]:
    name, clock = evaluated.name, evaluated.clock
    sections = []
    if whose is not None:
        by_value = leaders(whose, runs, clock, cut=cut)
        shown = len(by_value.cells)
        which = f"The first {shown} of {quantity(by_value.total)}" if by_value.total > shown else f"All {shown}"
        alone = "" if whose.alone else " No other column of the result concentrates as much."
        summary = f"{which} values, {by_value.order}.{alone}"
        sections.append(Section("leaders", f"Violations by {whose.title}", summary, by_value, f"{name}-by-key.csv"))
    lasting = None if runs is None else episodes.listing(runs, clock, named, evaluated.interval, whose)
    if lasting is not None:
        summary = f"Runs of time-points at which the same values violate the policy, {lasting.order}."
        file, link = f"{name}-longest-episodes.csv", "Listed episodes as CSV"
        sections.append(Section("episodes", "Longest episodes", summary, lasting, file, link))
    if (why := _causes(evaluated, total, runs)) is not None:
        sections.append(why)
    if (often := _truths(evaluated)) is not None:
        sections.append(often)
    return sections


def _truths(evaluated: EvaluatedDay) -> Section | None:
    """How often each part of the formula is true; None for policies that do not tell it."""
    name, day = evaluated.name, evaluated.day
    parts = evaluated.reader.read(f"{name}_truths", day, day)
    table = None if parts is None else truths.listing(parts.to_pylist())
    if parts is None or table is None:
        return None
    points = quantity(parts["points"][0].as_py())
    summary = f"Of the {points} time-points with an event of the policy, at how many each part of the formula is true."
    return Section("formula", "The formula, part by part", summary, table, f"{name}-truths.csv")


def _those(number: int, total: int, what: str, chosen: str) -> str:
    """Which of `total` violations or episodes are told.

    >>> _those(10, 182, "violation", "first"), _those(3, 3, "violation", "first"), _those(1, 1, "episode", "longest")
    ('10 violations, the first of 182', 'all 3 violations', 'the only episode')
    """
    if number < total:
        return f"{counted(number, what)}, the {chosen} of {quantity(total)}"
    return f"the only {what}" if number == 1 else f"all {counted(number, what)}"


def _causes(evaluated: EvaluatedDay, total: int, runs: pa.Table | None) -> Section | None:
    """The causes of the day's first violations, or of its longest episodes; None if none is explained."""
    claims = evaluated.reader.read(f"{evaluated.name}_why", evaluated.day, evaluated.day)
    if claims is None or not claims.num_rows:
        return None
    clock = evaluated.clock
    explained = causes.explained(claims, _events_named(evaluated, claims))
    by_episode = runs if causes.SHARED[0] in claims.column_names else None
    if by_episode is not None:
        total = evaluated.records[evaluated.day].get("episodes") or by_episode.num_rows
        explained = causes.longest_first(explained, episodes.longest(by_episode, by_episode.num_rows))
    listing = causes.listing(explained, clock, evaluated.query.schema)
    kinds = list(evaluated.query.schema.types)
    figure = cause_lines_figure(
        evaluated.name, explained, kinds, total, evaluated.day, clock, of_episodes=by_episode is not None
    )
    untold = sum(not violation.has_proof for violation in explained)
    number, chosen, proven = len(explained), "first", "it"
    what = "violation"
    if by_episode is not None:
        what, chosen, proven = "episode", "longest", "the first violation"
    which = f"Of {_those(number, total, what, chosen)}: the events that prove {proven}, and "
    summary = f"{which}the events that would have kept the policy and are not there."
    if untold == len(explained):
        summary = f"The proofs of the first {counted(untold, 'violation')} are too large to be told."
    elif untold:
        summary += f" {untold} of the proofs {'is' if untold == 1 else 'are'} too large to be told."
    if in_part := sum(violation.has_proof and bool(violation.untold) for violation in explained):
        summary += f" {in_part} of the proofs {'is' if in_part == 1 else 'are'} too large to be told whole."
    if alike := len(explained) - len(causes.that_differ(explained)):
        share = "shares" if alike == 1 else "share"
        summary += f" The table leaves out {alike} that {share} most of their events with others."
    proofs = tuple(
        (f"Proof: {violation.title(clock)}", _proof(violation, clock)) for violation in explained if violation.has_proof
    )
    return Section(
        "causes", "Causes", summary, listing, f"{evaluated.name}-why.csv", details=proofs, figure=figure, wide=True
    )


def _proof(violation: causes.ExplainedViolation, clock: Clock) -> str:
    shared = violation.same_for
    return violation.proof(clock) + (f"\n{shared[0].upper()}{shared[1:]} of this episode." if shared else "")


def _events_named(evaluated: EvaluatedDay, claims: pa.Table) -> list[dict[str, Any]]:
    """The events that claims name, from the days in which they lie."""
    named = claims.filter(pc.is_valid(claims["seq"]))
    if not named.num_rows:
        return []
    first = min(evaluated.days.day_of(pc.min(named["at_ts"]).as_py()), evaluated.day)
    wanted = pc.field("seq").isin(pc.unique(named["seq"]))
    return rows(evaluated.reader.read("events", first, evaluated.day, where=wanted), "seq")


def _counts(records: Mapping[date, Mapping[str, Any]]) -> dict[date, Magnitude]:
    return {day: Magnitude.of(violations.number_of(totals_of(record))) for day, record in records.items()}


def _headlines(
    question: Question, records: Mapping[date, Mapping[str, Any]], reader: LakeReader
) -> dict[date, Magnitude]:
    return _counts(records)


VIOLATIONS = Presentation(_report, _headlines, lambda question: violations.UNIT, noun="policy")
