"""A span of time without a unit counts the unit of the log's time-stamps: a note says so where that surprises."""

from __future__ import annotations

import warnings
from pathlib import Path

import pyarrow as pa
import pytest

import cep_core as cep
from jobs.cli import main

STAMPS = "time,kind\n2024-01-01T00:00:00,A\n2024-01-01T00:00:30.5,B\n"
NUMBERS = "time,kind\n0,A\n30,B\n"
NOTE = "a number without a unit counts"


def notes(place: Path, name: str, query: str, log: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What a command says about spans without a unit."""
    (place / name).write_text(query)
    (place / "log.csv").write_text(log)
    command = "monitor" if name != "q.cep" else "aggregate" if query.startswith("RETURN") else "match"
    main([command, str(place / name), str(place / "log.csv")])
    return [line for line in capsys.readouterr().err.splitlines() if NOTE in line]


@pytest.mark.parametrize(
    ("query", "log", "spans"),
    [
        ("PATTERN SEQ(A a, B b) WITHIN 60", STAMPS, "WITHIN 60"),
        ("RETURN COUNT(*) PATTERN SEQ(A a, B b) WITHIN 60 SLIDE 30", STAMPS, "WITHIN 60, SLIDE 30"),
        ("PATTERN SEQ(A a, B b) WITHIN 60 s", STAMPS, ""),
        ("PATTERN SEQ(A a, B b) WITHIN 5 EVENTS", STAMPS, ""),
        ("PATTERN SEQ(A a, B b) WITHIN 60", NUMBERS, ""),
    ],
)
def test_a_query_is_told_what_its_bare_numbers_count(
    query: str, log: str, spans: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = notes(tmp_path, "q.cep", query, log, capsys)
    assert [line.removeprefix("note: ").split(":")[0] for line in written] == ([spans] if spans else [])


@pytest.mark.parametrize(
    ("name", "policy"), [("p.mtl", "A IMPLIES EVENTUALLY{} B"), ("p.mfotl", "A() AND NOT EVENTUALLY{} B()")]
)
def test_a_policy_is_told_what_its_bare_bounds_count(
    name: str, policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "[0,60]" in notes(tmp_path, name, policy.format("[0,60]"), STAMPS, capsys)[0]
    assert not notes(tmp_path, name, policy.format("[0,60s]"), STAMPS, capsys)
    assert not notes(tmp_path, name, policy.format("[0,60]"), NUMBERS, capsys)


def test_a_notebook_is_warned_unless_it_names_the_unit() -> None:
    stamps = pa.array([0, 30 * 10**9], pa.timestamp("ns"))
    log = pa.table({"event_type": ["A", "B"], "ts": stamps})
    query = "PATTERN SEQ(A a, B b) WITHIN {}"
    with pytest.warns(UserWarning, match="WITHIN 60: a number without a unit counts ns"):
        assert cep.match(query.format(60), log).num_rows == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cep.match(query.format("60 s"), log).num_rows == 1
        assert cep.match(query.format(60), log, unit="s").num_rows == 1
        assert cep.match(query.format(60), log.set_column(1, "ts", [pa.array([0, 30])])).num_rows == 1
