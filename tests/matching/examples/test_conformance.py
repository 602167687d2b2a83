"""Cases of other systems' suites that the suites' runner cannot say. The others are run by `make conformance`."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import cep_core as cep

ROOT = Path(__file__).resolve().parents[3]
RUNNER = ROOT.parent / "shared" / "conformance" / "run.py"

FALLS = "b[1].value < a.value AND b[i].value < b[i-1].value"
RISES = "c[1].value > b[last].value AND c[i].value > c[i-1].value"
V_SHAPE = ("SEQ(Row a, Row+ b[], Row+ c[])", f"{FALLS} AND {RISES}")
SKIPPING = {
    "simple": (*V_SHAPE, "PAST LAST EVENT"),
    "skip_past_last": (*V_SHAPE, "PAST LAST EVENT"),
    "skip_to_next": (*V_SHAPE, "TO NEXT EVENT"),
    "skip_to_first_c": (*V_SHAPE, "TO FIRST c"),
    "skip_to_last_b": (*V_SHAPE, "TO LAST b"),
    "plus": ("Row+ b[]", "b[i].value <= b[i].before", "PAST LAST EVENT"),
    "at_least_2_reluctant": ("Row{2} b[]", "b[i].value <= b[i].before", "PAST LAST EVENT"),
}
"""Row patterns of SQL under AFTER MATCH SKIP, said in our language: pattern, condition, where the search resumes."""


@pytest.mark.skipif(not RUNNER.exists(), reason="the conformance suites are not beside the repository")
@pytest.mark.parametrize("case", SKIPPING)
def test_b2_sql_row_patterns(case: str) -> None:
    """The matches of SQL's MATCH_RECOGNIZE, each row with its match and its variable."""
    with tarfile.open(RUNNER.parent / "trino_match_recognize.txz") as archive:
        cases = archive.extractfile("trino_match_recognize/cases.json")
        assert cases is not None
        (said,) = [known_case for known_case in json.load(cases) if known_case["id"] == case]
    values = said["values"]
    events = pa.table(
        {
            "event_type": ["Row"] * len(values),
            "ts": range(len(values)),
            "seq": range(1, len(values) + 1),
            "value": values,
            "before": [None, *values[:-1]],
        }
    )
    pattern, condition, skip = SKIPPING[case]
    query = f"PATTERN {pattern} WHERE strict_contiguity {{ {condition} }} WITHIN 1000 AFTER MATCH SKIP {skip}"
    table = cep.match(query, events)
    variables = [name for name in table.column_names if name in ("a", "b", "c")]
    matches = sorted(
        table.select(variables).to_pylist(), key=lambda match: np.atleast_1d(next(iter(match.values())))[0]
    )
    labelled = [
        [int(seq), number, name.upper()]
        for number, match in enumerate(matches, 1)
        for name in variables
        for seq in np.atleast_1d(match[name])
    ]
    assert labelled == said["expected"]


@pytest.mark.skipif(not RUNNER.exists(), reason="the conformance suites are not beside the repository")
@pytest.mark.parametrize(("case", "skip"), [("skip_past_last", "PAST LAST EVENT"), ("skip_to_last_b", "TO LAST b")])
def test_b2_loops_of_a_stream_engine(case: str, skip: str) -> None:
    """b+ followed by c: one match a start, those that the skip strategy leaves."""
    with tarfile.open(RUNNER.parent / "flink_cep.txz") as archive:
        cases = archive.extractfile("flink_cep/cases.json")
        assert cases is not None
        (said,) = [known_case for known_case in json.load(cases) if known_case["id"] == case]
    names = said["events"]
    events = pa.table({"event_type": [name[0] for name in names], "ts": range(len(names))})
    query = f"PATTERN SEQ(b+ b[], c c) WHERE skip_till_next_match {{ 1 = 1 }} WITHIN 100 AFTER MATCH SKIP {skip}"
    rows = cep.match(query, events).to_pylist()
    assert sorted([names[k] for k in (*row["b"], row["c"])] for row in rows) == sorted(said["expected"])
