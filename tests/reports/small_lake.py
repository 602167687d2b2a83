"""A small workload and its lake, written without a JVM: seven days, three queries, one hole, hostile values.

Results are what readers meet, not what an engine would find: reports must print whatever tables say.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import write_deltalake

DAY = date(2013, 3, 8)
"""The day with everything on it."""
EMPTY = date(2013, 3, 4)
"""A loaded day without a single event."""
INCOMPLETE = date(2013, 3, 10)
"""A day whose results lack the day before."""
HOLE = date(2013, 3, 9)
"""A day that failed its gate and never had events."""
REFUSED = date(2013, 3, 7)
"""A day whose last load failed its gate: events and results are those of the load before."""
DAYS = (date(2013, 3, 3), EMPTY, *(date(2013, 3, day) for day in (5, 6, 7)), DAY, INCOMPLETE)
REPORTED = (EMPTY, DAY, INCOMPLETE)

SCRIPT = "<script>alert('x')</script>"
QUOTES = "\"'><img src=x onerror=alert(1)>"
RIGHT_TO_LEFT = "\u202eevil \u05d0\u05d1\u05d2"
HOSTILE = (SCRIPT, QUOTES, RIGHT_TO_LEFT)

WORKLOAD = """
title: Lines & <b>stations</b>
owner: data <team>
sources:
  trips: {format: csv, path: trips.csv, columns: {line: string}}
time: {unit: s, zone: America/New_York}
schedule: "0 8 * * *"
start: 2013-03-01
events:
  Depart: {line: string, station: string, delay_min: int}
  Arrive: {line: string, station: string, delay_min: int}
"""
EVENTS_SQL = "SELECT 'Depart' AS event_type, _row FROM trips UNION ALL SELECT 'Arrive', _row FROM trips\n"
EXPECTATIONS = """
rows:
  - {name: known_line, source: trips, holds: "line <> '?'", reason: 'a line has a name, not <i>?</i>'}
  - {name: never_broken, source: trips, holds: 'true', reason: a rule that nothing breaks}
"""
QUERIES = {
    "late_chains": """-- How far does <b>lateness</b> spread & stay?
RETURN line, COUNT(*), COUNT(D), MAX(D.delay_min), SUM(D.delay_min), AVG(D.delay_min)
PATTERN (SEQ(Arrive A, Depart D))+
WHERE A.delay_min >= 5 AND D.delay_min >= 5
GROUP-BY line WITHIN 12 hours SLIDE 1 hour
""",
    "all_departures": """-- How many ways to depart are there?
RETURN COUNT(*)
PATTERN Depart D+
WITHIN 24 hours
""",
    "snowball": """-- Who left ever later?
PATTERN SEQ(Depart a, Depart+ b[], Arrive c)
WHERE skip_till_next_match { [line] AND b[1].delay_min > a.delay_min AND b[i].delay_min > b[i-1].delay_min
  AND c.delay_min >= 10 } WITHIN 6 hours
""",
}


def start_of(day: date) -> int:
    """The first moment of an operating day: 08:00 UTC."""
    return int(datetime(day.year, day.month, day.day, 8, tzinfo=UTC).timestamp())


def write_workload(folder: Path, queries: Mapping[str, str] = QUERIES) -> None:
    """Write the workload's folder."""
    (folder / "queries").mkdir(parents=True)
    (folder / "workload.yaml").write_text(WORKLOAD, encoding="utf-8")
    (folder / "events.sql").write_text(EVENTS_SQL, encoding="utf-8")
    (folder / "expectations.yaml").write_text(EXPECTATIONS, encoding="utf-8")
    (folder / "trips.csv").write_text("line\n", encoding="utf-8")
    for name, text in queries.items():
        (folder / "queries" / f"{name}.cep").write_text(text, encoding="utf-8")


def write_lake(lake: Path) -> None:
    """Write every table that a report reads."""
    events = [event for day in DAYS if day != EMPTY for event in events_of(day)]
    _write(lake, "events", events, EVENTS, "One row is an event")
    _write(lake, "late_chains", [row for day in DAYS if day != EMPTY for row in chains(day)], CHAINS)
    _write(lake, "all_departures", [row for day in DAYS if day != EMPTY for row in departures(day)], DEPARTURES)
    _write(lake, "snowball", [row for day in DAYS if day != EMPTY for row in matches(day)], MATCHES)
    _write(lake, "result_days", [row for day in DAYS for row in records(day)], RESULT_DAYS)
    _write(lake, "_work/loaded_days", [loaded(day) for day in (*DAYS, HOLE)], LOADED_DAYS)
    _write(lake, "_work/source_rows", [source_rows(day) for day in DAYS], SOURCE_ROWS)
    _write(lake, "quarantine", quarantine(), QUARANTINE, "One row is a refused <b>raw</b> row")
    _write(lake, "runs", [row for day in DAYS for row in runs(day)], RUNS, partitioned=False)
    _write(lake, "slicing_plans", [plan()], SLICING_PLANS)
    _write(lake, "experiments", experiments(), EXPERIMENTS)
    _write(lake, "slice_runs", slice_runs(), SLICE_RUNS)
    _write(lake, "heavy_hitters", heavy_hitters(), HEAVY_HITTERS)


def events_of(day: date) -> list[dict[str, Any]]:
    """Forty events: each line departs ever later and arrives late; one line has a hostile name."""
    first = start_of(day)
    lines = ["Red", "Blue", SCRIPT, QUOTES, RIGHT_TO_LEFT]
    return [
        {
            "event_type": "Arrive" if n % 4 == 3 else "Depart",
            "ts": first + 3600 * n // 2 + number,
            "seq": day.toordinal() * 2**20 + number * 100 + n,
            "line": line,
            "station": QUOTES,
            "delay_min": 5 + 3 * n + number,
            **_own(day),
        }
        for number, line in enumerate(lines)
        for n in range(8)
    ]


def chains(day: date) -> list[dict[str, Any]]:
    """Counts of all three sizes: machine integers, DECIMAL(38,0), beyond it."""
    last = start_of(day) + 86_400
    found = []
    for number, line in enumerate(["Red", "Blue", SCRIPT, QUOTES, RIGHT_TO_LEFT]):
        for window in range(3):
            size = (day.day if line == "Red" else 12) * (1 + window) + 4 * number
            huge = line == "Red" and day == DAY
            found.append(
                {
                    "line": line,
                    "window_start": last - 3600 * (12 + window),
                    "window_end": last - 3600 * window,
                    "count": None if huge or size > 37 else Decimal(10**size),
                    "count_log10": 46.9 + window / 10 if huge else float(size),
                    "count_D": Decimal(10 + window),
                    "count_D_log10": 1.04,
                    "max_D_delay_min": 29 + number,
                    "sum_D_delay_min": Decimal(-120),
                    "sum_D_delay_min_log10": 2.08,
                    "sum_D_delay_min_sign": -1,
                    "avg_D_delay_min": 17.25,
                    **_own(day),
                }
            )
    return found


def departures(day: date) -> list[dict[str, Any]]:
    """One ungrouped window a day."""
    last = start_of(day) + 86_400 - 8 * 3600
    count = {"count": Decimal(day.day * 10), "count_log10": 1.9}
    return [{"window_start": last - 86_400, "window_end": last, **count, **_own(day)}]


def matches(day: date) -> list[dict[str, Any]]:
    """A match for each line, a second one for Red."""
    events = events_of(day)
    found = []
    for number in (0, 0, 1, 2, 3, 4):
        own = events[8 * number : 8 * number + 8]
        inner = [event["seq"] for event in own[1:3]] if len(found) != 1 else [own[2]["seq"]]
        first, last = own[0], own[3]
        found.append(
            {
                "match_id": f"{day}-{len(found)}",
                "first_ts": first["ts"],
                "last_ts": last["ts"],
                "a": first["seq"],
                "b": inner,
                "c": last["seq"],
                **_own(day),
            }
        )
    return found


def records(day: date) -> list[dict[str, Any]]:
    """What was evaluated, from what."""
    before = day - timedelta(days=1)
    inputs = json.dumps({before.isoformat(): "absent, refused" if day == INCOMPLETE else "d0", day.isoformat(): "d1"})
    empty = day == EMPTY
    rows = {"late_chains": 15, "all_departures": 1, "snowball": 6}
    return [
        {
            "query": query,
            "definition": "d" * 16,
            "inputs": inputs,
            "rows": 0 if empty else count,
            "matches_total": None if query != "snowball" else "0" if empty else "75000" if day == DAY else "6",
            "matches_at_least": None,
            "truncated": query == "snowball" and day == DAY,
            "complete": not (day == INCOMPLETE and query != "all_departures"),
            **_own(day),
        }
        for query, count in rows.items()
    ]


def loaded(day: date) -> dict[str, Any]:
    kept = day not in (HOLE, REFUSED)
    checks = [
        {"rule": "line_known", "severity": "fatal", "passed": kept, "reason": QUOTES, "observed": SCRIPT},
        {"rule": "few_refused", "severity": "warn", "passed": day != DAY, "reason": "rare", "observed": ""},
    ]
    checks = [{**check, "rows": 40, "unexpected": 0 if check["passed"] else 3} for check in checks]
    return {
        "digest": None if day == HOLE else "d1",
        "refused": day in (HOLE, REFUSED),
        "reason": f"line_known: {SCRIPT}" if day in (HOLE, REFUSED) else None,
        "events": 0 if day in (EMPTY, HOLE) else 40,
        "points": 0 if day in (EMPTY, HOLE) else 40,
        "checks": json.dumps(checks),
        **_own(day),
    }


def source_rows(day: date) -> dict[str, Any]:
    gave = 0 if day == EMPTY else 40
    refused = 4 if day == DAY else 0
    counts = {"files": 1, "read": gave + refused + 7, "gave_event": gave, "refused": refused, "other_days": 7}
    return {"source": "trips", **counts, "without_event": 0, **_own(day)}


def quarantine() -> list[dict[str, Any]]:
    return [
        {
            "source": "trips",
            "file": f"/data/private/{SCRIPT}.csv",
            "raw": raw,
            "rule": "known_line",
            "reason": "a line has a name, not <i>?</i>",
            "undated": False,
            **_own(DAY),
        }
        for raw in (*HOSTILE, "?,4\n")
    ]


def runs(day: date) -> list[dict[str, Any]]:
    began = datetime(2013, 4, 1, 3, 0, tzinfo=UTC)
    return [
        {
            "stage": stage,
            "status": "done",
            "message": f"{SCRIPT} {stage}",
            "workload_hash": "abc123",
            "versions": json.dumps({"tables": {"events": 3}, "software": {"numba": "0.60"}}),
            "rows_in": 47,
            "rows_out": 40,
            "seconds": 1.5 + number,
            "started_at": began + timedelta(seconds=number),
            "details": "{}",
            **_own(day),
        }
        for number, stage in enumerate(("ingest", "validate", "evaluate"))
    ]


def plan() -> dict[str, Any]:
    return {
        "plan_id": "0011223344556677",
        "queries": ["late_chains", "snowball"],
        "first_day": DAY,
        "last_day": DAY,
        "variables": ["line"],
        "slices": 4,
        "time_ranges": 1,
        "shares": json.dumps({"": {"line": 4}, "line": {"line": 1}}),
        "seeds": json.dumps({"": {"line": 7}}),
        "heavy_values": json.dumps({"line": [SCRIPT]}),
        "bound": 0.4,
        "predicted_load": 0.3,
        "predicted_replication": 1.1,
        "lower_bound": 0.25,
        "plan": json.dumps({"decisions": [f"heavy {SCRIPT} is told"]}),
        **_own(DAY),
    }


def experiments() -> list[dict[str, Any]]:
    seconds = [("plan in use", "slowest_slice", 0.2, "s"), ("plan in use", "all_slices", 0.5, "s")]
    strategies = {"plan in use": 0.35, "hypercube with heavy hitters": 0.3, "broadcast": 0.6, SCRIPT: 1.0}
    counts = [
        (strategy, metric, value, unit)
        for strategy, load in strategies.items()
        for metric, value, unit in (
            ("maximum_load", load, "share of events"),
            ("replication", 1 + load, "copies"),
            ("imbalance", 4 * load, "ratio"),
        )
    ]
    return [
        {
            "experiment": "slicing:0011223344556677",
            "strategy": strategy,
            "parameters": json.dumps({"variables": ["line"], "shares": {"": [4]}, "ranges": 1}),
            "seed": None,
            "metric": metric,
            "value": value,
            "unit": unit,
            **_own(DAY),
        }
        for strategy, metric, value, unit in [*counts, *seconds]
    ]


def slice_runs() -> list[dict[str, Any]]:
    return [
        {
            "query": query,
            "plan_id": "0011223344556677",
            "slice": number,
            "events": 10 + number,
            "rows": 3,
            "seconds": 0.01,
            "peak_memory": 2**28,
            **_own(DAY),
        }
        for query in ("late_chains", "snowball")
        for number in range(4)
    ]


def heavy_hitters() -> list[dict[str, Any]]:
    row = {"event_type": "Depart", "attribute": "line", "value": SCRIPT, "frequency": 30, "threshold": 10.5}
    return [{**row, "error_bound": 0, **_own(DAY)}]


def _own(day: date) -> dict[str, Any]:
    return {"day": day, "run_id": "run-2" if day == EMPTY else "run-1"}


def _write(
    lake: Path,
    name: str,
    rows: Sequence[Mapping[str, Any]],
    schema: pa.Schema,
    comment: str = "",
    partitioned: bool = True,
) -> None:
    table = pa.Table.from_pylist([dict(row) for row in rows], schema)
    write_deltalake(
        str(lake / "lines" / name),
        table,
        mode="overwrite",
        partition_by=["day"] if partitioned else None,
        description=comment or f"Table {name}",
    )


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([("day", pa.date32()), ("run_id", pa.string()), *columns.items()])


_LONG, _TEXT, _REAL, _FLAG, _COUNT = pa.int64(), pa.string(), pa.float64(), pa.bool_(), pa.decimal128(38, 0)
EVENTS = _schema(event_type=_TEXT, ts=_LONG, seq=_LONG, line=_TEXT, station=_TEXT, delay_min=_LONG)
CHAINS = _schema(
    line=_TEXT,
    window_start=_LONG,
    window_end=_LONG,
    count=_COUNT,
    count_log10=_REAL,
    count_D=_COUNT,
    count_D_log10=_REAL,
    max_D_delay_min=_LONG,
    sum_D_delay_min=_COUNT,
    sum_D_delay_min_log10=_REAL,
    sum_D_delay_min_sign=pa.int8(),
    avg_D_delay_min=_REAL,
)
DEPARTURES = _schema(window_start=_LONG, window_end=_LONG, count=_COUNT, count_log10=_REAL)
MATCHES = _schema(match_id=_TEXT, first_ts=_LONG, last_ts=_LONG, a=_LONG, b=pa.list_(pa.int64()), c=_LONG)
RESULT_DAYS = _schema(
    query=_TEXT,
    definition=_TEXT,
    inputs=_TEXT,
    rows=_LONG,
    matches_total=_TEXT,
    matches_at_least=_TEXT,
    truncated=_FLAG,
    complete=_FLAG,
)
LOADED_DAYS = _schema(digest=_TEXT, refused=_FLAG, reason=_TEXT, events=_LONG, points=_LONG, checks=_TEXT)
SOURCE_ROWS = _schema(
    source=_TEXT,
    files=pa.int32(),
    read=_LONG,
    gave_event=_LONG,
    refused=_LONG,
    other_days=_LONG,
    without_event=_LONG,
)
QUARANTINE = _schema(source=_TEXT, file=_TEXT, raw=_TEXT, rule=_TEXT, reason=_TEXT, undated=_FLAG)
RUNS = _schema(
    stage=_TEXT,
    status=_TEXT,
    message=_TEXT,
    workload_hash=_TEXT,
    versions=_TEXT,
    rows_in=_LONG,
    rows_out=_LONG,
    seconds=_REAL,
    started_at=pa.timestamp("us", "UTC"),
    details=_TEXT,
)
SLICING_PLANS = _schema(
    plan_id=_TEXT,
    queries=pa.list_(pa.string()),
    first_day=pa.date32(),
    last_day=pa.date32(),
    variables=pa.list_(pa.string()),
    slices=pa.int32(),
    time_ranges=pa.int32(),
    shares=_TEXT,
    seeds=_TEXT,
    heavy_values=_TEXT,
    bound=_REAL,
    predicted_load=_REAL,
    predicted_replication=_REAL,
    lower_bound=_REAL,
    plan=_TEXT,
)
EXPERIMENTS = _schema(
    experiment=_TEXT, strategy=_TEXT, parameters=_TEXT, seed=_LONG, metric=_TEXT, value=_REAL, unit=_TEXT
)
SLICE_RUNS = _schema(
    query=_TEXT, plan_id=_TEXT, slice=pa.int32(), events=_LONG, rows=_LONG, seconds=_REAL, peak_memory=_LONG
)
HEAVY_HITTERS = _schema(
    event_type=_TEXT, attribute=_TEXT, value=_TEXT, frequency=_LONG, threshold=_REAL, error_bound=_LONG
)
