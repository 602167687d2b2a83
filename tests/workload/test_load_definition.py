"""What made a day of events: which edits of a workload change its hash, and which days another definition loaded."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from jobs.exits import WrongWorkload
from jobs.runs.outdated_loads import moved_days, outdated_days, refuse_mixed_days, unfinished_days
from jobs.runs.recorded_days import UNFINISHED, Ledger, LoadedDay
from jobs.runs.source_days import is_gone
from jobs.workload.declaration import Workload, load_workload
from jobs.workload.load_definition import load_definition
from tests.runs.lake.small_workload import day, write_workload


def edited(home: Path, file: str, before: str, after: str) -> Workload:
    path = home / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    return load_workload(home)


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("events.sql", "machine, load", "machine, 2 * load AS load"),
        ("workload.yaml", "row: int, kind", "row: float, kind"),
        ("workload.yaml", "order: [row]", "order: [row, load]"),
        ("workload.yaml", "order: [row]", "slack: 1"),
        ("workload.yaml", "format: csv", "format: csv\n    missing: '-'"),
        ("workload.yaml", "format: csv", "format: csv\n    options: {sep: ';'}"),
        ("workload.yaml", "0 0 * * *", "30 0 * * *"),
        ("workload.yaml", "unit: s", "unit: ms"),
        ("workload.yaml", "zone: UTC", "zone: Europe/Berlin"),
        ("workload.yaml", "ties: concurrent", "ties: ordered"),
        ("workload.yaml", "\nlimits", "\n  Pause: {machine: string}\nlimits"),
        ("expectations.yaml", "load >= 0", "load > 0"),
    ],
)
def test_what_decides_the_events_changes_the_hash(tmp_path: Path, file: str, before: str, after: str) -> None:
    home = write_workload(tmp_path, days=0)
    former = load_definition(load_workload(home))
    assert load_definition(edited(home, file, before, after)) != former


def test_so_does_the_column_that_tells_the_days_of_rows(tmp_path: Path) -> None:
    """A source without one has the hash that it had before there were such columns."""
    home = write_workload(tmp_path, days=0)
    whole = load_definition(edited(home, "workload.yaml", "data/{day}.csv", "data/*.csv"))
    assert whole == "be72721267997d59"
    assert load_definition(edited(home, "workload.yaml", "order: [row]", "order: [row]\n    time: moment")) != whole


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("workload.yaml", "title: Machines", "title: Presses"),
        ("workload.yaml", "path: data", "path: moved/data"),
        ("workload.yaml", "slices: 3", "slices: 4"),
        ("workload.yaml", "Start: {machine: string", "Start: {machine: {type: string, title: the machine}"),
        ("workload.yaml", "Start: {machine: string", "Start: {machine: {type: string, shown: true}"),
        ("expectations.yaml", "max_value: 1000", "max_value: 2000"),
        ("queries/climbs.cep", "20 hours", "10 hours"),
    ],
)
def test_what_does_not_decide_them_leaves_the_hash(tmp_path: Path, file: str, before: str, after: str) -> None:
    home = write_workload(tmp_path, days=0)
    former = load_definition(load_workload(home))
    assert load_definition(edited(home, file, before, after)) == former


def test_days_of_files_of_many_days_are_gone_with_the_last_of_them(tmp_path: Path) -> None:
    home = write_workload(tmp_path, days=2)
    workload = edited(home, "workload.yaml", "data/{day}.csv", "data/*.csv")
    (home / "data" / f"{day(0)}.csv").unlink()
    assert not is_gone(workload, day(0))
    (home / "data" / f"{day(1)}.csv").unlink()
    assert is_gone(workload, day(0))
    assert not is_gone(edited(home, "workload.yaml", "format: csv", "format: csv\n    must_exist: false"), day(0))


def test_days_are_outdated_only_if_another_definition_is_known(tmp_path: Path) -> None:
    """Days that begin elsewhere may be replaced all at once, and else are refused with the command that mends them."""
    workload = load_workload(write_workload(tmp_path, days=4))
    present, begin = load_definition(workload), workload.operating_days.interval
    ledger = Ledger(
        {
            day(0): LoadedDay("a"),
            day(1): LoadedDay("b", definition=present, begins=begin(day(1))[0]),
            day(2): LoadedDay("c", definition="other", begins=begin(day(2))[0]),
            day(3): LoadedDay("d", definition="other", begins=begin(day(3))[0] + 3_600),
        }
    )
    assert outdated_days(ledger, workload) == (day(2), day(3))
    begun = Ledger({day(0): LoadedDay("a", definition=UNFINISHED), day(1): LoadedDay("b", definition=present)})
    assert outdated_days(begun, workload) == unfinished_days(begun) == (day(0),)
    assert moved_days(ledger, workload) == (day(3),)
    refuse_mixed_days(ledger, workload, [day(3)])
    with pytest.raises(WrongWorkload, match=r"than 2013-01-04 in the lake.*trendmill run machines --stale"):
        refuse_mixed_days(ledger, workload, [date(2013, 1, 9)])
    (workload.folder / "data" / f"{day(3)}.csv").unlink()
    with pytest.raises(WrongWorkload, match=r"the files of 2013-01-04 are gone"):
        refuse_mixed_days(ledger, workload)
