"""A message to one place: what it says, as text, as JSON and as HTML."""

from __future__ import annotations

import hashlib
import html
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from jobs import places
from jobs.reports.words.clock import spoken

TEST = "a test of the alerts"


@dataclass(frozen=True)
class Message:
    """What one place is told about one thing of one day. `link`: the page that says more, or its path."""

    workload: str
    day: date
    thing: str
    place: str
    sentence: str
    why: str
    link: str
    test: bool = False

    @property
    def id(self) -> str:
        """The same for each attempt to send it, so that a receiver may drop what comes twice."""
        named = "\0".join([self.workload, self.day.isoformat(), self.thing, self.place, str(self.test)])
        return hashlib.sha256(named.encode()).hexdigest()[:20]

    @property
    def subject(self) -> str:
        return printable(f"{'[test] ' if self.test else ''}{self.workload}, {spoken(self.day)}: {self.thing}")

    @property
    def text(self) -> str:
        """What a person reads."""
        opening = "This is a test; nothing happened. " if self.test else ""
        lines = [f"{opening}{self.sentence}", f"{self.thing}: {self.why}.", self.link]
        return "\n".join(printable(line) for line in lines if line)

    @property
    def body(self) -> dict[str, Any]:
        """What a webhook gets; `text` is for chats."""
        return {"text": self.chat, **asdict(self), "day": self.day.isoformat(), "id": self.id}

    @property
    def chat(self) -> str:
        """What chats show: their signs for links and calls to everyone are escaped."""
        shown = f"{self.subject}\n{self.text}"
        return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

    @property
    def html(self) -> str:
        """For mail that Airflow sends."""
        paragraphs = [html.escape(line) for line in self.text.splitlines()]
        if self.link.startswith(("https://", "http://")):
            paragraphs[-1] = f'<a href="{html.escape(self.link)}">{html.escape(self.link)}</a>'
        return "".join(f"<p>{line}</p>" for line in paragraphs)


def message_of_test(workload: str, day: date, place: str) -> Message:
    """A message that says that it is a test."""
    return Message(workload, day, TEST, place, f"Alerts of {workload} reach this place.", "asked for by hand", "", True)


def link_to(workload: str, day: date, page: str) -> str:
    """The address of a page of a day's report, as readers reach it; without TRENDMILL_REPORTS_URL, its path.

    A page that is not there gives way to the workload's first one.
    """
    home = places.reports() / workload
    there = (home / day.isoformat() / page).exists()
    path = f"{workload}/{day.isoformat()}/{page}" if there else f"{workload}/index.html"
    address = places.reports_address()
    return f"{address}/{path}" if address else str(places.reports() / path)


def printable(text: str) -> str:
    """A line without characters that act rather than show.

    >>> printable("a\\u202eb\\r\\nc")
    'a b  c'
    """
    return "".join(c if c.isprintable() else " " for c in text)
