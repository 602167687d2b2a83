"""The workload of the small lake: three queries over trips of a line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

WORKLOAD = """
title: Lines & <b>stations</b>
owner: data <team>
sources:
  trips: {format: csv, path: trips.csv, columns: {line: string}}
time: {unit: s, zone: America/New_York}
schedule: "0 8 * * *"
start: 2013-03-01
events:
  Depart: {line: string, station: string, delay_min: {type: int, title: delay <b>in</b> minutes}}
  Arrive: {line: string, station: string, delay_min: int}
"""
EVENTS_SQL = """SELECT 'Depart' AS event_type, 0 AS ts, line, line AS station, 0 AS delay_min, _row FROM trips
UNION ALL
SELECT 'Arrive', 0, line, line, 0, _row FROM trips
"""
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


def write_workload(
    folder: Path, queries: Mapping[str, str] = QUERIES, policies: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Write the workload's folder. `policies`: file name -> text."""
    (folder / "queries").mkdir(parents=True)
    (folder / "workload.yaml").write_text(WORKLOAD, encoding="utf-8")
    (folder / "events.sql").write_text(EVENTS_SQL, encoding="utf-8")
    (folder / "expectations.yaml").write_text(EXPECTATIONS, encoding="utf-8")
    (folder / "trips.csv").write_text("line\n", encoding="utf-8")
    for name, text in queries.items():
        (folder / "queries" / f"{name}.cep").write_text(text, encoding="utf-8")
    for file, text in policies.items():
        (folder / "policies").mkdir(exist_ok=True)
        (folder / "policies" / file).write_text(text, encoding="utf-8")
