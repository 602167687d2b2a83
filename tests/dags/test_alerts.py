"""The tasks and the DAG that a workload's alerts need, run by real Airflow."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.alerts.servers import mail_server

pytestmark = pytest.mark.airflow

DAGS = Path(__file__).resolve().parents[2] / "dags"
FOLDER = """title: A log that tells
owner: flight-ops
schedule: "0 8 * * *"
start: 2013-01-01
time: {zone: America/New_York}
"""
ALERTS = """alerts:
  places: {ops: {webhook: "${env:OPS}"}, pager: {airflow: test_pager}}
  when:
    - late_ones.rows > 0
    - {late: 06:00, to: [ops]}
    - late: 9:30
    - gate: failed
"""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three workloads: without alerts, with all kinds, with conditions only."""
    root = tmp_path_factory.mktemp("telling")
    only = "alerts: {places: {ops: {webhook: '${env:OPS}'}}, when: [late_ones.rows > 0]}\n"
    for name, alerts in {"silent": "", "telling": ALERTS, "brief": only}.items():
        (root / name).mkdir()
        (root / name / "workload.yaml").write_text(FOLDER + alerts)
    return root


@pytest.fixture(scope="module")
def dags(airflow_home: Path, folders: Path) -> dict[str, Any]:
    """Their DAGs."""
    from airflow.dag_processing.dagbag import BundleDagBag

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRENDMILL_WORKLOADS", str(folders))
        bag = BundleDagBag(dag_folder=DAGS, bundle_path=DAGS, bundle_name="dags-folder")
    assert not [error for file, error in bag.import_errors.items() if file != "broken_workloads.py"]
    return dict(bag.dags)


def test_only_alerts_bring_tasks(dags: dict[str, Any]) -> None:
    """`alert` after publish; `alert_refused` beside what follows a load that failed, so that the run stays failed."""
    four = {"load", "slice", "evaluate", "publish"}
    assert set(dags["nightly_silent"].task_ids) == four
    assert set(dags["nightly_brief"].task_ids) == {*four, "alert"}
    telling = dags["nightly_telling"]
    assert set(telling.task_ids) == {*four, "alert", "alert_refused"}
    assert telling.get_task("alert").upstream_task_ids == {"publish"}
    refused = telling.get_task("alert_refused")
    assert (refused.upstream_task_ids, refused.trigger_rule) == ({"load"}, "one_failed")
    assert not refused.downstream_task_ids
    assert refused.arguments[:3] == ["alerts", "telling", "--day"]
    assert not [name for name in dags["backfill_telling"].task_ids if "alert" in name]


def test_late_results_have_a_dag(dags: dict[str, Any]) -> None:
    """At each of the times in the log's zone, also while a night holds the slot of Spark's pool."""
    from airflow.serialization.encoders import coerce_to_core_timetable
    from airflow.timetables.base import DagRunInfo, TimeRestriction

    assert {name for name in dags if name.startswith("late_")} == {"late_telling"}
    dag = dags["late_telling"]
    [task] = dag.tasks
    assert task.arguments == ["alerts", "telling", "--late", "--send"]
    assert task.pool == "default_pool"
    assert (dag.catchup, dag.max_active_runs) == (False, 1)
    timetable, last, moments = coerce_to_core_timetable(dag.timetable), None, []
    span = TimeRestriction(_utc(2013, 3, 9, 0), None, catchup=True)
    for _ in range(4):
        run = timetable.next_dagrun_info(last_automated_data_interval=last, restriction=span)
        assert isinstance(run, DagRunInfo)
        last = run.data_interval
        moments.append(run.run_after)
    # summer time begins on 10 March
    assert moments == [_utc(2013, 3, 9, 11), _utc(2013, 3, 9, 14, 30), _utc(2013, 3, 10, 10), _utc(2013, 3, 10, 13, 30)]


def test_every_task_waits_for_no_spark_and_can_be_understood(dags: dict[str, Any]) -> None:
    tasks = [dags["late_telling"].tasks[0], *map(dags["nightly_telling"].get_task, ("alert", "alert_refused"))]
    for task in tasks:
        assert (task.owner, task.pool) == ("flight-ops", "default_pool")
        assert task.retries >= 1
        assert task.execution_timeout is not None
        assert "reads" in task.doc_md.lower()
        assert "triage" in task.doc_md.lower()


def test_a_backfill_sends_nothing(dags: dict[str, Any]) -> None:
    """Airflow's own, of the nightly DAG."""
    from airflow.sdk.exceptions import AirflowSkipException

    with pytest.raises(AirflowSkipException, match="a backfill sends nothing"):
        dags["nightly_telling"].get_task("alert").execute({"dag_run": SimpleNamespace(run_type="backfill")})


def test_a_refused_day_is_told_and_its_run_stays_failed(
    dags: dict[str, Any], folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`alert_refused` runs once load has failed for good. It ends the run, and does not make it a success."""
    import pendulum
    from airflow.sdk.exceptions import AirflowFailException

    from trendmill.operators import Command, SparkTask

    def refuse(self: Any, context: Any) -> None:
        raise AirflowFailException("load ended with exit code 3")

    commands: list[list[str]] = []
    monkeypatch.setenv("TRENDMILL_WORKLOADS", str(folders))  # a test run reads the files again
    monkeypatch.setattr(SparkTask, "execute", refuse)
    monkeypatch.setattr(Command, "execute", lambda self, context: commands.append(self.arguments))
    done = dags["nightly_telling"].test(logical_date=pendulum.datetime(2013, 3, 9, 8))
    states = {task.task_id: str(task.state) for task in done.get_task_instances()}
    assert (states["load"], states["alert_refused"], states["alert"]) == ("failed", "success", "upstream_failed")
    assert str(done.state) == "failed"
    assert commands == [["alerts", "telling", "--day", "2013-03-08", "--send"]]


def test_the_program_gets_the_connections_of_its_places(dags: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever store Airflow has them in; one that is unknown is not given, and the program says so."""
    monkeypatch.setenv("AIRFLOW_CONN_TEST_PAGER", "smtp://me:word@mail:25")
    task = dags["nightly_telling"].get_task("alert")
    environment = task.further_environment()
    assert json.loads(environment["AIRFLOW_CONN_TEST_PAGER"])["password"] == "word"
    monkeypatch.delenv("AIRFLOW_CONN_TEST_PAGER")
    task.connections = ("nobody_knows",)
    assert task.further_environment() == {}


def test_a_notifier_of_airflow(airflow_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its arguments are templates that the message fills; values of the message are no templates."""
    from datetime import date

    from jobs.alerts.message import Message
    from jobs.alerts.sending.by_airflow import notify
    from jobs.alerts.sending.failure import SendFailed

    message = Message(
        "lines", date(2013, 3, 10), "late.rows > 0", "pager", "Line {{ 7 * 7 }} <b>", "why", "https://r/x"
    )
    with mail_server() as received:
        port = received.address.rpartition(":")[2]
        extra = {"disable_ssl": True, "disable_tls": True}
        connection = {"conn_type": "smtp", "host": "127.0.0.1", "port": int(port), "extra": extra}
        monkeypatch.setenv("AIRFLOW_CONN_TEST_MAIL", json.dumps(connection))
        notify("test_mail", "", {"to": "duty@example.com", "from_email": "t@example.com"}, message)
    [mail] = received.mails
    assert mail["Subject"] == "lines, 10 March 2013: late.rows > 0"
    [part] = [part.get_content() for part in mail.walk() if part.get_content_type() == "text/html"]
    assert "<p>Line {{ 7 * 7 }} &lt;b&gt;</p>" in part
    assert '<a href="https://r/x">' in part
    monkeypatch.setenv("AIRFLOW_CONN_TEST_PAGER", "slack://me:s3cret@chat")
    with pytest.raises(SendFailed, match="is of type 'slack': name a notifier"):
        notify("test_pager", "", {}, message)
    with pytest.raises(SendFailed, match="ModuleNotFoundError"):
        notify("test_pager", "no_such.Notifier", {}, message)
    with pytest.raises(SendFailed, match="isn't defined"):
        notify("nobody_knows", "", {}, message)


class Leaking:
    """A notifier that tells all it knows."""

    def __init__(self, token: str) -> None:
        self.token = token

    def __call__(self, context: Any) -> None:
        from airflow.sdk import Connection

        print(f"logged: {self.token}")
        raise ValueError(f"{self.token}, {Connection.get('test_pager').extra_dejson['api']}, s3c%23ret")


def test_a_notifier_tells_no_secret(
    airflow_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither of its arguments nor of its connection, in what it raises and in what it prints."""
    from datetime import date

    from jobs.alerts.message import message_of_test
    from jobs.alerts.sending.deliver import deliver
    from jobs.alerts.sending.failure import SendFailed
    from jobs.workload.sections.alerting.places import Notifier

    connection = {"conn_type": "slack", "password": "s3c#ret", "extra": {"api": "xoxb-17"}}
    monkeypatch.setenv("AIRFLOW_CONN_TEST_PAGER", json.dumps(connection))
    monkeypatch.setenv("TEST_TOKEN", "t0k3n")
    place = Notifier("pager", "test_pager", f"{__name__}.Leaking", {"token": "Bearer ${env:TEST_TOKEN}"})
    with pytest.raises(SendFailed) as failure:
        deliver(place, message_of_test("lines", date(2013, 3, 10), "pager"))
    assert str(failure.value) == "ValueError: Bearer ..., ..., ..."
    assert "logged: Bearer ...\n" in capsys.readouterr().err


@given(st.from_regex(r"[0-3 ]?[0-9]:[0-6]?[0-9]", fullmatch=True), st.sampled_from(["UTC", "Europe/Paris", "Mars"]))
def test_dags_and_check_agree_on_late(written: str, zone: str) -> None:
    """A time that one side takes is taken by the other, and means the same there."""
    import yaml

    from jobs.workload.files.problems import Problems
    from jobs.workload.sections.alerting.declared import read_alerts
    from jobs.workload.sections.log_time import read_time
    from trendmill.alert_facts import read_alert_facts

    section = {"places": {"ops": {"webhook": "${env:OPS}"}}, "when": [{"late": written}]}
    problems = Problems()
    alerts = read_alerts(problems, section, [])
    read_time(problems, {"zone": zone})
    text = yaml.safe_dump({"time": {"zone": zone}, "alerts": section})
    try:
        facts = read_alert_facts(yaml.compose(text, Loader=yaml.SafeLoader))
    except ValueError:
        facts = None
    assert (facts is None) == bool(problems.noted)
    if facts is not None:
        assert (facts.zone, facts.late) == (zone, tuple(f"{alert.late:%H:%M}" for alert in alerts.alerts))


def _utc(*parts: int) -> Any:
    import pendulum

    return pendulum.instance(datetime(*parts, tzinfo=UTC))
