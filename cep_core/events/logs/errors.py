"""Errors of logs and signatures: the file, the line, what is wrong, and the line itself."""

from __future__ import annotations

_WIDEST = 160


class LogError(Exception):
    """A text that is no log, or no signature.

    >>> print(LogError("an event before the first time-point", line=2, text="P(1)", path="day.log"))
    day.log:2: an event before the first time-point
        P(1)
    """

    def __init__(self, message: str, *, line: int, text: str = "", path: str = "<log>") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.text = text
        self.path = path

    def __str__(self) -> str:
        shown = "".join(c if c.isprintable() else " " for c in self.text.strip())
        shown = f"{shown[:_WIDEST]}..." if len(shown) > _WIDEST else shown
        head = f"{self.path}:{self.line}: {self.message}"
        return f"{head}\n    {shown}" if shown else head


class SignatureError(LogError):
    """A signature that cannot be read."""


class SignatureBreak(LogError):
    """An event that its signature does not allow: an unknown name, a wrong number of arguments, a wrong type."""


class TimeStepsBack(LogError):
    """A time-point with a smaller stamp than the one before it."""
