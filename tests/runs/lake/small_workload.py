"""A small workload on disk: machines that start and stop, a file for each day, two queries and two policies.

A day's file is made from the day's number, so a test can break one and repair it.
"""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

START = date(2013, 1, 1)

WORKLOAD = """
title: Machines
owner: tests
sources:
  steps:
    format: csv
    path: data/{day}.csv
    order: [row]
    columns: {row: int, kind: string, moment: int, machine: string, load: int}
time: {unit: s, zone: UTC, ties: concurrent}
schedule: "0 0 * * *"
start: 2013-01-01
events:
  Start: {machine: string, load: int}
  Stop: {machine: string, load: int}
limits: {max_reach: 3d, slice_rows: 40}
slicing: {slices: 3}
queries:
  climbs: {shedding: {weight: 2, costs: [5, 6, 7]}}
shedding:
  bound: 200ns
  costs: {event: 20, lookup: 1, draw: 1}
  loads: [1.5]
  seeds: [3, 4]
  training_days: 1
"""

EVENTS_SQL = """
SELECT kind AS event_type, moment AS ts, machine, load, _row FROM steps WHERE kind IN ('Start', 'Stop')
"""

EXPECTATIONS = """
rows:
  - {name: load_known, source: steps, holds: load >= 0, reason: a load is never negative}
gate:
  - name: load_plausible
    type: expect_column_values_to_be_between
    arguments: {column: load, max_value: 1000}
    reason: no machine carries more than a thousand
"""

POLICIES = {
    "unstopped": """-- policy: must hold
-- Which machine started heavy, neither right after another's stop nor within a day after its own?
(Start(m, x) AND x > 70) IMPLIES PREV ((EXISTS n. Stop(machine = n)) AND NOT ONCE[0,1d] Stop(machine = m))
""",
    "silence": """-- When did nothing heavy start, nor in the three hours after?
LET Heavy() = EXISTS m, x. Start(m, x) AND x > 80 IN NOT Heavy() AND NOT EVENTUALLY[0,3h] Heavy()
""",
}
"""Policies that look at points before, wait for an hour, pass over points, and speak where no event of theirs is."""

PROJECTED = {
    "after_heavy": """-- When had some machine started heavy twenty to twenty-four hours before?
EXISTS m, x. ONCE[20h,1d] (Start(m, x) AND x > 80)
""",
    "no_heavy": """-- When had no machine started heavy twenty to twenty-four hours before?
NOT (EXISTS m, x. ONCE[20h,1d] (Start(m, x) AND x > 80))
""",
}
"""Policies that are sliced by the variables that their results lack: each slice finds points, some the same ones."""

QUERIES = {
    "chains": """-- How many chains of starts and stops does each machine have?
RETURN machine, COUNT(*), MAX(S.load)
PATTERN (SEQ(Start S, Stop T))+
WHERE [machine]
GROUP-BY machine WITHIN 12 hours SLIDE 6 hours
""",
    "climbs": """-- Which machine started ever heavier, until it stopped?
PATTERN SEQ(Start a, Start+ b[], Stop c)
WHERE skip_till_next_match { [machine] AND b[1].load > a.load AND b[i].load > b[i-1].load } WITHIN 20 hours
""",
}


QUESTIONS = (*QUERIES, *POLICIES)
RESULTS = (
    *QUESTIONS,
    *(f"{name}{suffix}" for name in POLICIES for suffix in ("_episodes", "_why", "_judged")),
)
"""The tables of results."""
MATCH_EVENTS = ("climbs_events",)
"""The tables of the events of matches."""


def day(number: int) -> date:
    """The log's day with this number, from 0."""
    return START + timedelta(days=number)


def write_workload(folder: Path, days: int = 4) -> Path:
    """A workload folder named `machines` below `folder`, with the files of so many days; returns it."""
    home = folder / "machines"
    (home / "queries").mkdir(parents=True)
    (home / "data").mkdir()
    (home / "workload.yaml").write_text(WORKLOAD)
    (home / "events.sql").write_text(EVENTS_SQL)
    (home / "expectations.yaml").write_text(EXPECTATIONS)
    for name, text in QUERIES.items():
        (home / "queries" / f"{name}.cep").write_text(text)
    (home / "policies").mkdir()
    for name, text in POLICIES.items():
        (home / "policies" / f"{name}.mfotl").write_text(text)
    for number in range(days):
        write_day(home, number)
    return home


def join_projected(home: Path) -> None:
    """Let the policies of `PROJECTED` join the workload."""
    for name, text in PROJECTED.items():
        (home / "policies" / f"{name}.mfotl").write_text(text)


def write_day(home: Path, number: int, *, broken: bool = False, empty: bool = False, early: bool = False) -> None:
    """The file of a day; one row a day is always quarantined.

    `broken`: with a load that the gate refuses. `early`: without some rows, which come late.
    """
    begin = int((day(number) - date(1970, 1, 1)).total_seconds())
    lines = ["row,kind,moment,machine,load"]
    if not empty:
        for row in range(60):
            kind = "Stop" if row % 5 == 4 else "Start"
            load = (row * 37 + number * 11) % 90 + (5_000 if broken and row == 7 else 0)
            if early and row % 11 == 6:
                continue
            lines.append(f"{row},{kind},{begin + row * 1_400},m{row * 7 % 4 if row % 2 else 0},{load}")
        lines.append(f"60,Start,{begin + 100},m1,-1")
    (home / "data" / f"{day(number).isoformat()}.csv").write_text("\n".join(lines) + "\n")
