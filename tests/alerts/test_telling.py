"""`trendmill alerts` on a small lake, with a web server and a mail server of this machine."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jobs import signals
from jobs.alerts.outbox import PATIENCE, Outbox
from jobs.cli import main
from jobs.commands import alerts as command
from tests.alerts.conftest import ALERTS, declare, forget_days_after, published
from tests.alerts.servers import Received

SEND = ["alerts", "lines", "--day", "2013-03-10", "--send"]
SENTENCE = "Line Red had the most: 2 of 6 matches on 10 March 2013."
"""The first sentence of the page of `snowball` of that day (tests/reports)."""


def at(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    """Let it be this moment."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return moment

    monkeypatch.setattr(command, "datetime", Clock)


def test_a_night_tells_each_place_once(
    home: Path, ops: Received, duty: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer's sentence, why, and a link; a second try, and a second night of the day, send nothing."""
    published(home, "2013-03-10", "query-snowball.html")
    monkeypatch.setenv("TRENDMILL_REPORTS_URL", "https://reports.example.com/")
    assert main(SEND) == 0
    [body], [mail] = ops.bodies, duty.mails
    page = "https://reports.example.com/lines/2013-03-10/query-snowball.html"
    why = "snowball.total is 6, more than 5"
    assert (body["sentence"], body["why"], body["link"], body["test"]) == (SENTENCE, why, page, False)
    assert (body["workload"], body["day"], body["thing"]) == ("lines", "2013-03-10", "snowball.total > 5")
    assert body["text"].splitlines()[1:] == [SENTENCE, "snowball.total &gt; 5: snowball.total is 6, more than 5.", page]
    assert ops.headers[0]["Idempotency-Key"] == body["id"]
    assert mail["Subject"] == "lines, 10 March 2013: snowball.total > 5"
    assert (mail["From"], mail["To"]) == ("trendmill@example.com", "duty@example.com")
    assert mail.get_content().splitlines() == [SENTENCE, f"snowball.total > 5: {why}.", page]
    for _ in range(2):
        assert main(SEND) == 0
    assert (len(ops.bodies), len(duty.mails)) == (1, 1)


def test_telling_without_sending(home: Path, ops: Received, capsys: pytest.CaptureFixture[str]) -> None:
    """Each alert, its values, its sentence and its places; nothing is sent or noted."""
    published(home, "2013-03-10")
    assert main(["alerts", "lines"]) == 0  # the newest day
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "lines, 10 March 2013"
    assert lines[1:6] == [
        "snowball.total > 5: due",
        "snowball.total is 6, more than 5",
        SENTENCE,
        "ops (webhook): would be told",
        "duty (mail): is off, as its address is empty",
    ]
    assert lines[6:8] == ["late_chains.rows < 10: quiet", "late_chains.rows is 15, not less than 10"]
    assert lines[9] == "of the 2 days before, 1 day has results; 2 are needed"
    assert lines[10:] == [
        "late: 06:00: quiet",
        "the results of 10 March 2013 are there",
        "gate: failed: quiet",
        "the quality gate let the day pass",
    ]
    assert not ops.bodies
    assert not (home / "lake" / "lines" / "_work" / "alerts").exists()


def test_a_day_made_up_for_sends_nothing(
    home: Path, ops: Received, duty: Received, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lake has results of later days: a backfill, or a night that is made again."""
    assert main(["alerts", "lines", "--day", "2013-03-08", "--send"]) == 0
    printed = capsys.readouterr().out
    assert "snowball.total > 5: due" in printed
    assert "not sent: the lake has results of later days, up to 2013-03-10" in printed
    assert not ops.bodies + duty.mails  # type: ignore[operator]


def test_a_comparison_with_the_days_before(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["alerts", "lines", "--day", "2013-03-08"]) == 0
    printed = capsys.readouterr().out
    why = "all_departures.max is 80, not more than 1.5 times the median of the 2 days before (65), 97.5"
    assert f"all_departures.max > 1.5 * median(2): quiet\n    {why}" in printed


def test_what_cannot_be_sent_waits(
    home: Path, ops: Received, duty: Received, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1, the other place is told, `status` says what waits and why, and the next try sends only that."""
    published(home, "2013-03-10")
    ops.status = 500
    assert main(SEND) == 1
    assert "not sent: snowball.total > 5 of 2013-03-10 to ops: it answered 500" in capsys.readouterr().out
    assert len(duty.mails) == 1
    assert main(["status", "lines"]) == 0
    waits = capsys.readouterr().out
    assert "alert not sent yet: snowball.total > 5 of 2013-03-10 to ops: it answered 500" in waits
    assert "s3cret" not in waits
    ops.status = 200
    assert main(SEND) == 0
    assert [len(ops.bodies), len(duty.mails)] == [2, 1]
    assert ops.bodies[0] == ops.bodies[1]
    assert main(["status", "lines"]) == 0
    assert "not sent yet" not in capsys.readouterr().out


def test_a_message_that_waits_goes_with_a_later_day(home: Path, ops: Received) -> None:
    """Newer days are there by then; what was due before is still sent."""
    published(home, "2013-03-10")
    ops.status = 503
    assert main(SEND) == 1
    ops.status = 200
    assert main(["alerts", "lines", "--day", "2013-03-11", "--send"]) == 0
    messages = [(body["day"], body["thing"]) for body in ops.bodies]
    assert messages == [("2013-03-10", "snowball.total > 5")] * 2 + [("2013-03-11", "late: 06:00")]


def test_a_kill_between_sending_and_noting_tells_twice(
    home: Path, ops: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rather than not at all; both carry one id, by which a receiver knows the second."""
    published(home, "2013-03-10")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Outbox, "sent", killed)
        patch.setattr(signals, "jvm", lambda: None)  # the one of other tests in this process goes on
        assert main(SEND) == 130
    assert main(SEND) == 0
    assert main(SEND) == 0
    assert [body["id"] for body in ops.bodies] == [ops.bodies[0]["id"]] * 2


def test_a_kill_while_noting_sends_once(home: Path, ops: Received, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is noted as sent, and its note as waiting is still there."""
    published(home, "2013-03-10")

    def killed(path: Path, missing_ok: bool = False) -> None:
        if path.parent.name == "waiting":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", killed)
        patch.setattr(signals, "jvm", lambda: None)
        assert main(SEND) == 130
    assert main(SEND) == 0
    assert len(ops.bodies) == 1


def test_old_news_is_given_up(home: Path, ops: Received, capsys: pytest.CaptureFixture[str]) -> None:
    """A message waits for two days; then it stays noted, and is not tried again."""
    published(home, "2013-03-10")
    ops.status = 500
    assert main(SEND) == 1
    [file] = (home / "lake" / "lines" / "_work" / "alerts" / "waiting").glob("*.json")
    facts = json.loads(file.read_text())
    facts["noted_at"] = (datetime.now(UTC) - PATIENCE - timedelta(minutes=1)).isoformat()
    file.write_text(json.dumps(facts))
    assert main(SEND) == 1
    assert "given up" in capsys.readouterr().out
    assert main(SEND) == 0
    assert "ops given up at" in capsys.readouterr().out
    assert len(ops.bodies) == 2


def test_a_refused_day_is_told(home: Path, ops: Received, capsys: pytest.CaptureFixture[str]) -> None:
    """With the gate's first reason; conditions on results say that there are none."""
    forget_days_after(home, "2013-03-08")
    assert main(["alerts", "lines", "--day", "2013-03-09", "--send"]) == 0
    assert "snowball.total > 5: unknown; the quality gate refused the day" in capsys.readouterr().out
    messages = {body["thing"]: body for body in ops.bodies}
    assert messages["gate: failed"]["sentence"] == "The quality gate refused 9 March 2013, there are no results of it."
    assert messages["gate: failed"]["why"].startswith("the gate's first reason: line_known: <script>")
    assert "&lt;script&gt;" in messages["gate: failed"]["text"]


@pytest.mark.parametrize(
    ("moment", "reason"),
    [
        (datetime(2013, 3, 11, 9, 59, tzinfo=UTC), None),  # 05:59 in New York, where summer time has begun
        (datetime(2013, 3, 11, 10, 0, tzinfo=UTC), "its report has not been published"),
        (datetime(2013, 3, 10, 10, 0, tzinfo=UTC), "the quality gate refused the day"),
        (datetime(2013, 3, 12, 11, 0, tzinfo=UTC), "the day has not been loaded"),
    ],
)
def test_late_results(
    home: Path, ops: Received, monkeypatch: pytest.MonkeyPatch, moment: datetime, reason: str | None
) -> None:
    """At 06:00 in the log's zone, of the day that ended last, once; a day ends at 08:00 UTC."""
    at(monkeypatch, moment)
    forget_days_after(home, "2013-03-08" if moment.day == 10 else "2013-03-10")
    for _ in range(2):
        assert main(["alerts", "lines", "--late", "--send"]) == 0
    assert [(body["thing"], body["why"]) for body in ops.bodies] == ([("late: 06:00", reason)] if reason else [])


def test_results_in_time_are_not_late(home: Path, ops: Received, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report is there, or the log had not begun."""
    published(home, "2013-03-10")
    for moment in (datetime(2013, 3, 11, 23, tzinfo=UTC), datetime(2013, 2, 1, tzinfo=UTC)):
        at(monkeypatch, moment)
        assert main(["alerts", "lines", "--late", "--send"]) == 0
    assert not ops.bodies


def test_a_wrong_query_does_not_hush_that_results_are_late(
    home: Path, ops: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake in the workload is what makes nights fail."""
    at(monkeypatch, datetime(2013, 3, 12, 12, tzinfo=UTC))
    (home / "workloads" / "lines" / "queries" / "snowball.cep").write_text("PATTERN (")
    (home / "workloads" / "lines" / "events.sql").unlink()
    assert main(["alerts", "lines", "--late", "--send"]) == 0
    assert [body["sentence"] for body in ops.bodies] == [
        "At 06:00 on 12 March the results of 11 March 2013 were not there."
    ]


def test_a_test_message_is_marked(
    home: Path, ops: Received, duty: Received, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each place gets one however often it is asked for; the results are printed; nothing is noted."""
    for _ in range(2):
        assert main(["alerts", "lines", "--test"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["ops (webhook): sent", "duty (mail): sent"]
    assert [body["test"] for body in ops.bodies] == [True, True]
    assert [mail["Subject"].startswith("[test] lines, ") for mail in duty.mails] == [True, True]
    assert "This is a test; nothing happened." in duty.mails[0].get_content()
    monkeypatch.setenv("TEST_SMTP", "smtp://127.0.0.1:1")
    monkeypatch.setenv("TEST_OPS", "")
    assert main(["alerts", "lines", "--test"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "ops (webhook): off, as its address is empty"
    assert printed[1].startswith("duty (mail): failed: 127.0.0.1: ")
    assert not (home / "lake" / "lines" / "_work" / "alerts").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--test", "--send"], "--test sends a test message"),
        (["--late", "--day", "2013-03-08"], "leave --day out"),
        (["--send"], "--send needs"),
    ],
)
def test_options_that_say_nothing_together(
    home: Path, words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["alerts", "lines", *words]) == 2
    assert reason in capsys.readouterr().err


def test_a_workload_without_alerts(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    declare(home, "")
    assert main(["alerts", "lines"]) == 2
    assert "declares no alerts" in capsys.readouterr().err


def test_a_place_that_left_is_said(home: Path, ops: Received, capsys: pytest.CaptureFixture[str]) -> None:
    """Its message waits until it is given up; the others are sent."""
    published(home, "2013-03-10")
    ops.status = 500
    assert main(SEND) == 1
    declare(home, "alerts: {places: {chat: {webhook: '${env:TEST_OPS}'}}, when: [snowball.total > 5]}")
    ops.status = 200
    assert main(SEND) == 1
    assert "to ops: the workload declares this place no more" in capsys.readouterr().out
    assert [body["place"] for body in ops.bodies] == ["ops", "chat"]


def test_masked_values_are_told_to_nobody(home: Path, ops: Received) -> None:
    """A message says what the report's page says, which covers them."""
    published(home, "2013-03-10")
    declare(home, f"mask: [line, delay_min]\n{ALERTS}")
    assert main(SEND) == 0
    [body] = ops.bodies
    assert body["sentence"].startswith("There were 6 matches on 10 March 2013; ")
    assert "Red" not in body["text"]
