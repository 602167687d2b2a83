"""`trendmill new` writes a folder that `trendmill check` accepts as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.cli import main
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import load_workload

TICKS = "time,kind,price,volume\n2024-01-02T10:00:00Z,BUY,1.5,10\n2024-01-02T10:00:01Z,SELL,1.6,20\n"


def test_a_first_workload_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time, event types and attributes are guessed from the file; a second call touches nothing."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    (tmp_path / "ticks.csv").write_text(TICKS)
    assert main(["new", "ticks", "--from", str(tmp_path / "ticks.csv")]) == 0
    assert main(["check", "ticks"]) == 0
    workload = load_workload("ticks")
    assert list(workload.schema.types) == ["BUY", "SELL"]
    assert {name: kind.value for name, kind in workload.attributes.items()} == {"price": "float", "volume": "int"}
    compiled = compile_workload(workload)
    assert {name: query.bound.kind for name, query in compiled.items()} == {
        "buy_runs": "aggregation",
        "buy_gaps": "policy",
    }
    assert main(["new", "ticks", "--from", str(tmp_path / "ticks.csv")]) == 2


def test_text_tells_times_and_numbers_where_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON has stamps and prices as text; the unit is as fine as the stamps; times of day alone are refused."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    lines = [
        '{"side": "buy", "price": "1.5", "time": "2025-06-20T07:01:50.274957Z"}',
        '{"side": "sell", "price": "10", "time": "2025-06-21T07:01:50.5Z"}',
    ]
    (tmp_path / "ticker.jsonl").write_text("\n".join(lines))
    assert main(["new", "ticker", "--from", str(tmp_path / "ticker.jsonl")]) == 0
    assert main(["check", "ticker"]) == 0
    workload = load_workload("ticker")
    assert (workload.schema.unit, workload.start.isoformat()) == ("us", "2025-06-20")
    assert workload.attributes["price"].value == "float"
    events = (tmp_path / "workloads" / "ticker" / "events.sql").read_text()
    assert "unix_micros(`time`) AS ts" in events
    assert "CAST(price AS DOUBLE) AS price" in events
    (tmp_path / "clock.csv").write_text("time,kind\n10:00:00,BUY\n10:00:01,SELL\n")
    assert main(["new", "clock", "--from", str(tmp_path / "clock.csv")]) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ts,kind\n", "it has no rows"),
        ("", "Empty CSV file"),
        ("ts,ts,kind\n1,2,A\n", "it has two columns named 'ts'"),
    ],
)
def test_a_file_that_tells_nothing_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    said: str,
) -> None:
    """Nothing is written; one line says why."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    (tmp_path / "log.csv").write_text(text)
    assert main(["new", "log", "--from", str(tmp_path / "log.csv")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "workloads").exists()
