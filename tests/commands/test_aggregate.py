"""`trendmill aggregate`: what it reads, what it prints, how it ends."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import cep_core as cep
from cep_core.progress import ranges
from cep_core.progress.meter import Meter
from jobs.cli import main
from tests.commands.logs import letters, write

TRENDS = "RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 10"
TICKS = """time,kind,price,company
2024-01-02 10:00:00,Tick,5,IBM
2024-01-02 10:00:01,Tick,6,IBM
2024-01-02 10:00:02,Halt,,IBM
2024-01-02 10:00:03,Tick,4.5,SUN
2024-01-02 10:01:02,Tick,3,SUN
"""
RISING = (
    "RETURN company, COUNT(*), MAX(T.price) PATTERN Tick T+ WHERE T.price < NEXT(T).price GROUP-BY company WITHIN 60 s"
)
ANSWER = """\
company  window                          COUNT(*)  MAX(T.price)
IBM      2024-01-02 10:00 to 10:01              3             6
SUN      2024-01-02 10:00 to 10:01              1           4.5
SUN      2024-01-02 10:01 to 10:02              1             3
"""


def test_the_papers_count_from_every_kind_of_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CSV, JSON lines and Parquet, plain and compressed, say the same."""
    query, log = write(tmp_path / "q.cep", TRENDS), letters()
    pa.csv.write_csv(log, tmp_path / "log.csv")
    pa.parquet.write_table(log, tmp_path / "log.parquet")
    write(tmp_path / "log.jsonl", "".join(json.dumps(row) + "\n" for row in log.to_pylist()))
    for name in ("log.csv", "log.parquet", "log.jsonl"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((tmp_path / name).read_bytes()))
        for file in (name, f"{name}.gz"):
            assert main(["aggregate", str(query), str(tmp_path / file)]) == 0
            printed = capsys.readouterr().out
            assert printed.splitlines()[:2] == ["window  COUNT(*)", "0 to 9        43"], file


def test_a_table_for_a_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Dates as dates, groups, the columns found out and said; --top ranks, --limit cuts and says so."""
    query, log = write(tmp_path / "q.cep", RISING), write(tmp_path / "ticks.csv", TICKS)
    assert main(["aggregate", str(query), str(log)]) == 0
    output = capsys.readouterr()
    assert [line.split() for line in output.out.splitlines()[:-1]] == [line.split() for line in ANSWER.splitlines()]
    assert output.out.splitlines()[-1].startswith("3 rows; 5 events in ")
    assert output.err == (
        "note: column 'time' tells the time in s, 'kind' the type; spans 2024-01-02 10:00 to 10:01:02, "
        "5 different times, goes back in no rows\n"
    )
    zone = ["--zone", "Asia/Tokyo"]  # whose clocks the file shows, as its times have no offset
    assert main(["aggregate", str(query), str(log), "--top", "--limit", "1", *zone]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].split() == ["IBM", "2024-01-02", "10:00", "to", "10:01", "3", "6"]
    assert printed[2].startswith("3 rows, 1 shown (--limit, --top, --csv)")


def test_large_counts_are_readable_and_exact_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """2^200 - 1 trends: 1.6e60, or all of its digits."""
    query = write(tmp_path / "q.cep", "RETURN COUNT(*) PATTERN A+ WITHIN 1000")
    log = write(tmp_path / "log.csv", "ts\n" + "".join(f"{ts}\n" for ts in range(200)))
    assert main(["aggregate", str(query), str(log)]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["0", "to", "999", "1.6e60"]
    assert main(["aggregate", str(query), str(log), "--exact"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[-1] == str(2**200 - 1)


def test_answers_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--csv, --json and --parquet give the columns of cep.aggregate and nothing else on standard output."""
    query, log = write(tmp_path / "q.cep", TRENDS), tmp_path / "log.parquet"
    pa.parquet.write_table(letters(), log)
    expected = cep.aggregate(TRENDS, letters())
    assert main(["aggregate", str(query), str(log), "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row == {
        name: value if isinstance(value, float) else int(value) for name, value in expected.to_pylist()[0].items()
    }
    assert main(["aggregate", str(query), str(log), "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == ",".join(expected.column_names)
    assert main(["aggregate", str(query), str(log), "--parquet", str(tmp_path / "out.parquet")]) == 0
    assert capsys.readouterr().out == ""
    assert pa.parquet.read_table(tmp_path / "out.parquet").equals(expected)


def test_a_wrong_query_ends_with_2_and_shows_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """File, line, caret and hint; a matching query is sent to the other command; so for columns that are not there."""
    query = write(tmp_path / "q.cep", "RETURN COUNT(*)\nPATTERN Tick T+\nWHERE T.prise < 5 WITHIN 10")
    log = write(tmp_path / "ticks.csv", TICKS)
    assert main(["aggregate", str(query), str(log)]) == 2
    said = f"trendmill: {query}:3:9: unknown attribute 'prise' of Tick\n    WHERE T.prise < 5 WITHIN 10\n"
    assert capsys.readouterr().err == said + "            ^^^^^ did you mean 'price'?\n"
    query.write_text("PATTERN Tick T WITHIN 10")
    assert main(["aggregate", str(query), str(log)]) == 2
    assert "`trendmill match` lists the matches" in capsys.readouterr().err
    query.write_text(RISING)
    assert main(["aggregate", str(query), str(log), "--ts", "tiem"]) == 2
    assert "no column 'tiem'; did you mean 'time'?" in capsys.readouterr().err
    assert main(["aggregate", str(query), str(log), "--ts", "company"]) == 2
    assert "'company' holds 'IBM', which is no time; give numbers" in capsys.readouterr().err
    assert main(["aggregate", str(tmp_path / "none.cep"), str(log)]) == 2
    assert "no such query file" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No such file; a file cut short, with the byte; a file without rows."""
    query = write(tmp_path / "q.cep", RISING)
    assert main(["aggregate", str(query), str(tmp_path / "none.csv")]) == 1
    assert "no such file" in capsys.readouterr().err
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(gzip.compress((TICKS * 500).encode())[:-20])
    assert main(["aggregate", str(query), str(cut)]) == 1
    assert f"cannot read {cut} at byte " in capsys.readouterr().err
    assert main(["aggregate", str(query), str(write(tmp_path / "empty.csv", "time,kind\n"))]) == 1
    assert "it has no rows" in capsys.readouterr().err


def test_text_tells_the_time_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A stamp with an offset is text in JSON; all rows have one, or the column is no time and says so."""
    query, rows = write(tmp_path / "q.cep", RISING), list(csv.DictReader(io.StringIO(TICKS)))
    stamped = [{**row, "price": float(row["price"] or 0), "time": row["time"].replace(" ", "T") + "Z"} for row in rows]
    log = write(tmp_path / "ticks.jsonl", "\n".join(map(json.dumps, stamped)))
    assert main(["aggregate", str(query), str(log)]) == 0
    assert capsys.readouterr().out.split()[: len(ANSWER.split())] == ANSWER.split()
    log = write(tmp_path / "ticks.jsonl", "\n".join(map(json.dumps, [*stamped, stamped[0] | {"time": "noon"}])))
    assert main(["aggregate", str(query), str(log), "--ts", "time"]) == 2
    assert "'time' holds 'noon', which is no time; give numbers" in capsys.readouterr().err
    assert main(["aggregate", str(query), str(log), "--missing", "noon"]) == 0
    assert "1 of 6 rows have no time or no type and are left out" in capsys.readouterr().err


def test_numbers_that_are_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Feeds quote their prices: 9.5 lies below 10.5, though not letter by letter; what is none is named."""
    query = write(tmp_path / "q.cep", RISING)
    rows = [{"time": t, "kind": "Tick", "price": price, "company": "IBM"} for t, price in enumerate(("9.5", "10.5"))]
    log = write(tmp_path / "ticks.jsonl", "\n".join(map(json.dumps, rows)))
    assert main(["aggregate", str(query), str(log)]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[1].split() == ["IBM", "0", "to", "59", "3", "10.5"]
    assert "'price' holds numbers as text; they are read as numbers" in printed.err
    more = [*rows, *[{**rows[0], "time": 2}] * 8, {**rows[0], "price": "none"}]
    for form in ("jsonl", "csv"):
        lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in more)]
        log = write(tmp_path / f"odd.{form}", "\n".join(lines if form == "csv" else map(json.dumps, more)))
        assert main(["aggregate", str(query), str(log)]) == 2
        assert "'price' holds numbers but for 'none', so it is read as text" in capsys.readouterr().err
        assert main(["aggregate", str(query), str(log), "--missing", "none"]) == 0
        assert capsys.readouterr().out.splitlines()[1].split()[-1] == "10.5"
    late = [rows[0]] * 40_000 + [more[-1]]
    log = write(tmp_path / "late.csv", "\n".join([lines[0], *(",".join(map(str, row.values())) for row in late)]))
    assert main(["aggregate", str(query), str(log)]) == 2
    assert "'none'" in capsys.readouterr().err


def test_what_surprises_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A type that no event has, rows without a time, and --missing."""
    query = write(tmp_path / "q.cep", "RETURN COUNT(*) PATTERN SEQ(Tick T+, Hlat H) WITHIN 60 s")
    log = write(tmp_path / "ticks.csv", TICKS + "NA,Tick,7,IBM\n")
    assert main(["aggregate", str(query), str(log), "--missing", "NA"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("no trend in any window; 5 events in ")
    assert "1 of 6 rows have no time or no type and are left out" in printed.err
    assert "no event is of type 'Hlat'; there are Halt, Tick" in printed.err


def test_ranges_of_time_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long log is evaluated range by range: the table is that of one evaluation."""
    log = pa.table({"ts": [ts // 3 for ts in range(900)], "x": [ts * 7 % 11 for ts in range(900)]})
    pa.parquet.write_table(log, tmp_path / "log.parquet")
    text = "RETURN COUNT(*), SUM(A.x) PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 9 SLIDE 4"
    query = write(tmp_path / "q.cep", text)
    progress: list[tuple[int, int]] = []
    monkeypatch.setattr(ranges, "EVENTS_IN_RANGE", 100)
    monkeypatch.setattr(
        Meter, "tell", lambda _, step, done, total: progress.append((done, total)) if step == "counting" else 0
    )
    assert (
        main(["aggregate", str(query), str(tmp_path / "log.parquet"), "--parquet", str(tmp_path / "out.parquet")]) == 0
    )
    expected = cep.aggregate(text, log.append_column("event_type", pa.repeat("A", 900)))
    assert pa.parquet.read_table(tmp_path / "out.parquet").equals(expected)
    assert len(progress) == 8
    assert progress[-1] == (900, 900)


def test_progress_suits_where_it_goes() -> None:
    """Nothing at first; then a bar that is drawn over itself on a terminal, and a line every five seconds in a log."""
    clock = iter([0.0, 0.5, 1.5, 1.55, 4.0])
    terminal = Terminal()
    meter = Meter(terminal, lambda: next(clock))
    for done in (1, 2, 3, 4):
        meter.tell("reading", done, 4)
    meter.clear()
    assert terminal.getvalue() == (
        "\r\x1b[2Kreading   [############............] 50 %\r\x1b[2Kreading   [########################] 100 %\r\x1b[2K"
    )
    clock = iter([0.0, 1.5, 6.0, 7.0, 12.0])
    lines = io.StringIO()
    meter = Meter(lines, lambda: next(clock))
    for done in (1, 2, 3, 4):
        meter.tell("reading", done, 4)
    meter.clear()
    assert lines.getvalue() == "reading 50 %\nreading 100 %\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_it_needs_the_engine_alone(tmp_path: Path) -> None:
    """Neither Spark nor Delta, YAML, Jinja or pandas is imported by the commands over files."""
    write(tmp_path / "q.cep", TRENDS)
    pa.csv.write_csv(letters(), tmp_path / "log.csv")
    absent = ["pyspark", "delta", "deltalake", "yaml", "jinja2", "pandas", "great_expectations"]
    program = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
from jobs.cli import main
sys.exit(main(["aggregate", "q.cep", "log.csv"]))
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
