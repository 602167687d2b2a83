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
    assert "CAST(`price` AS DOUBLE) AS `price`" in events
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


FEW = "Date,Time,stock_time,at,kind\n081109,203615,25263126,0.04,A\n081110,000517,25265331,3.5,B\n"
COMMAS = """Date,Time,stamp,kind
2015-10-18,"18:01:47,978","2015-10-18 18:01:47,978",A
2015-10-18,"18:01:48,963","2015-10-18 18:01:48,963",B
"""


@pytest.mark.parametrize(
    ("log", "options", "unit", "start", "first"),
    [
        (FEW, ["--ts", "Date+Time", "--ts-format", "%y%m%d %H%M%S"], "s", "2008-11-09", "2008-11-09T20:36:15"),
        (
            FEW,
            ["--ts", "stock_time", "--unit", "ms", "--origin", "2004-09-01"],
            "ms",
            "2004-09-01",
            "2004-09-01T07:01:03.126",
        ),
        (FEW, ["--ts", "at", "--origin", "2024-01-01T15:00"], "ms", "2024-01-01", "2024-01-01T15:00:00.040"),
        (FEW, ["--ts", "at", "--unit", "us", "--origin", "2024-01-01"], "ns", "2024-01-01", "2024-01-01T00:00"),
        (COMMAS, [], "ms", "2015-10-18", "2015-10-18T18:01:47.978"),
        (COMMAS, ["--ts", "Date+Time"], "ms", "2015-10-18", "2015-10-18T18:01:47.978"),
        (COMMAS, ["--ts", "Time", "--origin", "2015-10-18"], "ms", "2015-10-18", "2015-10-18T18:01:47.978"),
    ],
)
def test_what_tells_the_time_is_written_into_the_workload(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    log: str,
    options: list[str],
    unit: str,
    start: str,
    first: str,
) -> None:
    """Two columns, forms, units, origins: unit, first day and the span are told, and `check` has nothing to say."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    (tmp_path / "log.csv").write_text(log)
    assert main(["new", "log", "--from", str(tmp_path / "log.csv"), *options]) == 0
    span = first.replace("T", " ")
    assert f"the time in {unit}, 'kind' the type; spans {span} to" in capsys.readouterr().out
    workload = load_workload("log")
    assert (workload.schema.unit, workload.start.isoformat()) == (unit, start)
    assert main(["check", "log"]) == 0
    assert "no problem found\n" in capsys.readouterr().out


def test_numbers_that_may_count_anything_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A log of 1970 passes, and no one overlooks it: when it is written, and each time it is checked."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    (tmp_path / "log.csv").write_text("stock_time,kind\n25263126,A\n71996000,B\n")
    assert main(["new", "log", "--from", str(tmp_path / "log.csv"), "--ts", "stock_time"]) == 0
    told = capsys.readouterr().out
    assert "as seconds they span 541 days; as milliseconds (--unit ms) 13 hours" in told
    assert "--origin says when its time 0 was" in told
    assert main(["check", "log"]) == 0
    told = capsys.readouterr().out
    assert "warning: workload.yaml: start: the log begins on 1970-10-20; do its times count s since 1970?" in told
    assert "no problem found; 1 warning above" in told
