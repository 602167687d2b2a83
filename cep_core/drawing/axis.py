"""One axis of a plot: from where to where it reaches, its ticks and their words; and where values lie along it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from cep_core.drawing.powers import power
from cep_core.drawing.ticks import power_ticks, round_ticks

MARGIN = 0.05
"""Of the length of an axis: what is kept free beyond the first and the last value if the figure sets no limits."""


@dataclass(frozen=True)
class Tick:
    """A value with its words: a line or several. Without words only its grid line is drawn."""

    at: float
    lines: tuple[str, ...] = ()
    bold: bool = False


@dataclass(frozen=True)
class Scale:
    """`first` lies at the place `begin`, `last` at `end`, in points of the drawing."""

    first: float
    last: float
    begin: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """The place of a value. A logarithmic scale has zero and what is below it at its beginning.

        >>> Scale(0, 10, 50, 150).at(5), Scale(1, 100, 0, 100, logarithmic=True).at(10)
        (100.0, 50.0)
        """
        if not self.logarithmic:
            return self.begin + (value - self.first) / (self.last - self.first) * (self.end - self.begin)
        if value <= 0:
            return self.begin
        part = math.log(value / self.first) / math.log(self.last / self.first)
        return self.begin + part * (self.end - self.begin)

    def nearest(self, value: float) -> float:
        """The value itself, or the end of the scale that it lies beyond."""
        return max(min(self.first, self.last), min(max(self.first, self.last), value))


@dataclass
class Axis:
    """What a figure says about an axis; what it leaves open follows from the values that it draws.

    `first` and `last` may be in falling order, as for rows that are read from above. `room`: points that a tick with
    its words needs along the axis. `words` are those of every tick; without them powers are written on a logarithmic
    axis, and what `number` gives on another.
    """

    room: float
    label: str = ""
    first: float | None = None
    last: float | None = None
    logarithmic: bool = False
    integer: bool = False
    grid: bool = True
    words: Callable[[float], str] | None = None
    number: Callable[[float], str] = "{:,.6g}".format
    _ticks: Sequence[Tick] | None = None

    def limits(self, first: float | None, last: float | None) -> None:
        """From where to where the axis reaches; None: as far as its values."""
        self.first, self.last = first, last

    def ticks(self, places: Iterable[float], words: Iterable[str], *, bold: Collection[int] = ()) -> None:
        """Sets all ticks. `bold`: the numbers of those with bold words."""
        pairs = enumerate(zip(places, words, strict=True))
        self._ticks = [Tick(at, tuple(text.split("\n")), number in bold) for number, (at, text) in pairs]

    def reach(self, values: Sequence[float]) -> tuple[float, float]:
        """From where to where the axis reaches, if the marks have these values along it."""
        drawn = [value for value in values if math.isfinite(value) and (value > 0 or not self.logarithmic)]
        drawn += [tick.at for tick in self._ticks or ()]
        low, high = (min(drawn), max(drawn)) if drawn else (1.0, 10.0)
        if self.logarithmic:
            margin = (high / low) ** MARGIN if high > low else 2.0
            low, high = low / margin, high * margin
        else:
            margin = MARGIN * (high - low) if high > low else MARGIN * abs(low) or 0.5
            low, high = low - margin, high + margin
        first = low if self.first is None else self.first
        last = high if self.last is None else self.last
        return (first, last) if first != last else (first, first + 1.0)

    def ticks_for(self, first: float, last: float, length: float) -> list[Tick]:
        """The ticks of an axis of `length` points that reaches from `first` to `last`."""
        low, high = min(first, last), max(first, last)
        if self._ticks is not None:
            margin = 1e-9 * (high - low)
            return [tick for tick in self._ticks if low - margin <= tick.at <= high + margin]
        most = max(2, min(9, int(length / self.room)))
        places = power_ticks(low, high, most) if self.logarithmic else self._round(low, high, most)
        words = self.words or (power if self.logarithmic else self.number)
        return [Tick(place, (words(place),)) for place in places]

    def _round(self, low: float, high: float, most: int) -> list[float]:
        return round_ticks(low, high, most, integer=self.integer)
