"""A verdict as a user writes it: values by variable and a time, as in 'x=3, plane=N1 @20'."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jobs.exits import WrongWorkload
from jobs.log_files.times.log_clock import LogClock

_VERDICT = re.compile(r"\s*(?P<values>.*?)\s*@\s*(?P<time>[-\d][-\d:.T ]*?)\s*(?:\+\s*(?P<offset>\d+))?\s*")
_FLOAT = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf)|nan")
_VALUE = re.compile(r"""\s*([^\s=,]+)\s*=\s*("[^"]*"|[^,]*?)\s*(?:,|$)""")


@dataclass(frozen=True)
class AskedVerdict:
    """A verdict that a user asks about: its stamp, its index among the points of the stamp, and values by variable."""

    at: tuple[int, int]
    values: dict[str, int | float | str]


def asked_verdict(text: str, clock: LogClock) -> AskedVerdict:
    """A verdict as written. Numbers are as a listing writes them; quotes make a text of one. Raises WrongWorkload.

    >>> asked_verdict('x=3, plane=N1, code="7" @20+1', LogClock(None))
    AskedVerdict(at=(20, 1), values={'x': 3, 'plane': 'N1', 'code': '7'})
    >>> asked_verdict("a=1e+16, b=-inf, c=.5 @5", LogClock(None)).values
    {'a': 1e+16, 'b': -inf, 'c': 0.5}
    >>> asked_verdict("@5", LogClock(None))
    AskedVerdict(at=(5, 0), values={})
    """
    match = _VERDICT.fullmatch(text)
    pairs = _VALUE.findall(match["values"]) if match else []
    moment = clock.moment(match["time"]) if match else None
    if match is None or moment is None or _VALUE.sub("", match["values"]).strip():
        raise WrongWorkload(f"expected values and a time such as 'x=3, plane=N1 @20', found '{text}'")
    return AskedVerdict((moment, int(match["offset"] or 0)), {name: _value(value) for name, value in pairs})


def _value(text: str) -> int | float | str:
    if text.startswith('"'):
        return text[1:-1]
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
