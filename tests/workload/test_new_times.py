"""What tells the time of a file that `trendmill new` reads: its columns, form, unit, origin and first day."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.cli import main
from jobs.workload.declaration import load_workload


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
        (
            FEW,
            ["--ts", "at", "--unit", "us", "--origin", "2024-01-01"],
            "ns",
            "2024-01-01",
            "2024-01-01T00:00:00.000000040",
        ),
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
    printed = capsys.readouterr().out
    assert "as seconds they span 541 days; as milliseconds (--unit ms) 13 hours" in printed
    assert "--origin says when its time 0 was" in printed
    assert main(["check", "log"]) == 0
    printed = capsys.readouterr().out
    assert "warning: workload.yaml: start: the log begins on 1970-10-20; do its times count s since 1970?" in printed
    assert "no problem found; 1 warning above" in printed


def test_the_first_day_is_that_of_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest events may come first; a type, and a fraction, that only late rows have are seen."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    rows = [f"{3_000_000_000 - 10_000 * row},A,1,{'x' * 40}\n" for row in range(30_000)]
    (tmp_path / "log.csv").write_text("ts,kind,x,text\n" + "".join(rows) + "2700000000,B,0.5,y\n")
    assert main(["new", "log", "--from", str(tmp_path / "log.csv")]) == 0
    workload = load_workload("log")
    assert (workload.start.isoformat(), list(workload.schema.types)) == ("2055-07-24", ["A", "B"])
    assert workload.attributes["x"].value == "float"
