"""What a lease's file says: which run holds the lake, until when, and the writers that have not reported their end."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from jobs.exits import LeaseUnreadable

FORMAT = 2
"""The format of the file. Format 1, without this key, had no tokens."""

TOKENS = 1 << 43
"""Tokens are smaller than this: times 2^20 they fit 63 bits. A token is at least the milliseconds since 1970."""

UNKNOWN = "unknown"
"""Stands for writers that are not listed, since the file is absent or has format 1."""


@dataclass(frozen=True)
class Lease:
    """The run that holds the lake: its id, its holder in words, the end without renewal, the process it ends with.

    `token`: greater than those of all runs before. `writer`: names the process among the run's own. `contested`:
    writers of earlier runs may still be at work.
    """

    run_id: str
    holder: str
    expires: datetime
    host: str = ""
    process: int | None = None
    token: int = 0
    writer: str = ""
    contested: bool = False

    def is_over(self, now: datetime) -> bool:
        """Whether another run may take the lake."""
        gone = self.process is not None and self.host == socket.gethostname() and not _is_alive(self.process)
        return gone or self.expires <= now


@dataclass(frozen=True)
class Stored:
    """The content of the file: the last token given, the run that holds the lake, if any, and the writers' tokens.

    `version`: of what was read where there are no file locks (`lease_versions.py`).
    """

    token: int = 0
    lease: Lease | None = None
    writers: Mapping[str, int] = field(default_factory=lambda: {UNKNOWN: 0})
    version: int = field(default=-1, compare=False)


def parsed(path: Path, text: str, version: int = -1) -> Stored:
    """What the file `path` says. Raises LeaseUnreadable if it cannot be understood."""
    if not text.strip():
        raise LeaseUnreadable(path, "it is empty")
    try:
        return _parsed(json.loads(text), version)
    except json.JSONDecodeError as error:
        raise LeaseUnreadable(path, f"it is cut off or damaged ({error})") from error
    except _Newer as newer:
        raise LeaseUnreadable(path, f"a newer Trendmill wrote it (format {newer}, known here: {FORMAT})") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LeaseUnreadable(path, f"it is not a lease ({type(error).__name__}: {error})") from error


def text_of(content: Stored) -> str:
    """A record as the file says it."""
    lease = content.lease
    fields = ("run_id", "holder", "host", "process")
    entries = lease and {**{name: getattr(lease, name) for name in fields}, "expires": lease.expires.isoformat()}
    return json.dumps({"format": FORMAT, "token": content.token, "lease": entries, "writers": dict(content.writers)})


class _Newer(Exception):
    """The file's format is one that is not known yet."""


def _parsed(content: dict[str, Any], version: int) -> Stored:
    number = content.get("format", 1)
    if not isinstance(number, int) or number > FORMAT:
        raise _Newer(number)
    if number == 1:
        return Stored(0, _lease(content, 0), version=version)
    token, writers = content["token"], dict(content["writers"])
    if not all(isinstance(value, int) and 0 <= value < TOKENS for value in (token, *writers.values())):
        raise ValueError("a token that is none")
    return Stored(token, None if content["lease"] is None else _lease(content["lease"], token), writers, version)


def _lease(content: dict[str, Any], token: int) -> Lease:
    expires, process = datetime.fromisoformat(content["expires"]), content["process"]
    if expires.tzinfo is None:
        raise ValueError("an end without a time zone")
    if process is not None and not (isinstance(process, int) and 0 < process < 1 << 31):
        raise ValueError("a process that is none")
    run_id, holder, host = (str(content[name]) for name in ("run_id", "holder", "host"))
    return Lease(run_id, holder, expires, host, process, token)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
