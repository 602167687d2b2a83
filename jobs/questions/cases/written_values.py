"""Values of a case as a person writes them: by the type of an attribute or of a result's column."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from cep_core.events.schema import AttributeType
from cep_core.events.table import FARTHEST
from jobs.workload.operating_days import UNITS

Value = int | float | str | bool

_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TRUTHS = {"true": True, "false": False}
_MOMENT = re.compile(
    r"(?:(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?:[ T]+|$))?"
    r"(?:(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,9}))?)?)?"
)


def typed_value(kind: AttributeType, text: str) -> Value:
    """The value of an attribute. Raises ValueError, which says what is expected.

    >>> typed_value(AttributeType.INT, "12"), typed_value(AttributeType.STRING, "12")
    (12, '12')
    """
    if kind is AttributeType.INT:
        return whole(text)
    if kind is AttributeType.FLOAT:
        return decimal(text)
    if kind is AttributeType.BOOL:
        if text.lower() not in _TRUTHS:
            raise ValueError("true or false")
        return _TRUTHS[text.lower()]
    return text


def whole(text: str) -> int:
    """A whole number within 64 bits. Raises ValueError."""
    if not _WHOLE.fullmatch(text) or not -(1 << 63) <= int(text) < 1 << 63:
        raise ValueError("a whole number such as 12")
    return int(text)


def decimal(text: str) -> float:
    """A finite number. Raises ValueError."""
    if not _DECIMAL.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError("a number such as 2.5")
    return float(text)


def digits_behind_point(text: str) -> int | None:
    """How many digits a number is written to; None if it has no point, or an exponent.

    >>> digits_behind_point("66.70"), digits_behind_point("66"), digits_behind_point("6.6e9")
    (2, None, None)
    """
    return len(text.partition(".")[2]) if "." in text and "e" not in text.lower() else None


@dataclass(frozen=True)
class CaseClock:
    """Times of a case: numbers of the log, or local times of its zone; `day` is the day of times without one."""

    unit: str
    zone: str
    day: date

    def moment(self, text: str) -> int:
        """A moment in the log's unit. Raises ValueError, which says what is expected.

        >>> clock = CaseClock("s", "America/New_York", date(2013, 3, 8))
        >>> clock.moment("1362747541"), clock.moment("7:59:01"), clock.moment("2013-03-08 07:59:01")
        (1362747541, 1362747541, 1362747541)
        >>> clock.moment("2013-11-03 01:30")
        Traceback (most recent call last):
        ...
        ValueError: a moment: 2013-11-03 01:30 comes twice in America/New_York; write 1383456600 or 1383460200
        """
        if _WHOLE.fullmatch(text):
            if not -FARTHEST < int(text) < FARTHEST:
                raise ValueError("a moment between -2^62 and 2^62")
            return int(text)
        written = _MOMENT.fullmatch(text) if text else None
        try:
            if written is None:
                raise ValueError(text)
            on = date.fromisoformat(written["day"]) if written["day"] else self.day
            at = time(int(written["hour"] or 0), int(written["minute"] or 0), int(written["second"] or 0))
        except ValueError:
            raise ValueError("a time such as 10:00, 2013-03-08 10:00:05, or a number of the log") from None
        first, later = (self._since_epoch(datetime.combine(on, at), fold) for fold in (0, 1))
        if first > later:
            raise ValueError(f"a moment: {on} {at:%H:%M} does not exist in {self.zone}, where clocks go forward then")
        size = UNITS[self.unit]
        if first < later:
            choice = f"write {first * size} or {later * size}"
            raise ValueError(f"a moment: {on} {at:%H:%M} comes twice in {self.zone}; {choice}")
        nanoseconds = int((written["fraction"] or "").ljust(9, "0"))
        if nanoseconds * size % 10**9:
            raise ValueError(f"a moment in whole {self.unit}, the log's unit")
        return first * size + nanoseconds * size // 10**9

    def _since_epoch(self, local: datetime, fold: int) -> int:
        """Whole seconds."""
        instant = local.replace(tzinfo=ZoneInfo(self.zone), fold=fold)
        return (instant - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)

    def written(self, moment: int) -> str:
        """A moment as a case has it: a local time if that is read as the same moment, else the number.

        >>> clock = CaseClock("s", "America/New_York", date(2013, 3, 8))
        >>> clock.written(1362747541), clock.written(1362747540), clock.written(1362860000), clock.written(1383456600)
        ('07:59:01', '07:59', '2013-03-09 15:13:20', '1383456600')
        """
        seconds, rest = divmod(moment, UNITS[self.unit])
        try:
            local = datetime.fromtimestamp(seconds, ZoneInfo(self.zone))
        except (OverflowError, OSError, ValueError):
            return str(moment)
        day = "" if local.date() == self.day else f"{local:%Y-%m-%d} "
        fraction = f".{rest * 10**9 // UNITS[self.unit]:09d}".rstrip("0") if rest else ""
        text = f"{day}{local:%H:%M}" + (f":{local:%S}{fraction}" if local.second or rest else "")
        try:
            return text if self.moment(text) == moment else str(moment)
        except ValueError:
            return str(moment)
