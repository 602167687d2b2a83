"""Sends a message by mail (SMTP), encrypted where the server can. A password is never sent unencrypted."""

from __future__ import annotations

import smtplib
import socket
import ssl
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import formatdate
from urllib.parse import unquote

from jobs.alerts.message import Message
from jobs.alerts.sending.failure import SendFailed, parts_of, without

PATIENCE = 15
"""Seconds."""
PORTS = {"smtp": 25, "smtps": 465}


def mail(server: str, sender: str, to: Sequence[str], message: Message) -> str:
    """Send to all addresses in one mail. `server`: `smtp://user:password@host:port`. Raises SendFailed.

    Returns a remark if the server took it for some addresses only: a second try would reach the others twice.
    """
    parts = parts_of(server)
    if parts is None or parts.scheme not in PORTS:
        raise SendFailed("its server is no smtp://host:port or smtps://host:port")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    try:
        with _client(parts.scheme, parts.hostname or "", parts.port or PORTS[parts.scheme]) as client:
            client.ehlo()
            encrypted = parts.scheme == "smtps"
            if not encrypted and client.has_extn("starttls"):
                client.starttls(context=ssl.create_default_context())
                client.ehlo()
                encrypted = True
            if user:
                if not encrypted:
                    raise SendFailed(f"{parts.hostname} offers no encryption, and a password is not sent without")
                client.login(user, password)
            refused = client.send_message(_written(sender, to, message))
    except (OSError, smtplib.SMTPException, ValueError) as error:
        raise SendFailed(without([server, password], f"{parts.hostname}: {_said(error)}")) from None
    return f"{parts.hostname} refused {', '.join(sorted(refused))}" if refused else ""


def _client(scheme: str, host: str, port: int) -> smtplib.SMTP:
    if scheme == "smtps":
        return smtplib.SMTP_SSL(host, port, timeout=PATIENCE, context=ssl.create_default_context())
    return smtplib.SMTP(host, port, timeout=PATIENCE)


def _written(sender: str, to: Sequence[str], message: Message) -> EmailMessage:
    written = EmailMessage()
    written["From"] = sender or f"trendmill@{socket.getfqdn()}"
    written["To"] = ", ".join(to)
    written["Subject"] = message.subject
    written["Date"] = formatdate()
    written["Message-ID"] = f"<{message.id}@trendmill>"
    written["Auto-Submitted"] = "auto-generated"
    written.set_content(f"{message.text}\n")
    return written


def _said(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        said = error.smtp_error.decode("utf-8", "replace") if isinstance(error.smtp_error, bytes) else error.smtp_error
        return f"{error.smtp_code} {said}"
    return str(error) or type(error).__name__
