"""One bad workload folder takes no other's DAGs: generated bad folders against the real DAG files and `check`."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jobs.cli import main
from tests.dags.bad_folders import BAD_FILES, BAD_NAMES, GOOD, write_bad_folders
from trendmill.workload_folders import BrokenFolder, WorkloadFolder, read_workload_folders

DAGS = Path(__file__).resolve().parents[2] / "dags"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str]]:
    """A good folder among all bad ones, and the names of the bad ones."""
    root = tmp_path_factory.mktemp("folders")
    (root / "good").mkdir()
    (root / "good" / "workload.yaml").write_text(GOOD)
    (root / "no_workload").mkdir()
    (root / "a_file").write_text("x")
    return root, write_bad_folders(root)


def test_every_bad_folder_is_broken_with_a_reason_of_one_short_line(folders: tuple[Path, set[str]]) -> None:
    """Names and contents alike; nothing is skipped, nothing hangs, and a reason can be printed anywhere."""
    root, bad = folders
    read = list(read_workload_folders(root))
    assert {folder.name for folder in read if isinstance(folder, BrokenFolder)} == bad
    assert [folder.name for folder in read if isinstance(folder, WorkloadFolder)] == ["good"]
    for folder in read:
        if isinstance(folder, BrokenFolder):
            assert str(folder).isprintable()
            assert str(folder).encode()
            assert len(str(folder)) < 2_000


@pytest.mark.airflow
def test_the_good_folders_dags_live_and_the_bad_ones_are_one_import_error_of_its_own(
    airflow_home: Path, folders: tuple[Path, set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Airflow schedules no DAG of a file with an import error, so that none may have one but the file without DAGs."""
    root, bad = folders
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(root))
    bag = _parsed()
    assert set(bag.dags) == {"nightly_good", "backfill_good", "maintenance"}
    assert set(bag.dags["maintenance"].task_ids) == {"good"}
    assert set(bag.import_errors) == {"broken_workloads.py"}
    error = bag.import_errors["broken_workloads.py"]
    assert [name for name in bad if f"workload folder {name!a}: " not in error] == []


@pytest.mark.airflow
def test_a_dag_that_cannot_be_built_takes_no_other_with_it(
    airflow_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever building raises is told by the file without DAGs; the folders before and after are built."""
    for name in ("first", "second", "third"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "workload.yaml").write_text(GOOD)
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(tmp_path))
    from trendmill import run_tasks

    whole = run_tasks.assets

    def assets(folder: WorkloadFolder) -> Any:
        if folder.name == "second":
            raise RuntimeError("cannot be built")
        return whole(folder)

    monkeypatch.setattr(run_tasks, "assets", assets)
    bag = _parsed()
    assert {dag for dag in bag.dags if dag.startswith("nightly_")} == {"nightly_first", "nightly_third"}
    assert set(bag.import_errors) == {"broken_workloads.py"}
    assert "workload folder 'second': RuntimeError: cannot be built" in bag.import_errors["broken_workloads.py"]


@pytest.mark.parametrize("name", sorted({*BAD_NAMES, *BAD_FILES}), ids=ascii)
def test_what_a_calendar_refuses_check_refuses(
    name: str, folders: tuple[Path, set[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, without a traceback, and not for want of the other files alone."""
    root, _ = folders
    assert main(["check", str(root / name)]) == 2
    errors = capsys.readouterr().err
    assert "Traceback" not in errors
    assert "workload.yaml" in errors


@given(
    st.one_of(
        st.text(min_size=1, max_size=70),
        st.text(string.ascii_letters + string.digits + "_- .", min_size=1, max_size=66),
        st.from_regex(r"[a-z][a-z0-9_]{0,64}", fullmatch=True),
    )
)
@example("a" * 64)
@example("a" * 65)
def test_dags_check_and_new_agree_on_names(name: str) -> None:
    """The rule is stated once for the DAGs, which may not import jobs, and once for jobs."""
    from jobs.workload.names import is_name
    from trendmill.workload_folders import NAME

    assert bool(NAME.fullmatch(name)) == is_name(name)


SCHEDULES = st.one_of(
    st.from_regex(r"[0-9]{1,2} [0-9]{1,2} \* \* \*", fullmatch=True),
    st.from_regex(r"\s?\d{1,2}\s+\d{1,2} [*0-9] [*1] \*\s?", fullmatch=True),
)
STARTS = st.one_of(
    st.dates().map(str), st.datetimes().map(str), st.from_regex(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", fullmatch=True)
)


@given(schedule=SCHEDULES, start=STARTS)
@example("0 8 * * *", "2013-02-31")
def test_dags_and_check_agree_on_schedule_and_start(
    tmp_path_factory: pytest.TempPathFactory, schedule: str, start: str
) -> None:
    """A folder that one side takes is taken by the other, and means the same there."""
    from jobs.workload.files.problems import Problems
    from jobs.workload.files.yaml_file import read_yaml
    from jobs.workload.sections.log_time import read_schedule, read_start
    from trendmill.workload_folders import WorkloadFolder, read_workload_folders

    folder = tmp_path_factory.mktemp("w") / "lines"
    folder.mkdir()
    text = f"title: a\nowner: b\nschedule: {schedule!a}\nstart: {start}\n".replace("'", '"')
    (folder / "workload.yaml").write_text(text)
    [calendar] = read_workload_folders(folder.parent)
    problems = Problems()
    declared = read_yaml(problems, folder / "workload.yaml")
    days = read_schedule(problems, declared["schedule"]).split(), read_start(problems, declared["start"])
    assert isinstance(calendar, WorkloadFolder) == (not problems.noted)
    if isinstance(calendar, WorkloadFolder):
        assert (calendar.cron.split(), calendar.start) == days


def _parsed() -> Any:
    from airflow.dag_processing.dagbag import BundleDagBag

    return BundleDagBag(dag_folder=DAGS, bundle_path=DAGS, bundle_name="dags-folder")
