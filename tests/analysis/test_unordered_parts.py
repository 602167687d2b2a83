"""What `check` says of events.sql that takes rows in an order which nobody gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.analysis.unordered_parts import unordered_parts
from jobs.cli import main
from jobs.workload.declaration import load_workload
from tests.runs.lake.small_workload import write_workload


@pytest.mark.parametrize(
    ("sql", "messages"),
    [
        ("SELECT first(x) FROM a GROUP BY k", ["1:8: first takes rows"]),
        ("SELECT k,\n  any_value(x) FILTER (WHERE y) FROM a GROUP BY k", ["2:3: any_value takes rows"]),
        ("SELECT collect_list(x), collect_set(x) FROM a", ["1:8: collect_list takes", "1:25: collect_set takes"]),
        ("SELECT listagg(x) FROM a", ["1:16: listagg takes rows"]),
        ("SELECT listagg(x) WITHIN GROUP (ORDER BY y) FROM a", []),
        ("SELECT last(x) OVER (PARTITION BY k) FROM a", ["1:8: last takes rows"]),
        ("SELECT last(x) OVER (PARTITION BY k ORDER BY t), lag(x) OVER (ORDER BY t), max(x) FROM a", []),
        ("SELECT first(x) IGNORE NULLS OVER (ORDER BY t) FROM a", []),
        ("SELECT a FROM b LIMIT 3", ["1:8: LIMIT without ORDER BY"]),
        ("SELECT a FROM b ORDER BY a LIMIT 3", []),
        ("SELECT a FROM b OFFSET 3", ["1:8: OFFSET without ORDER BY"]),
        ("SELECT a FROM b WHERE EXISTS (SELECT 1 FROM c LIMIT 1) AND d IN (SELECT d FROM c LIMIT 1)", ["1:73: LIMIT"]),
        ("FROM a |> LIMIT 3", []),
    ],
)
def test_what_depends_on_an_order_that_nobody_gave_is_told(sql: str, messages: list[str]) -> None:
    parts = unordered_parts(sql)
    assert len(parts) == len(messages), parts
    for part, expected in zip(parts, messages, strict=True):
        assert part.startswith(f"events.sql:{expected}"), part


def test_check_tells_it_and_refuses_what_asks_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the samples nothing is said."""
    for name in ("nyc_flights", "data_usage"):
        assert unordered_parts(load_workload(name).events_sql) == []
    home = write_workload(tmp_path / "workloads")
    sql = (home / "events.sql").read_text().rstrip()
    (home / "events.sql").write_text(f"{sql} LIMIT 9\n")
    assert main(["check", str(home)]) == 0
    assert "LIMIT without ORDER BY keeps whichever rows Spark has first\n    so the same" in capsys.readouterr().out
    for call in ("reflect('java.util.UUID', 'randomUUID')", "java_method('java.lang.System', 'nanoTime')", "version()"):
        (home / "events.sql").write_text(f"{sql} AND {call} <> ''\n")
        assert main(["check", str(home)]) == 2
        assert "asks the program that loads, not the log" in capsys.readouterr().err
