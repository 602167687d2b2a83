"""Sends a message by a notifier of Airflow, with a connection that this process sees (AIRFLOW_CONN_<ID>).

A task of Airflow gives the connections that a workload names to the program that it starts, so that those in Airflow's
database or in a store of secrets are seen here, too (dags/trendmill/alert_tasks.py).
"""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any
from urllib.parse import quote

from jobs.alerts.message import Message
from jobs.alerts.sending.failure import SendFailed, without

SMTP = "airflow.providers.smtp.notifications.smtp.SmtpNotifier"
MAIL = {"subject": "{{ alert.subject }}", "html_content": "{{ alert.html }}"}
"""What it gets beside its connection and the workload's arguments."""


def notify(
    connection: str, path: str, arguments: Mapping[str, Any], message: Message, secrets: Sequence[str] = ()
) -> None:
    """Make the notifier with its arguments, in which `{{ alert.text }}` and such stand for the message, and call it.

    Without `path` the connection is one to a mail server. `secrets`: values of the arguments that nothing may show.
    Raises SendFailed.
    """
    try:
        from airflow.sdk import Connection
    except ImportError:
        raise SendFailed("a notifier of Airflow needs Airflow, which is not installed here") from None
    hidden = [*secrets]
    try:
        known = Connection.get(connection)
        hidden += _secrets_of(known)
        if not path and known.conn_type != "smtp":
            raise SendFailed(f"the connection '{connection}' is of type '{known.conn_type}': name a notifier for it")
        own = {} if path else {"smtp_conn_id": connection, **MAIL}
        module, _, name = (path or SMTP).rpartition(".")
        notifier = getattr(importlib.import_module(module), name)(**{**own, **arguments})
        said = {"text": message.text, "chat": message.chat, "subject": message.subject, "html": message.html}
        with _said_without(hidden):  # Airflow logs what a notifier raises
            notifier({"alert": {**message.body, **said}})
    except SendFailed:
        raise
    except Exception as error:  # noqa: BLE001 a notifier is anybody's code; whatever it raises is why nothing was sent
        raise SendFailed(without(hidden, f"{type(error).__name__}: {error}")) from None


def _secrets_of(connection: Any) -> list[str]:
    """What of a connection nothing may show: its password and address, and the texts beside them, such as tokens."""
    beside = [text for text in connection.extra_dejson.values() if isinstance(text, str)]
    password = connection.password or ""
    return [password, quote(password, safe=""), connection.get_uri(), connection.extra or "", *beside]


@contextmanager
def _said_without(secrets: list[str]) -> Iterator[None]:
    """Print what is printed during the block, without secrets."""
    said = io.StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(said):
            yield
    finally:
        sys.stderr.write(without(secrets, said.getvalue()))
