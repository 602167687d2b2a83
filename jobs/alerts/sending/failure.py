"""Why a message could not be sent, in words without secrets."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


class SendFailed(Exception):
    """A message did not reach its place; the text says why and names no secret."""


def parts_of(address: str) -> SplitResult | None:
    """The parts of an address with a host and perhaps a port; None if it is no such address."""
    try:
        parts = urlsplit(address)
        return parts if parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def without(secrets: list[str], text: str) -> str:
    """A text in which secrets are not shown.

    >>> without(["https://h/x?t=1"], "no route to https://h/x?t=1")
    'no route to ...'
    """
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "...")
    return text
