"""Tasks as a scheduler sees them: who holds the lake is told at once, and a run keeps the workload it began with."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path

import pytest

from jobs import cli, spark_task
from jobs.exits import BUSY, WrongWorkload
from jobs.lake.leasing.lease import lease_file, read, take
from jobs.runs import input_size
from jobs.signals import Terminated
from jobs.tasks.application import new_run_id
from jobs.tasks.ending import done
from jobs.tasks.stored_workload import workload_of_run
from tests.runs.lake.small_workload import day, write_workload


@pytest.fixture(autouse=True)
def no_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    """No task here comes to its gate: a judge would import its library in vain."""
    monkeypatch.setattr("jobs.spark_task.judges_for", lambda *_: nullcontext())


def test_a_task_that_meets_another_runs_lease_fails_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 5, so that the scheduler looks again later, and a message that names the holder; no JVM is started.

    Whoever chooses settings for a JVM sees it before one starts, and the run itself is not in its own way.
    """
    home = write_workload(tmp_path / "workloads")
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    take(lease_file(tmp_path / "lake", "machines"), "other", "backfill_machines of January")
    arguments = ["--task", "load", "--from", "2013-01-02", "--to", "2013-01-02", "--run-id", "mine"]
    for main in (spark_task.main, input_size.main):
        assert main(["--workload", str(home), *arguments]) == BUSY
        last = capsys.readouterr().err.splitlines()[-1]
        assert last.startswith("trendmill: the lake is in use by backfill_machines of January")
    assert input_size.main(["--workload", str(home), *arguments[:-1], "other"]) == 0
    kept = read(lease_file(tmp_path / "lake", "machines"))
    assert kept is not None
    assert kept.run_id == "other"


def test_a_wrong_workload_ends_with_2_and_gives_the_lease_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No retry can help: all problems are told, and nobody waits for the lease to expire."""
    home = write_workload(tmp_path / "workloads")
    (home / "queries" / "climbs.cep").write_text("-- Which?\nPATTERN SEQ(Begin a, Stop c) WITHIN 5 minutes\n")
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    arguments = ["--task", "load", "--from", "2013-01-02", "--to", "2013-01-02", "--run-id", "mine"]
    assert spark_task.main(["--workload", str(home), *arguments]) == 2
    assert "climbs.cep:2" in capsys.readouterr().err
    assert read(lease_file(tmp_path / "lake", "machines")) is None


@pytest.mark.parametrize("error", [Terminated, partial(WrongWorkload, "no such column")])
def test_the_lease_is_given_back_though_nobody_reads_the_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Callable[[], BaseException]
) -> None:
    """Airflow kills spark-submit, through which the message goes, at the same moment as its program."""
    monkeypatch.setattr("jobs.signals.end_jvm", lambda: None)  # other tests of this process may need theirs
    home, lease = write_workload(tmp_path / "workloads"), lease_file(tmp_path / "lake", "machines")
    take(lease, "mine", "run mine")

    def work(_: str) -> None:
        raise error()

    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as nobody:
        monkeypatch.setattr(sys, "stderr", nobody)
        with pytest.raises(BrokenPipeError):
            done(work, tmp_path / "lake", str(home), "mine")
        assert read(lease) is None
        with suppress(BrokenPipeError):  # what was not printed is tried again
            nobody.close()


def test_a_run_goes_on_with_the_workload_it_began_with(tmp_path: Path) -> None:
    """An edit while a run is on is seen by the next run, not by this one."""
    home = write_workload(tmp_path / "workloads")
    begun = workload_of_run(str(home), "nightly/2013-01-02", tmp_path / "lake")
    (home / "workload.yaml").write_text((home / "workload.yaml").read_text().replace("Machines", "Engines"))
    assert workload_of_run(str(home), "nightly/2013-01-02", tmp_path / "lake").title == begun.title == "Machines"
    assert workload_of_run(str(home), "nightly/2013-01-03", tmp_path / "lake").title == "Engines"
    (home / "workload.yaml").write_text("half an edit: [")
    assert workload_of_run(str(home), "nightly/2013-01-02", tmp_path / "lake").title == "Machines"


@pytest.mark.parametrize("path", ["data/{day}.csv", "../elsewhere/{day}.csv", "/absolute/{day}.csv"])
def test_a_stored_workload_reads_the_files_of_the_original(tmp_path: Path, path: str) -> None:
    """Relative paths start in the folder that the engineer wrote, not in its copy below the lake."""
    home = write_workload(tmp_path / "workloads")
    declared = (home / "workload.yaml").read_text().replace("data/{day}.csv", path)
    (home / "workload.yaml").write_text(declared)
    stored = workload_of_run(str(home), "night", tmp_path / "lake")
    assert stored.folder != home
    assert stored.name == "machines"
    [path_read] = stored.sources["steps"].paths([day(1)], stored.base)
    assert Path(path_read) == home / path.replace("{day}", "2013-01-02")


def test_a_run_that_no_retry_can_help_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who corrects a query and clears the failed task gets the corrected query; after exit code 1 nothing changes."""
    home = write_workload(tmp_path / "workloads")
    query = home / "queries" / "climbs.cep"
    right = query.read_text()
    query.write_text("-- Which?\nPATTERN SEQ(Begin a, Stop c) WITHIN 5 minutes\n")
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))

    def fails(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("jobs.tasks.nightly.create", fails)
    arguments = ["--task", "load", "--from", "2013-01-02", "--to", "2013-01-02", "--run-id", "mine"]
    assert spark_task.main(["--workload", str(home), *arguments]) == 2
    assert "climbs.cep:2" in capsys.readouterr().err
    query.write_text(right)
    assert spark_task.main(["--workload", str(home), *arguments]) == 1
    assert "disk full" in capsys.readouterr().err
    query.write_text(right.replace("20 hours", "21 hours"))
    assert "20 hours" in next(f for f in stored_files(home, tmp_path) if f.name == "climbs.cep").read_text()


def test_runs_of_one_moment_have_ids_of_their_own_in_their_order() -> None:
    """The tables tell by the id what a run did: two runs that share it would each be told to have done both's work."""
    made = [new_run_id() for _ in range(5)]
    assert made == sorted(set(made))


def stored_files(home: Path, root: Path) -> list[Path]:
    """The queries that the run `mine` works with."""
    return workload_of_run(str(home), "mine", root / "lake").question_files()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "machinse", "--from", "2013-01-02"], "did you mean 'machines'"),
        (["run", "machines"], "give either --from"),
        (["run", "machines", "--from", "2013-01-02", "--to", "2013-01-01"], "lies before"),
        (["run", "machines", "--from", "2012-12-31"], "before the log's start"),
        (["try", "machines", "climb", "--day", "2013-01-02"], "did you mean 'climbs'"),
        (["try", "machines", "climbs", "--day", "2013-01-02"], "trendmill run machines"),
        (["rebuild", "machines", "climb"], "did you mean 'climbs'"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_wrong_command_says_what_would_be_right(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    """Exit code 2 and one message, before any JVM is started."""
    write_workload(tmp_path / "workloads")
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    assert cli.main(arguments) == 2
    assert words in capsys.readouterr().err


def test_status_of_an_empty_lake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A workload that never ran has no days, no holes and nothing stale."""
    write_workload(tmp_path / "workloads")
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path / "workloads"))
    monkeypatch.setenv("TRENDMILL_LAKE", str(tmp_path / "lake"))
    assert cli.main(["status", "machines"]) == 0
    first, hint = capsys.readouterr().out.splitlines()[:2]
    assert first.startswith("machines: no days, no events")
    assert hint.strip() == "load days with: trendmill run machines --from DAY [--to DAY]"
