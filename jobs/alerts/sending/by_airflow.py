"""Sends a message by a notifier of Airflow, with a connection that this process sees (AIRFLOW_CONN_<ID>).

A task of Airflow gives the connections that a workload names to the program that it starts, so that those in Airflow's
database or in a store of secrets are seen here, too (dags/trendmill/alert_tasks.py).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from jobs.alerts.message import Message
from jobs.alerts.sending.failure import SendFailed, without

SMTP = "airflow.providers.smtp.notifications.smtp.SmtpNotifier"
MAIL = {"subject": "{{ alert.subject }}", "html_content": "{{ alert.html }}"}
"""What it gets beside its connection and the workload's arguments."""


def notify(connection: str, path: str, arguments: Mapping[str, Any], message: Message) -> None:
    """Make the notifier with its arguments, in which `{{ alert.text }}` and such stand for the message, and call it.

    Without `path` the connection is one to a mail server. Raises SendFailed.
    """
    try:
        from airflow.sdk import Connection
    except ImportError:
        raise SendFailed("a notifier of Airflow needs Airflow, which is not installed here") from None
    secrets: list[str] = []
    try:
        known = Connection.get(connection)
        secrets = [known.password or "", known.get_uri()]
        if not path and known.conn_type != "smtp":
            raise SendFailed(f"the connection '{connection}' is of type '{known.conn_type}': name a notifier for it")
        own = {} if path else {"smtp_conn_id": connection, **MAIL}
        module, _, name = (path or SMTP).rpartition(".")
        notifier = getattr(importlib.import_module(module), name)(**{**own, **arguments})
        notifier({"alert": {**message.body, "text": message.text, "subject": message.subject, "html": message.html}})
    except SendFailed:
        raise
    except Exception as error:  # noqa: BLE001 a notifier is anybody's code; whatever it raises is why nothing was sent
        raise SendFailed(without(secrets, f"{type(error).__name__}: {error}")) from None
