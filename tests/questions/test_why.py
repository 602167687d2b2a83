"""`trendmill why`: any listed match of the lake in detail, and any other row by its number, without Spark."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from cep_core.matching.result.identity import MATCH_ID, match_ids
from jobs.cli import main
from jobs.questions.lake_days import LakeDays
from jobs.workload.compiled import compile_workload
from jobs.workload.declaration import load_workload
from tests.questions.lines import lines
from tests.questions.small_lake import DAYS, write_lake

DAY = DAYS[1]
PAIRS = """-- Who departs late after a late arrival?
RETURN line, COUNT(*) PATTERN SEQ(Arrive A, Depart D) WHERE A.delay_min >= 15 AND D.delay_min >= 15
GROUP-BY line WITHIN 6 hours SLIDE 2 hours
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workload's folder; its lake, beside it, has three days, and the matches of the second."""
    folder = lines(tmp_path_factory.mktemp("why"))
    (folder / "queries" / "late_pairs.cep").write_text(PAIRS)
    lake = folder.parent / "lake"
    write_lake(lake, folder)
    rows = answer(folder, "snowball")
    rows = rows.append_column(MATCH_ID, match_ids(rows, ["a", "b", "c"]))
    rows = rows.append_column("day", pa.array([DAY] * rows.num_rows)).replace_schema_metadata(None)
    write_deltalake(lake / folder.name / "snowball", rows, partition_by=["day"])
    return folder


def answer(folder: Path, name: str) -> pa.Table:
    """What a query finds on the day."""
    workload = load_workload(folder)
    query = compile_workload(workload)[name]
    return LakeDays(workload, folder.parent / "lake").asked(query.bound, query.evaluator, DAY, DAY).answer().rows


@pytest.fixture
def asked(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("TRENDMILL_LAKE", str(home.parent / "lake"))

    def ask(name: str, *how: str, code: int = 0, day: object = DAY) -> str:
        assert main(["why", str(home), name, "--day", str(day), *how]) == code
        said = capsys.readouterr()
        return said.err if code else said.out

    return ask


def test_every_listed_match_is_told(home: Path, asked) -> None:
    """Each of its events with all attributes, each condition with values; none of them fails."""
    rows = answer(home, "snowball")
    ids = match_ids(rows, ["a", "b", "c"]).to_pylist()
    assert len(ids) > 3
    for match_id, row in list(zip(ids, rows.to_pylist(), strict=True))[:: len(ids) // 3]:
        said = asked("snowball", "--match", match_id)
        heading, header, *events = said.splitlines()
        seqs = [row["a"], *row["b"], row["c"]]
        assert heading.startswith(f"match {match_id}: line ")
        assert heading.endswith(f", {len(seqs)} events")
        assert header.split() == ["variable", "event_type", "ts", "seq", "line", "station", "delay_min"]
        assert [int(line.split()[4]) for line in events[: len(seqs)]] == seqs
        assert events[len(seqs)].startswith("  why: a = row ")
        assert "in every event" in said
        assert "c.delay_min >= 10: " in said
        assert "fails" not in said
        assert asked("snowball", "--match", match_id[:9]) == said


def test_a_match_that_the_present_query_denies_says_what_fails(home: Path, asked) -> None:
    rows = answer(home, "snowball")
    path = home / "queries" / "snowball.cep"
    text = path.read_text()
    try:
        path.write_text(text.replace("c.delay_min >= 10", "c.delay_min >= 1000"))
        denied = asked("snowball", "--match", match_ids(rows, ["a", "b", "c"])[0].as_py())
    finally:
        path.write_text(text)
    assert "no match, as a = row" in denied
    assert "  fails  c.delay_min >= 1000: " in denied


def test_each_row_of_an_aggregation_has_as_many_trends_as_it_counts(home: Path, asked) -> None:
    """Also of windows that begin on the day before and end on the day."""
    counts = answer(home, "late_pairs")["count"].to_pylist()
    few = [number for number, count in enumerate(counts) if 0 < count <= 40]
    assert few
    for number in few[:: max(1, len(few) // 6)]:
        said = asked("late_pairs", "--row", str(number + 1))
        [many] = re.findall(r"([\d,]+) trends? in this window and group", said)
        assert int(many) == counts[number]


def test_any_violation_is_proven(asked) -> None:
    assert "violated, as" in asked("no_arrival", "--row", "2")
    assert "violated, as" in asked("punctual", "--row", "1")


def test_what_is_not_there_is_told(asked) -> None:
    assert "SELECT match_id FROM lines.snowball WHERE day = " in asked("snowball", "--match", "zz", code=2)
    assert "matches begin with ''" in asked("snowball", "--match", "", code=2)
    assert "lists no matches; --row N asks" in asked("late_chains", "--match", "1", code=2)
    assert "--row 9999: snowball has " in asked("snowball", "--row", "9999", code=2)
    assert "the lake does not hold 2013-04-01" in asked("snowball", "--match", "1", code=2, day="2013-04-01")
