"""Reports of matching queries: the number of matches, their keys, and the foremost matches on a time line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cep_core.numbers.count_columns import from_digits
from jobs.reports.answers import matching
from jobs.reports.answers.answer import Answer
from jobs.reports.answers.attributes import latest_entity
from jobs.reports.answers.changes import compare
from jobs.reports.answers.event_index import EventIndex, are_among, seqs_of
from jobs.reports.answers.leaders import leaders
from jobs.reports.answers.listing import Listing
from jobs.reports.answers.matches import listed_matches
from jobs.reports.answers.matches.blocked import MOST_EVENTS, blocked
from jobs.reports.answers.matches.detail import MatchDetail, details_of
from jobs.reports.answers.matches.different import choose
from jobs.reports.answers.tallies import Piece, Tally, Totals, compact_columns, tallies_of
from jobs.reports.figures.pattern_picture import automaton_figure
from jobs.reports.figures.timeline import ROWS, timeline_figure
from jobs.reports.kinds.presentation import Presentation
from jobs.reports.lake_reader import LakeReader
from jobs.reports.query_report import EvaluatedDay, QueryReport, Section, notices_of
from jobs.reports.questions import Question
from jobs.reports.words.quantities import Magnitude, counted, quantity
from jobs.reports.words.values import listed


def _report(evaluated: EvaluatedDay, results: pa.Table) -> QueryReport:
    """`results`: the listed matches of the day."""
    query, totals = evaluated.query, totals_of(evaluated.records[evaluated.day])
    index = _events_of(evaluated, results, matching.variables(query), {"ts", *matching.attributes(query)})
    tallies = tallies_of(query, results, _compact_rows(evaluated), totals, index, evaluated.interval)
    whose = tallies.keys
    answer = matching.answer(query, results, totals, whose, index, evaluated.day, evaluated.clock)
    every = {on: totals_of(record) for on, record in evaluated.records.items()}
    change = compare(
        evaluated.day,
        answer.headline,
        set(every),
        {on: matching.magnitude_of(totals) for on, totals in every.items()},
        at_least={on for on, totals in every.items() if totals.total is None},
    )
    chosen = choose(query, results, index, whose)
    best = matching.exemplars(query, results, index, whose, chosen, ROWS)
    timeline = timeline_figure(query, evaluated.name, best, totals, whose, evaluated.day, evaluated.clock)
    return QueryReport(
        evaluated.question,
        notices_of(evaluated, answer),
        answer,
        change,
        listed_matches.listing(query, results, index, evaluated.clock, chosen),
        () if timeline is None else (timeline,),
        {period: Magnitude.of(count) for period, count in tallies.periods.counts.items()},
        tallies.periods.listed,
        lambda most: _peak(most, answer, tallies.periods),
        sections=_by_key(evaluated, leaders(query, whose)),
        remark=_blocked(evaluated) if totals.total == 0 else "",
        details=_details(evaluated, chosen),
    )


def _blocked(evaluated: EvaluatedDay) -> str:
    """What stood in the way of matches; empty for large days, and if a condition is about what reports never show."""
    reader, evaluator = evaluated.reader, evaluated.question.bound.evaluator()
    named = {name for names in evaluator.reads.values() for name in names}
    if evaluator.reach.time is None or not named.isdisjoint(reader.masks.attributes):
        return ""
    first = evaluated.days.day_of(evaluated.interval[0] - evaluator.reach.time)
    if reader.count("events", first, evaluated.day) > MOST_EVENTS:
        return ""
    events = reader.read("events", first, evaluated.day)
    return "" if events is None else blocked(evaluated.query, events, evaluated.interval)


def _details(evaluated: EvaluatedDay, chosen: matching.Chosen) -> tuple[MatchDetail, ...]:
    """The matches of the page with all that is known of their events."""
    named = sorted({event["seq"] for match in chosen.matches for own in match.events.values() for event in own})
    if not named:
        return ()
    begin = min(match.row["first_ts"] for match in chosen.matches)
    end = max(match.row["last_ts"] for match in chosen.matches)
    events = evaluated.reader.read(
        "events",
        evaluated.days.day_of(begin),
        evaluated.day,
        where=(pc.field("ts") >= begin) & (pc.field("ts") <= end) & pc.field("seq").isin(pa.array(named, pa.int64())),
    )
    if events is None or events.num_rows < len(named):
        return ()
    return tuple(details_of(evaluated.query, chosen.matches, events, evaluated.clock))


def _by_key(evaluated: EvaluatedDay, listing: Listing | None) -> tuple[Section, ...]:
    """Matches by the values of the equivalences, if there are several values."""
    if listing is None:
        return ()
    names = [heading.title for heading in listing.headings[:-2]]
    kind = "values" if len(names) == 1 else "combinations"
    shown = len(listing.cells)
    which = f"The first {shown} of {quantity(listing.total)}" if listing.total > shown else f"All {shown}"
    summary = f"{which} {kind}, {listing.order}."
    return (Section("leaders", f"Matches by {listed(names)}", summary, listing, f"{evaluated.name}-by-key.csv"),)


def _peak(most: Magnitude, answer: Answer, periods: Tally[int]) -> str:
    """The largest number of matches in a part of the day."""
    if periods.listed is not None:
        return f"at most {quantity(most)} of the {periods.listed:,} listed matches in an hour"
    return f"at most {counted(most, 'match', 'matches')} in an hour{_ended_before(answer, periods)}"


def _ended_before(answer: Answer, periods: Tally[int]) -> str:
    """How many matches ended before the day in which they became certain, because a NOT made them wait."""
    total = answer.headline.exact
    ended = total - sum(periods.counts.values()) if isinstance(total, int) else 0
    return f", {quantity(ended)} ended before the day" if ended else ""


def totals_of(record: Mapping[str, Any]) -> Totals:
    """Totals of a matching query from its row of `result_days`."""
    total, at_least = record["matches_total"], record["matches_at_least"]
    return Totals(
        None if total is None else from_digits(total),
        from_digits(at_least) if at_least is not None else int(record["rows"]),
        bool(record["truncated"]),
    )


def _compact_rows(evaluated: EvaluatedDay) -> Iterator[Piece]:
    """The compact rows of the day, if its listing was cut, with the events that carry their keys."""
    columns, on, keys = compact_columns(evaluated.query), evaluated.day, latest_entity(evaluated.query)
    variables, attributes = {variable for variable, _ in keys}, {attribute for _, attribute in keys}
    for rows in evaluated.reader.pieces(f"{evaluated.name}_compact", on, on, columns):
        yield rows, _events_of(evaluated, rows, variables, attributes)


def _events_of(
    evaluated: EvaluatedDay, matches: pa.Table, variables: Iterable[str], attributes: Iterable[str]
) -> EventIndex:
    """The events that matches name for these variables, with these attributes."""
    none = pa.table({"seq": pa.array([], pa.int64()), "ts": pa.array([], pa.int64())})
    named = seqs_of(matches, variables)
    if not len(named):
        return EventIndex(none)
    least, most = pa.scalar(int(named[0])), pa.scalar(int(named[-1]))
    pieces = evaluated.reader.pieces(
        "events",
        evaluated.days.day_of(pc.min(matches["first_ts"]).as_py()),
        evaluated.day,
        ["seq", *sorted(attributes)],
        (pc.field("seq") >= least) & (pc.field("seq") <= most),
    )
    # Files that lie between both are not compared. To name each number in the condition would hash those of all events.
    events = [piece.filter(pa.array(are_among(piece["seq"].to_numpy(), named))) for piece in pieces]
    return EventIndex(pa.concat_tables(events) if events else none)


def _headlines(
    question: Question, records: Mapping[date, Mapping[str, Any]], reader: LakeReader
) -> dict[date, Magnitude]:
    return {day: matching.magnitude_of(totals_of(record)) for day, record in records.items()}


MATCHES = Presentation(
    _report,
    _headlines,
    lambda question: matching.UNIT,
    diagram=lambda question: automaton_figure(question.query, question.name),
)
