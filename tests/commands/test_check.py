"""`trendmill check`: what it says of a workload that is right and may still surprise."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.cli import main
from tests.reports.lake.small_workload import EVENTS_SQL, WORKLOAD, write_workload

QUERIES = {
    "unlike": "-- Who is late?\nPATTERN SEQ(Depart a, Halt h) WHERE [line] WITHIN 5 minutes\n",
    "many": "-- How many ways?\nPATTERN Depart+ d[] WITHIN 5 minutes\n",
    "tied": "-- Who is next?\nPATTERN SEQ(Depart a, Arrive b) WHERE skip_till_next_match WITHIN 5 minutes\n",
    "quiet": "-- How many?\nRETURN COUNT(*) PATTERN Depart d WITHIN 5 minutes\n",
}


def test_warnings_are_printed_with_their_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A key that a type lacks, an output that may explode, an order of ties that nobody gave; nothing else."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path))
    write_workload(tmp_path / "lines", QUERIES)
    (tmp_path / "lines" / "workload.yaml").write_text(WORKLOAD + "  Halt: {station: string}\n")
    (tmp_path / "lines" / "events.sql").write_text(
        EVENTS_SQL + "UNION ALL SELECT 'Halt', 0, NULL, line, NULL, _row FROM trips\n"
    )
    assert main(["check", "lines"]) == 0
    lines = capsys.readouterr().out.splitlines()
    warnings = {name: [] for name in QUERIES}
    for line in lines:
        if line.startswith("  query "):
            own = warnings[line.split()[1].rstrip(":")]
        if "warning: " in line:
            own.append(line.partition("warning: ")[2])
    assert warnings["unlike"] == ["[line] does not constrain Halt, which lack it: their events belong to every group"]
    assert warnings["many"][0].startswith("the number of matches may be exponential in the events of a window")
    assert warnings["tied"][0].startswith(
        "under skip_till_next_match events of equal ts are taken in order; rows of trips "
    )
    assert warnings["quiet"] == []
    assert lines[-1] == "no problem found; 3 warnings above"


def test_every_mistake_of_a_query_is_a_problem_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two in one query, one of them a column that only the lake has."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path))
    write_workload(
        tmp_path / "lines", {"wrong": "-- What?\nRETURN d.line AS day\nPATTERN Depart d WHERE d.late > 3 WITHIN 5 s\n"}
    )
    assert main(["check", "lines"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "trendmill: workload 'lines' has 2 problems:"
    assert [line.split(": ")[0] for line in lines if "queries/" in line] == [
        "  queries/wrong.cep:2:8",
        "  queries/wrong.cep:3:26",
    ]
