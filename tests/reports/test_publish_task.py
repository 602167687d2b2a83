"""A run's last task: it publishes what the run began with, wherever the folder is, and ends the run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs import cli, publish_task
from jobs.lake.leasing.lease import lease_file, read, take
from jobs.reports import site
from jobs.tasks.stored_workload import workload_of_run
from tests.reports.lake.reading import read as read_page
from tests.reports.lake.small_days import DAY, REFUSED
from tests.reports.lake.small_workload import write_workload

RUN = "nightly/2013-03-08"


@pytest.fixture
def folder(places: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A workload of the session's lake in a folder of its own, which its name does not find."""
    home = tmp_path / "somewhere" / "lines"
    write_workload(home)
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "none"))
    monkeypatch.setenv("TRENDMILL_REPORTS", str(tmp_path / "reports"))
    yield home
    assert read(lease_file(places / "lake", "lines")) is None


def arguments(folder: Path, day: object = DAY, run_id: str = RUN) -> list[str]:
    return ["--workload", str(folder), "--from", str(day), "--to", str(day), "--run-id", run_id]


def title_of(tmp_path: Path, day: object = DAY) -> str:
    return read_page(tmp_path / "reports" / "lines" / str(day) / "index.html").text("title")[0]


def edit(folder: Path, title: str) -> None:
    """What somebody may do while a run is on: another title, and a query that is not finished."""
    declared = (folder / "workload.yaml").read_text()
    (folder / "workload.yaml").write_text(declared.replace("title: Lines & <b>stations</b>", f"title: {title}"))
    (folder / "queries" / "unfinished.cep").write_text("-- What?\nPATTERN SEQ(\n")


def test_the_report_is_of_the_workload_that_the_run_began_with(places: Path, folder: Path, tmp_path: Path) -> None:
    """An edit since the first task is not in it; whoever clears the task after its end gets the present folder."""
    workload_of_run(str(folder), RUN, places / "lake")
    take(lease_file(places / "lake", "lines"), RUN, "the night")
    edit(folder, "Edited")
    assert publish_task.main(arguments(folder)) == 0
    assert "Lines & <b>stations</b>" in title_of(tmp_path)
    (folder / "queries" / "unfinished.cep").unlink()
    assert publish_task.main(arguments(folder)) == 0
    assert "Edited" in title_of(tmp_path)


def test_the_command_line_publishes_a_folder(folder: Path, tmp_path: Path) -> None:
    """`trendmill run FOLDER --stage publish` needs no workload of that name among the known ones."""
    assert cli.main(["run", str(folder), "--from", str(DAY), "--stage", "publish"]) == 0
    assert "Lines & <b>stations</b>" in title_of(tmp_path)


def test_a_refused_day_is_the_last_word(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 3 and the gate's reason, after what could be published was; another run's refusals are not told."""
    assert publish_task.main(arguments(folder, REFUSED, "another")) == 0
    capsys.readouterr()
    assert publish_task.main(arguments(folder, REFUSED, "run-1")) == 3
    printed = capsys.readouterr()
    assert printed.err.startswith(
        f"trendmill: quality gate failed on 1 day(s), which keep their former tables: {REFUSED}"
    )
    assert title_of(tmp_path, REFUSED)


def test_a_wrong_query_publishes_nothing(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, the query's place, the former report as it was."""
    assert publish_task.main(arguments(folder)) == 0
    before = (tmp_path / "reports" / "lines" / str(DAY) / "index.html").read_bytes()
    edit(folder, "Edited")
    capsys.readouterr()
    assert publish_task.main(arguments(folder)) == 2
    assert "queries/unfinished.cep:2" in capsys.readouterr().err
    assert (tmp_path / "reports" / "lines" / str(DAY) / "index.html").read_bytes() == before


@pytest.mark.parametrize("exchanges", [True, False])
def test_a_new_folder_takes_the_place_of_the_former_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanges: bool
) -> None:
    if not exchanges:
        monkeypatch.setattr(site, "_exchanged", lambda *_: False)
    place = tmp_path / "2013-01-02"
    for text in ("first", "second"):
        written = tmp_path / ".written"
        written.mkdir()
        (written / "index.html").write_text(text)
        site.move_folder(written, place)
        assert (place / "index.html").read_text() == text
        assert [path.name for path in tmp_path.iterdir()] == ["2013-01-02"]


def test_what_an_exchange_cannot_do_is_told(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    with pytest.raises(FileNotFoundError, match="gone"):
        site._exchanged(tmp_path / "here", tmp_path / "gone")
