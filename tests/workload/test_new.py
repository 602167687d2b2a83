"""`trendmill new` writes a folder that `trendmill check` accepts as it is."""

from __future__ import annotations

import json
from datetime import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ts,kind\n", "it has no rows"),
        ("", "it has no rows"),
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


SOCCER = """Team;Type;Start X;speed;day
Away;SET PIECE;NaN;1,5;1
Home;PASS;0.5;20;2
Home;PASS;1;3,25;3
;;;;
"""


def test_everything_that_was_said_or_found_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Zone, separator, text for no value, names that SQL and queries can say; and each of it is told."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    (tmp_path / "log.csv").write_text(SOCCER)
    asked = ["--ts", "day", "--origin", "2024-01-01", "--zone", "America/New_York"]
    assert main(["new", "log", "--from", str(tmp_path / "log.csv"), *asked]) == 0
    printed = capsys.readouterr().out
    for said in (
        "guessed from all 4 rows:",
        "';' taken for what separates",
        "'NaN' is no value",
        "'Type' the type (or --type Team?)",
        "1 row without a time or a type",
        "SET_PIECE for 'SET PIECE'",
        "next: trendmill check log; trendmill preview log; trendmill run log --from",
    ):
        assert said in printed
    workload = load_workload("log")
    source = workload.sources["log_rows"]
    assert (source.options, source.missing, workload.time.zone) == ({"sep": ";"}, "NaN", "America/New_York")
    assert list(source.columns) == ["Team", "Type", "Start X", "speed", "day"]
    assert workload.attributes["speed"].value == "float"
    assert "CAST(replace(`speed`, ',', '.') AS DOUBLE)" in (tmp_path / "workloads/log/events.sql").read_text()
    assert list(workload.schema.types) == ["PASS", "SET_PIECE"]
    assert list(workload.attributes) == ["Team", "Start_X", "speed"]
    assert main(["check", "log"]) == 0


def test_fields_of_json_are_attributes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """SQL takes them out of the text, also the time."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    (tmp_path / "log.jsonl").write_text('{"at":{"ms":1706688000000},"user":{"id":7,"a b":"x"},"kind":"A"}\n')
    assert main(["new", "log", "--from", str(tmp_path / "log.jsonl"), "--ts", "at.ms", "--type", "kind"]) == 0
    assert "column 'at_ms' tells the time in ms" in capsys.readouterr().out
    assert main(["check", "log"]) == 0
    workload = load_workload("log")
    assert workload.start.isoformat() == "2024-01-31"
    assert {name: kind.value for name, kind in workload.attributes.items()} == {"user_id": "int", "user_a_b": "string"}
    events = (tmp_path / "workloads" / "log" / "events.sql").read_text()
    assert "CAST(get_json_object(`at`, '$.ms') AS BIGINT) AS ts" in events
    assert "CAST(get_json_object(`user`, '$.id') AS BIGINT) AS `user_id`" in events


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("log.csv", "2024-01-31 08:00:00,A\n", "looks like a row, not like names of columns"),
        ("log.csv", "ts,kind\n1,ö\n", "column 'kind' is not UTF-8, which is all that loads read: iconv"),
        (
            "log.csv",
            "ts\n1,A\n2,B\n",
            "of 2 rows 2 have 2 fields: --names A,B,... names 2 columns",
        ),
        ("log.json", '[{"ts": 1}]', "is one list, and loads read JSON lines: jq"),
        ("logs/b.csv", "kind,ts\nA,1\n", "b.csv names other columns than"),
    ],
)
def test_what_no_load_reads_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    text: str,
    said: str,
) -> None:
    """With what makes it readable; so is standard input."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="latin-1")
    if name.startswith("logs/"):
        (file.parent / "a.csv").write_text("ts,kind\n1,A\n")
        file = file.parent
    assert main(["new", "log", "--from", str(file)]) == 2
    assert said in capsys.readouterr().err
    assert main(["new", "log", "--from", "-"]) == 2
    assert not (tmp_path / "workloads").exists()


def test_columns_that_cannot_be_declared_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names of the row itself or in another case, records of Parquet: left out, where `check` stopped before."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    row = {"ts": 1_706_688_000, "kind": "A", "_id": 7, "Kind": "x", "a`b": 1, "user": {"id": 1}}
    (tmp_path / "log.jsonl").write_text(json.dumps(row) + "\n")
    pyarrow.parquet.write_table(
        pa.Table.from_pylist([row | {"tags": ["x"], "clock": time(8)}]), tmp_path / "log.parquet"
    )
    for form, left_out in (
        ("jsonl", ["_id", "Kind", "a_b"]),
        ("parquet", ["_id", "Kind", "a_b", "user_id", "tags", "clock"]),
    ):
        assert main(["new", form, "--from", str(tmp_path / f"log.{form}"), "--type", "kind"]) == 0
        printed = capsys.readouterr().out
        assert [line.split("'")[1] for line in printed.splitlines() if "is left out: " in line] == left_out
        assert main(["check", form]) == 0
    assert main(["new", "other", "--from", str(tmp_path / "log.parquet"), "--type", "Kind"]) == 2
    (tmp_path / "log.csv").write_text("ts,_id\n1,7\n")
    assert main(["new", "other", "--from", str(tmp_path / "log.csv")]) == 2
    assert "'_id' cannot be declared, rename it in the file's header" in capsys.readouterr().err


def test_columns_without_a_header_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names are written, and that no line is one; a line that names them all is a header."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    for name, header in (("bare", ""), ("headed", "at,kind\n")):
        (tmp_path / "log.csv").write_text(header + "2024-01-31 08:00:00,A\n2024-01-31 08:00:01,B\n")
        assert main(["new", name, "--from", str(tmp_path / "log.csv"), "--names", "at,kind"]) == 0
        source = load_workload(name).sources[f"{name}_rows"]
        assert (list(source.columns), source.header) == (["at", "kind"], bool(header))


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("at,kind", "names 2 of 3 columns: each load refuses it as a row of 2 fields; make it 'at,kind,size' and"),
        ("size,kind,at", "has not the names of --names in their order: each load takes it for a row; make it"),
        ("at,kind,size", ""),
        ("", ""),
    ],
)
def test_a_header_that_does_not_name_every_column_is_told(
    header: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The workload says that there is no header, so each load would refuse that line without a word before."""
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    rows = "2024-01-31 08:00:00,A,1\n2024-01-31 08:00:01,B,2\n"
    (tmp_path / "log.csv").write_text(f"{header}\n{rows}" if header else rows)
    assert main(["new", "log", "--from", str(tmp_path / "log.csv"), "--names", "at,kind,size"]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if "the first line" in line]
    assert len(lines) == bool(reason)
    assert all(line.startswith(f"the first line of log.csv {reason}") for line in lines), lines
