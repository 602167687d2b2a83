"""What was sent, and what waits to be sent: a small file for each message, below the workload's lake.

A message is noted before it is sent, and moves to `sent` after that. So a task that is tried again sends what waits and
nothing that was sent; a program that is killed between sending and noting sends once more: it tells twice rather than
not at all, with the same id. What cannot be sent waits for the next time, two days at most. One program at a time works
here, as far as the file system knows locks.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from jobs.alerts.message import Message
from jobs.stored_path import StoredPath

PATIENCE = timedelta(days=2)
"""How long a message waits; later it would be no news."""

ERASED = "What this said was erased, the page has what is left"
"""In place of a message's words, once something was forgotten that they may tell."""


@dataclass(frozen=True)
class Waiting:
    """A message that could not be sent yet. `problem`: why, the last time; empty: nobody tried."""

    message: Message
    since: datetime
    problem: str
    file: Path


@dataclass(frozen=True)
class Outbox:
    """The messages of a workload. `home`: their folder."""

    home: Path

    @staticmethod
    def of(lake: Path, workload: str) -> Outbox:
        """The outbox in a workload's lake."""
        return Outbox(lake / workload / "_work" / "alerts")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Holds other programs off during the block. A storage knows no locks; there nobody is held off."""
        if isinstance(self.home, StoredPath):
            yield
            return
        self.home.mkdir(parents=True, exist_ok=True)
        with (self.home / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def put(self, message: Message, now: datetime) -> bool:
        """Note a message that is to be sent. False: it was noted before, so nothing is to be done about it."""
        if self.sent_at(message.day, message.thing, message.place) is not None or self._waiting(message).exists():
            return False
        _write(self._waiting(message), {"noted_at": now.isoformat(timespec="seconds"), **_facts(message)})
        return True

    def sent(self, message: Message, now: datetime) -> None:
        """Note that a message was sent."""
        self._move(message, {"sent_at": now.isoformat(timespec="seconds"), **_facts(message)})

    def failed(self, waiting: Waiting, problem: str, now: datetime) -> bool:
        """Note why a message could not be sent. Returns whether it is given up, having waited for too long."""
        facts = {"noted_at": waiting.since.isoformat(timespec="seconds"), "problem": problem, **_facts(waiting.message)}
        if now - waiting.since < PATIENCE:
            _write(waiting.file, facts)
            return False
        self._move(waiting.message, {"given_up_at": now.isoformat(timespec="seconds"), **facts})
        return True

    def sent_at(self, day: date, thing: str, place: str) -> str | None:
        """When a message was sent or given up; None: it was not."""
        file = self.home / "sent" / _name(day, thing, place)
        if not file.is_file():
            return None
        facts = json.loads(file.read_text(encoding="utf-8"))
        return f"sent at {facts['sent_at']}" if "sent_at" in facts else f"given up at {facts['given_up_at']}"

    def waiting(self) -> list[Waiting]:
        """The messages that wait, oldest day first. One that was noted as sent does not."""
        messages = []
        for file in sorted((self.home / "waiting").glob("*.json")):
            facts = json.loads(file.read_text(encoding="utf-8"))
            message = Message(**{**facts["message"], "day": date.fromisoformat(facts["message"]["day"])})
            if not (self.home / "sent" / file.name).is_file():
                since = datetime.fromisoformat(facts["noted_at"])
                messages.append(Waiting(message, since, facts.get("problem", ""), file))
        return messages

    def take_words_out(self, days: Iterable[date]) -> None:
        """Let the messages of some days, sent or waiting, no longer hold what they said: their rows were erased.

        The problem of one that waits may repeat its words, as servers do; files of programs that died while they wrote
        may hold any.
        """
        with self.alone():
            for unfinished in self.home.glob("*/.*.json.*"):
                unfinished.unlink()
            for day in days:
                for file in [*self.home.glob(f"sent/{day}-*.json"), *self.home.glob(f"waiting/{day}-*.json")]:
                    facts = json.loads(file.read_text(encoding="utf-8"))
                    facts["message"] |= {"sentence": ERASED, "why": ERASED}
                    if facts.get("problem"):
                        facts["problem"] = "not told, since it may hold what was erased; the next try tells it"
                    _write(file, facts)

    def _waiting(self, message: Message) -> Path:
        return self.home / "waiting" / _name(message.day, message.thing, message.place)

    def _move(self, message: Message, facts: Mapping[str, Any]) -> None:
        _write(self.home / "sent" / _name(message.day, message.thing, message.place), facts)
        self._waiting(message).unlink(missing_ok=True)


def _name(day: date, thing: str, place: str) -> str:
    """The file of a message: one for each day, thing and place."""
    digest = hashlib.sha256("\0".join([thing, place]).encode()).hexdigest()
    return f"{day.isoformat()}-{digest[:16]}.json"


def _facts(message: Message) -> dict[str, Any]:
    return {"message": {**asdict(message), "day": message.day.isoformat()}}


def _write(file: Path, facts: Mapping[str, Any]) -> None:
    """Write a file that appears whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    fresh.replace(file)
