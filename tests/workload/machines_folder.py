"""A small workload folder that uses every section; nothing is wrong with it."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "workload.yaml": """title: Machines
owner: tests
sources:
  steps:
    format: csv
    path: data/{day}.csv
    options: {sep: ";"}
    header: true
    missing: NA
    must_exist: false
    slack: 1
    order: [row]
    columns: {row: int, kind: string, moment: int, machine: string, load: int}
time: {unit: s, zone: UTC, ties: concurrent, points: by_timestamp, imprecise: {Start: {before: 1, after: 2}}}
schedule: "0 8 * * *"
start: 2013-01-01
events:
  Start: {machine: {type: string, title: machine tool}, load: int}
  Stop: {machine: string, load: "int?"}
unique: {Start: [ts, machine]}
atoms: {heavy: {event: Start, where: load > 3}}
limits: {max_reach: 3d, slice_rows: 40}
slicing: {slices: 3}
queries:
  climbs: {max_matches: 100, shedding: {weight: 2, costs: [5, 6, 7]}}
  chains: {exact_counts: true}
shedding:
  bound: 200ns
  buffer: 10ns
  costs: {event: 20, lookup: 1, draw: 1}
  loads: [1.5, 2]
  seeds: [3, 4]
  training_days: 1
alerts:
  places: {ops: {webhook: "${env:OPS:-}"}}
  when: [climbs.total > 1000, {late: 06:00, to: [ops]}]
""",
    "events.sql": """-- One event for each step.
SELECT 'Start' AS event_type, moment AS ts, machine, load, _row FROM steps WHERE kind = 'Start'
UNION ALL
SELECT 'Stop', moment, machine, load, _row FROM steps WHERE kind = 'Stop'
""",
    "expectations.yaml": """rows:
  - {name: load_known, source: steps, holds: load >= 0, reason: a load is never negative}
gate:
  - name: load_plausible
    type: expect_column_values_to_be_between
    arguments: {column: load, max_value: 1000}
    severity: warn
    reason: no machine carries more than a thousand
  - name: some_machines
    over: >-
      SELECT d.day, count(e.machine) AS machines
      FROM days d LEFT JOIN events e ON e.day = d.day GROUP BY d.day
    type: expect_column_values_to_be_between
    arguments: {column: machines, min_value: 1}
    reason: a day without machines is a day without a delivery
""",
    "queries/chains.cep": """-- How many chains does each machine have?
RETURN machine, COUNT(*)
PATTERN (SEQ(Start S, Stop T))+
GROUP-BY machine WITHIN 12 hours SLIDE 6 hours
""",
    "queries/climbs.cep": """-- Which machine started ever heavier?
PATTERN SEQ(Start a, Start+ b[], Stop c)
WHERE skip_till_next_match { [machine] AND b[i].load > b[i-1].load } WITHIN 20 hours
""",
    "experiments/rates.yaml": """title: How the load matters
log: {generate: quotes, quotes: 900}
queries: {Q1: {}}
axes: {window: [50, 90], load: [1.2]}
strategies: [pSPICE]
seeds: 2
bound_ms: 5
costs: {state: 1000, event: 500}
""",
}
YAML_FILES = ("workload.yaml", "expectations.yaml", "experiments/rates.yaml")


def write_folder(folder: Path) -> Path:
    """The folder as it should be."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
