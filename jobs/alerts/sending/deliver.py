"""Delivers a message to its place, whatever way the place has. References to the environment are resolved here only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobs.alerts.message import Message
from jobs.alerts.sending.by_airflow import notify
from jobs.alerts.sending.failure import SendFailed
from jobs.alerts.sending.mail import mail
from jobs.alerts.sending.webhook import post
from jobs.workload.secrets import SecretMissing, resolve, values_in
from jobs.workload.sections.alerting.places import Mailbox, Notifier, Place, Webhook


def is_off(place: Place) -> bool:
    """Whether a place has no address: `${env:NAME:-}`, and NAME is not set. Such a place is told nothing."""
    try:
        if isinstance(place, Webhook):
            return not resolve(place.address)
        return isinstance(place, Mailbox) and not all(map(resolve, (*place.to, place.server)))
    except SecretMissing:
        return False


def deliver(place: Place, message: Message) -> str:
    """Send a message to its place. Returns a remark, mostly empty. Raises SendFailed."""
    try:
        if isinstance(place, Webhook):
            post(resolve(place.address), message)
        elif isinstance(place, Mailbox):
            return mail(
                resolve(place.server), resolve(place.sender), [resolve(address) for address in place.to], message
            )
        else:
            notify(place.connection, place.path, _resolved(place.arguments), message, _secrets_in(place.arguments))
    except SecretMissing as missing:
        raise SendFailed(str(missing)) from None
    return ""


def kind_of(place: Place) -> str:
    """A place in words, without its address.

    >>> kind_of(Notifier("pager", "pager_default"))
    "Airflow's connection pager_default"
    """
    if isinstance(place, Notifier):
        return f"Airflow's connection {place.connection}"
    return "webhook" if isinstance(place, Webhook) else "mail"


def _resolved(value: Any) -> Any:
    """Arguments with every reference replaced."""
    if isinstance(value, Mapping):
        return {key: _resolved(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolved(item) for item in value]
    return resolve(value) if isinstance(value, str) else value


def _secrets_in(value: Any) -> list[str]:
    """The values of all references in arguments."""
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return values_in(value) if isinstance(value, str) else [text for item in items for text in _secrets_in(item)]
