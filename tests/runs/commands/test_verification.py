"""`trendmill verify` finds what was done to a lake, names the file, and finds nothing where nothing was done."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs import cli
from jobs.lake.leasing.lease import give_back, lease_file, take
from jobs.runs.run import Silent
from jobs.tasks.verification import verify

DAYS = [date(2013, 1, 2) + timedelta(days=n) for n in range(3)]


def make_lake(lake: Path) -> Path:
    """A lake of the tables that tell of each other: three days of events and of one query."""
    home = lake / "machines"
    events = pa.table({"day": [day for day in DAYS for _ in range(4)], "ts": list(range(12))})
    write_deltalake(home / "events", events.slice(0, 5), partition_by=["day"])
    write_deltalake(home / "events", events.slice(5), partition_by=["day"], mode="append")
    loaded = pa.table({"day": DAYS, "events": [4, 4, 4]})
    write_deltalake(home / "_work" / "loaded_days", loaded, partition_by=["day"])
    write_deltalake(home / "climbs", pa.table({"day": [DAYS[0]] * 3, "first_ts": [1, 2, 3]}), partition_by=["day"])
    results = {"day": DAYS[:2], "query": ["climbs"] * 2, "rows": [3, 0], "definition": ["d"] * 2}
    write_deltalake(home / "result_days", pa.table(results), partition_by=["day"])
    return lake


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_lake(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def lake(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "lake")


def faults(lake: Path, *, deep: bool = False) -> list[str]:
    return [str(fault) for fault in verify("machines", lake, Silent(), deep=deep).faults]


def data(lake: Path, table: str) -> Path:
    """The table's first data file."""
    return min((lake / "machines" / table).rglob("*.parquet"))


def commits(lake: Path, table: str) -> list[Path]:
    return sorted((lake / "machines" / table / "_delta_log").glob("*.json"))


def lose(lake: Path) -> str:
    data(lake, "events").unlink()
    return "is named by the log and is not there"


def cut(lake: Path) -> str:
    file = data(lake, "events")
    file.write_bytes(file.read_bytes()[:-10])
    return f"{file.name} has {file.stat().st_size:,} bytes, its log says {file.stat().st_size + 10:,}"


def spoil_the_footer(lake: Path) -> str:
    file = data(lake, "events")
    file.write_bytes(b"x" * file.stat().st_size)
    return f"{file.name} is damaged: "


def swap(lake: Path) -> str:
    """A file of as many bytes with other rows."""
    file = data(lake, "events")
    size = file.stat().st_size
    pq.write_table(pa.table({"ts": [1]}), file)
    assert file.stat().st_size < size
    rest = file.read_bytes()
    footer = int.from_bytes(rest[-8:-4], "little") + 8
    file.write_bytes(rest[:-footer] + b"\0" * (size - len(rest)) + rest[-footer:])
    return "has 1 rows, its log says 4"


def cut_the_log(lake: Path) -> str:
    commit = commits(lake, "events")[-1]
    commit.write_text(commit.read_text()[:-20])
    return f"{commit} is cut off or damaged"


def empty_the_log(lake: Path) -> str:
    commits(lake, "events")[-1].write_text("")
    return "00000000000000000001.json is empty"


def lose_a_version(lake: Path) -> str:
    commits(lake, "events")[0].unlink()
    return "versions 0 are not in its log"


def lose_a_result(lake: Path) -> str:
    shutil.rmtree(lake / "machines" / "climbs")
    return "climbs: result_days tells of 2 days, and there is no such table"


def add_a_row(lake: Path) -> str:
    write_deltalake(lake / "machines" / "climbs", pa.table({"day": [DAYS[1]], "first_ts": [9]}), mode="append")
    return "climbs: 1 rows of 2013-01-03, result_days says 0"


def add_a_day(lake: Path) -> str:
    write_deltalake(lake / "machines" / "climbs", pa.table({"day": [DAYS[2]], "first_ts": [9]}), mode="append")
    return "climbs: 1 rows of 2013-01-04, of which result_days knows nothing"


def lose_events(lake: Path) -> str:
    write_deltalake(
        lake / "machines" / "events",
        pa.table({"day": [DAYS[1]], "ts": [9]}),
        mode="overwrite",
        predicate="day = '2013-01-03'",
    )
    return "events: 1 rows of 2013-01-03, loaded_days says 4"


def spoil_the_lease(lake: Path) -> str:
    lease_file(lake, "machines").write_text("")
    return "lease: cannot read"


HARM: list[Callable[[Path], str]] = [
    lose,
    cut,
    spoil_the_footer,
    swap,
    cut_the_log,
    empty_the_log,
    lose_a_version,
    lose_a_result,
    add_a_row,
    add_a_day,
    lose_events,
    spoil_the_lease,
]


@pytest.mark.parametrize("harm", HARM, ids=lambda harm: harm.__name__)
def test_each_harm_is_found_and_named(
    lake: Path, harm: Callable[[Path], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1, and a first line that says what."""
    assert faults(lake, deep=True) == []
    (tmp := lake.parent / "machines").mkdir()
    (tmp / "workload.yaml").write_text("title: Machines\n")
    monkeypatch.setenv("TRENDMILL_LAKE", str(lake))
    assert cli.main(["verify", str(tmp)]) == 0
    words = harm(lake)
    capsys.readouterr()
    assert cli.main(["verify", str(tmp)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert words in lines[0], lines


def test_what_killed_writes_left_is_told_and_is_no_fault(lake: Path) -> None:
    """Files that no version names; those of versions that were replaced are named by the log."""
    left = data(lake, "events").with_name("part-left.parquet")
    shutil.copy(data(lake, "events"), left)
    results = {"day": [DAYS[0]], "query": ["climbs"], "rows": [3], "definition": ["e"]}
    write_deltalake(
        lake / "machines" / "result_days", pa.table(results), mode="overwrite", predicate="day = '2013-01-02'"
    )
    verified = verify("machines", lake, Silent())
    assert verified.faults == []
    assert verified.orphans == [left]


def test_who_is_at_work_is_told(lake: Path) -> None:
    """Counts of a run that is between two tables do not agree yet."""
    take(lease_file(lake, "machines"), "r1", "the night")
    assert verify("machines", lake, Silent()).holder == "the night"
    give_back(lease_file(lake, "machines"), "r1")
    assert verify("machines", lake, Silent()).holder == ""


def test_only_a_deep_look_reads_rows(lake: Path) -> None:
    """A page that cannot be decompressed lies behind a footer that can be read."""
    file = data(lake, "events")
    content = bytearray(file.read_bytes())
    content[4:60] = bytes(56)
    file.write_bytes(content)
    assert faults(lake) == []
    [fault] = faults(lake, deep=True)
    assert f"{file.name} is damaged" in fault


@settings(max_examples=40)
@given(drawn=st.data())
def test_a_lake_that_lost_bytes_is_never_called_whole(
    whole: Path, tmp_path_factory: pytest.TempPathFactory, drawn: st.DataObject
) -> None:
    """Any one file of any table cut anywhere, emptied or removed is a fault, in a list, never an error."""
    lake = shutil.copytree(whole, tmp_path_factory.mktemp("spoilt") / "lake")
    files = sorted(path for path in lake.rglob("*") if path.is_file() and path.suffix in (".json", ".parquet"))
    file = drawn.draw(st.sampled_from(files))
    if drawn.draw(st.booleans()):
        file.unlink()
    else:
        content = file.read_bytes().rstrip(b"\n")
        file.write_bytes(content[: drawn.draw(st.integers(0, len(content) - 1))])
    assert faults(lake)
    shutil.rmtree(lake)


def test_json_of_the_log_is_read_line_by_line(lake: Path) -> None:
    """A commit cut at a line's end still lacks what its version has: the counts tell."""
    commit = commits(lake, "events")[-1]
    lines = commit.read_text().splitlines()
    assert any("add" in json.loads(line) for line in lines)
    commit.write_text("\n".join(line for line in lines if "add" not in json.loads(line)) + "\n")
    assert any("loaded_days says 4" in fault for fault in faults(lake))
