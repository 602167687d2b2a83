"""Webhooks and mail: what counts as sent, and what a failure may say."""

from __future__ import annotations

from datetime import date

import pytest

from jobs.alerts.message import Message, message_of_test
from jobs.alerts.sending.deliver import deliver, is_off
from jobs.alerts.sending.failure import SendFailed
from jobs.alerts.sending.mail import mail
from jobs.alerts.sending.webhook import post
from jobs.workload.sections.alerting.places import Mailbox, Webhook
from tests.alerts.servers import Received

MESSAGE = message_of_test("lines", date(2013, 3, 10), "ops")
ODD = Message(
    "lines", MESSAGE.day, "a.rows > 0", "ops", "A <!channel> & \u202egnp.exe\r\nBcc: all@example.com", "x", ""
)


def test_a_chat_calls_nobody_and_a_line_stays_a_line(ops: Received, duty: Received) -> None:
    """Values of a log may hold anything; characters that act rather than show become blanks."""
    post(ops.address, ODD)
    assert ops.bodies[0]["text"].splitlines()[1] == "A &lt;!channel&gt; &amp;  gnp.exe  Bcc: all@example.com"
    assert ops.bodies[0]["sentence"] == ODD.sentence
    mail(duty.address, "a@example.com", ["b@example.com"], ODD)
    assert duty.mails[0]["Bcc"] is None
    assert duty.mails[0].get_content().splitlines()[0] == "A <!channel> &  gnp.exe  Bcc: all@example.com"


@pytest.mark.parametrize("status", [301, 400, 404, 500])
def test_another_answer_than_success_is_a_failure(ops: Received, status: int) -> None:
    ops.status = status
    with pytest.raises(SendFailed, match=f"it answered {status}") as failure:
        post(ops.address, MESSAGE)
    assert str(failure.value).endswith(": no ...")


def test_a_redirection_is_not_followed(ops: Received) -> None:
    """The message, and the token in its address, go to no other place."""
    with pytest.raises(SendFailed, match="it answered 302"):
        post(ops.address.replace("/hook/s3cret", "/elsewhere"), MESSAGE)
    assert not ops.bodies


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:1/s3cret?token=s3cret",
        "http://no-such-host.invalid/s3cret",
        "ftp://127.0.0.1/s3cret",
        "http://127.0.0.1:99999/s3cret",
        "http://127.0.0.1:port/s3cret",
        "http://127.0.0.1/s3cret word",
        "http://[127.0.0.1/s3cret",
        "s3cret",
    ],
)
def test_a_failure_names_no_secret(address: str) -> None:
    with pytest.raises(SendFailed) as failure:
        post(address, MESSAGE)
    assert "s3cret" not in str(failure.value)


def test_a_password_is_not_sent_unencrypted(duty: Received) -> None:
    """The server offers no encryption, so the mail is not sent at all."""
    with pytest.raises(SendFailed, match="offers no encryption") as failure:
        mail(duty.address.replace("smtp://", "smtp://me:s3cret@"), "", ["b@example.com"], MESSAGE)
    assert "s3cret" not in str(failure.value)
    assert not duty.mails


def test_addresses_that_a_server_refuses(duty: Received) -> None:
    """All of them: nothing was sent. Some of them: a second try would tell the others twice, so it is a remark."""
    duty.refused = ("gone@example.com",)
    with pytest.raises(SendFailed, match="nobody here"):
        mail(duty.address, "a@example.com", ["gone@example.com"], MESSAGE)
    remark = mail(duty.address, "a@example.com", ["gone@example.com", "b@example.com"], MESSAGE)
    assert remark == "127.0.0.1 refused gone@example.com"
    assert len(duty.mails) == 1


@pytest.mark.parametrize("server", ["smtp://", "mail.example.com", "smtp://h:99999", "http://h", "smtps://127.0.0.1:1"])
def test_no_mail_server(server: str) -> None:
    with pytest.raises(SendFailed):
        mail(server, "a@example.com", ["b@example.com"], MESSAGE)


def test_a_variable_that_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """`${env:NAME}` must be set, and the failure names it; `${env:NAME:-}` turns a place off."""
    monkeypatch.delenv("TEST_OPS", raising=False)
    with pytest.raises(SendFailed, match="TEST_OPS is not set"):
        deliver(Webhook("ops", "${env:TEST_OPS}"), MESSAGE)
    assert not is_off(Webhook("ops", "${env:TEST_OPS}"))
    assert is_off(Webhook("ops", "${env:TEST_OPS:-}"))
    assert is_off(Mailbox("duty", ("${env:TEST_OPS:-}",), "", "smtp://h"))
    assert is_off(Mailbox("duty", ("a@example.com",), "", "${env:TEST_OPS:-}"))
