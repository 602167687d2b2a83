"""The workload of a large log: an aggregation and a matching query by key, and two policies that ask for each key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scaling.logs import FORMS, Log, write_log

WORKLOAD = """
title: Scale
owner: benchmarks
sources:
  rows:
    format: {format}
    path: {path}
    columns: {{kind: string, at: int, key: int, value: int}}
time: {{unit: ms, zone: UTC}}
schedule: "0 0 * * *"
start: 2026-01-05
events:
  A: {{key: int, value: int}}
  B: {{key: int, value: int}}
  C: {{key: int, value: int}}
limits: {{max_reach: 1h}}
slicing: {{slices: {slices}}}
"""
ATOMS = """atoms:
  large: {event: A, where: value >= 990000}
"""
EVENTS_SQL = "SELECT kind AS event_type, at AS ts, key, value, _row FROM rows\n"
EXPECTATIONS = """
rows:
  - {name: positive, source: rows, holds: value >= 0, reason: values are never negative}
gate: []
"""
PATTERNS = {
    "queries/rising.cep": """-- How many rising runs does each key have?
RETURN key, COUNT(*), MAX(A.value)
PATTERN SEQ(A+, B)
WHERE [key] AND A.value < NEXT(A).value
GROUP-BY key WITHIN 60 seconds SLIDE 60 seconds
""",
    "queries/triples.cep": """-- After which A did a larger B and a larger C follow?
PATTERN SEQ(A a, B b, C c)
WHERE skip_till_next_match { [key] AND b.value > a.value AND c.value > b.value } WITHIN 20 seconds
""",
}
POLICIES = {
    "policies/unanswered.mfotl": """-- After which large A does no B of its key follow within a minute?
(A(key=k, value=v) AND v >= 990000) AND NOT (EVENTUALLY[0,60s] B(key=k))
""",
    "policies/settled.mtl": """-- for each: key
-- After a large A, a C of its key follows within a minute.
large IMPLIES EVENTUALLY[0,60s] C
""",
}
QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "patterns": PATTERNS,
    "policies": POLICIES,
    "all": {**PATTERNS, **POLICIES},
}


def write_workload(home: Path, log: Log, form: str, questions: str, slices: int) -> Path:
    """A workload folder `scale` with its log, of which files that are there are kept; returns it."""
    folder = home / "scale"
    for name in ("queries", "policies"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    path = write_log(log, FORMS[form], folder)
    text = WORKLOAD.format(format=FORMS[form].spark, path=path, slices=slices)
    asked = QUESTIONS[questions]
    (folder / "workload.yaml").write_text(text if questions == "patterns" else text + ATOMS)
    (folder / "events.sql").write_text(EVENTS_SQL)
    (folder / "expectations.yaml").write_text(EXPECTATIONS)
    for name in QUESTIONS["all"]:
        if name in asked:
            (folder / name).write_text(asked[name])
        else:
            (folder / name).unlink(missing_ok=True)
    return folder
