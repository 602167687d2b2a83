"""What `check` says of events.sql that moves rows between workers, and that the samples' do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jobs.analysis import slow_parts as module
from jobs.analysis.slow_parts import slow_parts
from jobs.cli import main
from jobs.workload.declaration import Workload, load_workload

WINDOW, GROUP, JOIN = "a window function brings", "GROUP BY brings rows", "a join of tables"


@pytest.mark.parametrize("name", ["nyc_flights", "data_usage"])
def test_the_samples_leave_rows_where_they_are_read(name: str) -> None:
    assert slow_parts(load_workload(name)) == []


@pytest.fixture(scope="module")
def flights() -> Workload:
    return load_workload("nyc_flights")


@pytest.mark.parametrize(
    ("sql", "parts_expected"),
    [
        ("SELECT a FROM flights\nWHERE b > 3 UNION ALL SELECT a FROM weather", []),
        ("SELECT a,\n  lag(b) OVER (PARTITION BY c ORDER BY d) FROM flights", [f"2:3: {WINDOW}"]),
        ("SELECT max(a) FROM flights", ["1:8: an aggregate brings all rows"]),
        ("SELECT a, max(b) FROM flights GROUP BY a", [f"1:40: {GROUP}"]),
        ("SELECT DISTINCT a FROM flights", ["1:17: DISTINCT brings"]),
        ("SELECT a FROM flights UNION SELECT a FROM weather", ["1:36: UNION without ALL"]),
        ("SELECT f.a FROM flights f LEFT JOIN airports p ON p.a = f.a", []),
        ("SELECT f.a FROM flights f RIGHT JOIN airports p ON p.a = f.a", [f"1:38: {JOIN}"]),
        ("SELECT f.a FROM flights f FULL JOIN airports p ON p.a = f.a", ["1:37: a FULL JOIN"]),
        ("SELECT f.a FROM flights f JOIN weather w ON w.a = f.a", [f"1:32: {JOIN}"]),
        ("SELECT a FROM flights WHERE a IN (SELECT b FROM airports)", []),
        ("SELECT a FROM flights WHERE a IN (SELECT b FROM weather)", ["1:29: a condition over a SELECT"]),
        ("FROM flights |> WHERE a > 1", []),
    ],
)
def test_what_brings_rows_together_is_told(
    flights: Workload, monkeypatch: pytest.MonkeyPatch, sql: str, parts_expected: list[str]
) -> None:
    """With its place. Of the tables, those of airports and planes are small; of a pipe nothing is known."""
    monkeypatch.setattr(
        module, "source_bytes", lambda source, *_: 9 if source.name in ("airports", "planes") else 10**9
    )
    parts = slow_parts(replace(flights, events_sql=sql))
    assert len(parts) == len(parts_expected)
    for part, expected in zip(parts, parts_expected, strict=True):
        assert part.startswith(f"events.sql:{expected}"), part


def test_check_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.runs.lake.small_workload import write_workload

    home = write_workload(tmp_path / "workloads")
    assert main(["check", str(home)]) == 0
    assert "events.sql" not in capsys.readouterr().out
    text = (home / "events.sql").read_text().replace("SELECT kind", "SELECT DISTINCT kind")
    (home / "events.sql").write_text(text)
    assert main(["check", str(home)]) == 0
    printed = capsys.readouterr().out
    assert "  events.sql:2:17: DISTINCT brings equal rows together\n    so a large load" in printed
    assert "\n    and an event may need rows of steps at most 0 days away" in printed
