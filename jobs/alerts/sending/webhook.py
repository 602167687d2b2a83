"""Sends a message to a webhook: one POST of JSON. Redirections are not followed, so a secret goes nowhere else."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

from jobs.alerts.message import Message
from jobs.alerts.sending.failure import SendFailed, parts_of, without

PATIENCE = 15
"""Seconds."""
SECRET = 5
"""The fewest characters of a piece of an address's path that may be one: a server may name it in its answer."""
SHOWN = 200
"""Characters of an answer that a failure tells."""


class _Staying(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def post(address: str, message: Message) -> None:
    """Send. Raises SendFailed unless the answer's status is 2xx."""
    parts = parts_of(address)
    if parts is None or parts.scheme not in ("http", "https") or not address.isprintable() or " " in address:
        raise SendFailed("its address is no http:// or https:// address")
    request = urllib.request.Request(
        address,
        json.dumps(message.body, ensure_ascii=False).encode(),
        {"Content-Type": "application/json; charset=utf-8", "User-Agent": "trendmill", "Idempotency-Key": message.id},
        method="POST",
    )
    try:
        with urllib.request.build_opener(_Staying).open(request, timeout=PATIENCE):
            return
    except urllib.error.HTTPError as error:
        said = error.read(SHOWN).decode("utf-8", "replace").strip()
        reason = f"it answered {error.code} {error.reason}" + (f": {said}" if said else "")
    except urllib.error.URLError as error:
        reason = f"{parts.hostname} cannot be reached: {error.reason}"
    except (OSError, HTTPException) as error:
        reason = f"{parts.hostname} did not answer: {error or type(error).__name__}"
    pieces = [piece for piece in re.split(r"[/?&=#:]", address.partition(parts.netloc)[2]) if len(piece) >= SECRET]
    raise SendFailed(without([address, *pieces], reason))
