"""Reads the text of a log piece by piece: what all formats share once a scan has found places of events and values.

A piece gives the points that it completes; the rest of it begins the next piece. At the first fault in the text the
points before it are given, then the error is raised with its line.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.events.logs.errors import LogError, SignatureBreak, TimeStepsBack
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.logs.reading import event_tokens as scanning
from cep_core.events.logs.reading.event_tokens import Tokens
from cep_core.events.logs.reading.text_blocks import Source, TextPlace, holds_line, name_of, next_bytes, opened
from cep_core.events.logs.reading.value_columns import BadValue, Bytes, column_of
from cep_core.events.schema import Attribute, LogSchema

_EARLIEST = int(np.iinfo(np.int64).min)


class _Misfit(Exception):
    """An event that does not fit its type: its number, the place in the text, and the reason."""

    def __init__(self, event: int, at: int, message: str) -> None:
        super().__init__(message)
        self.event = event
        self.at = at


class BlockReader(ABC):
    """Reads one log. A format says how it is scanned and where an event's values stand."""

    def __init__(self, source: Source, schema: LogSchema) -> None:
        self.source = source
        self.types = [(name, list(schema.types[name].values())) for name in schema.types]
        self.arities = arities_of(schema)
        self.names = scanning.names_of(self.arities)
        self.stamp = _EARLIEST
        """The last stamp of the pieces before."""
        self._place = TextPlace(name_of(source))
        self._used = 0
        self._tokens = scanning.tokens_for(0, 0, 0)

    def room(self, points: int, events: int, values: int) -> Tokens:
        """Room for so many points, events and values; that of the piece before, if it is large enough."""
        sizes = len(self._tokens.stamps), len(self._tokens.types), len(self._tokens.starts)
        if points > sizes[0] or events > sizes[1] or values > sizes[2]:
            self._tokens = scanning.tokens_for(points, events, values)
        return self._tokens

    @abstractmethod
    def scan(self, text: Bytes, *, is_last: bool) -> tuple[int, int, int, Tokens]:
        """How the scan of a piece ended, the place of a fault, the number of arguments there, and what was found."""

    @abstractmethod
    def message(self, end: int) -> str:
        """What is wrong, for the faults of this format alone; `{word}` stands for the word at the fault."""

    def values_of(self, text: Bytes, tokens: Tokens, rows: Ints, attributes: list[Attribute], position: int) -> Ints:
        """[rows] The number of the value of an attribute in each of these events of one type, -1 for none."""
        return tokens.firsts[rows] + position

    def column(self, text: Bytes, tokens: Tokens, values: Ints, attribute: Attribute) -> pa.Array:
        """The values as a column. Raises BadValue."""
        return column_of(text, tokens.starts[values], tokens.ends[values], attribute.type)

    def stream(self, block: int) -> Iterator[PointLog]:
        """The log in blocks of points; about `block` bytes are read at once."""
        with opened(self.source) as file:
            rest = b""
            while True:
                more = next_bytes(file, max(block, len(rest) // 4))
                text = rest + more
                yield from self._blocks(np.frombuffer(text, np.uint8), is_last=not more)
                if not more:
                    return
                rest = text[self._used :]

    def _blocks(self, text: Bytes, *, is_last: bool) -> Iterator[PointLog]:
        self._used = 0
        while True:
            piece = text[self._used :]
            end, at, arguments, tokens = self.scan(piece, is_last=is_last)
            is_fault = end not in (scanning.GOOD, scanning.FULL)
            if is_fault and not is_last and not holds_line(piece, at):
                end, is_fault = scanning.GOOD, False  # it is told with its whole line, once that has been read
            try:
                # what stands before a fault may have an earlier one
                events = self._typed(piece, tokens, int((tokens.seen if is_fault else tokens.complete)[2]))
            except _Misfit as misfit:
                if point := int(tokens.points[misfit.event]):
                    yield self._first_points(piece, tokens, point)
                raise self._place.error(SignatureBreak, str(misfit), piece, misfit.at) from None
            used, points = tokens.complete[:2].tolist()
            if is_fault:
                if points:
                    yield self._first_points(piece, tokens, points)
                raise self._error(end, piece, at, arguments, tokens)
            if points:
                yield PointLog(tokens.stamps[:points].copy(), events)
                self.stamp = int(tokens.stamps[points - 1])
            self._place.pass_by(piece[:used])
            self._used += used
            if end == scanning.GOOD:
                return

    def _first_points(self, text: Bytes, tokens: Tokens, points: int) -> PointLog:
        count = int(np.searchsorted(tokens.points[: tokens.seen[2]], points))
        return PointLog(tokens.stamps[:points].copy(), self._typed(text, tokens, count))

    def _typed(self, text: Bytes, tokens: Tokens, count: int) -> dict[str, TypedEvents]:
        """The first events by type. Raises the _Misfit that comes first in the text."""
        types = tokens.types[:count].astype(np.int16)
        order = np.argsort(types, kind="stable")
        bounds = np.searchsorted(types[order], np.arange(len(self.types) + 1))
        events: dict[str, TypedEvents] = {}
        misfits: list[_Misfit] = []
        for number in np.flatnonzero(np.diff(bounds)).tolist():
            name, attributes = self.types[number]
            rows = order[bounds[number] : bounds[number + 1]]
            columns = {}
            for position, attribute in enumerate(attributes):
                values = self.values_of(text, tokens, rows, attributes, position)
                if len(absent := np.flatnonzero(values < 0)):
                    row = rows[absent[0]]
                    at = int(tokens.starts[tokens.firsts[row]])
                    misfits.append(_Misfit(int(row), at, f"argument '{attribute.name}' of '{name}' is missing"))
                    continue
                try:
                    columns[attribute.name] = self.column(text, tokens, values, attribute)
                except BadValue as bad:
                    first, last = int(tokens.starts[values[bad.index]]), int(tokens.ends[values[bad.index]])
                    word = text[first : min(last, first + 100)].tobytes().decode(errors="replace")
                    message = f"'{word}' is no {attribute.type}: argument {position + 1} of '{name}'"
                    misfits.append(_Misfit(int(rows[bad.index]), first, message))
            events[name] = TypedEvents(tokens.points[rows], columns)
        if misfits:
            raise min(misfits, key=lambda misfit: misfit.at)
        return events

    def _error(self, end: int, text: Bytes, at: int, arguments: int, tokens: Tokens) -> LogError:
        word = re.split(rb"[\s(),;@#]", text[at : at + 100].tobytes(), maxsplit=1)[0].decode(errors="replace")
        error = self._place.error
        if end == scanning.UNKNOWN:
            names = {name for name, _ in self.arities}
            known = sorted(name for name in names if name.rpartition("/")[0] not in names)
            hint = f"; it has {', '.join(known)}" if 0 < len(known) <= 12 else ""
            return error(SignatureBreak, f"the signature has no event type '{word}'{hint}", text, at)
        if end == scanning.ARITY:
            legal = " or ".join(str(number) for name, number in sorted(self.arities) if name == word)
            return error(SignatureBreak, f"'{word}' with {arguments} arguments: the signature has {legal}", text, at)
        if end == scanning.BACK:
            points = int(tokens.seen[1])
            before = int(tokens.stamps[points - 1]) if points else self.stamp
            return error(TimeStepsBack, f"a stamp before {before}, the one before it: time steps back", text, at)
        if end == scanning.UNEXPECTED:
            character = text[at : at + 4].tobytes().decode(errors="replace")[:1]
            return error(LogError, f"unexpected '{character}'", text, at)
        return error(LogError, self.message(end).format(word=word), text, at)


def arities_of(schema: LogSchema) -> dict[tuple[str, int], int]:
    """The number of each event type in the schema by its name in a log and its number of arguments.

    >>> from cep_core.events.logs.signature import parse_signature
    >>> arities_of(parse_signature("P(int) P(int,int) Q()"))
    {('P/1', 1): 0, ('P', 1): 0, ('P/2', 2): 1, ('P', 2): 1, ('Q', 0): 2}
    """
    numbers: dict[tuple[str, int], int] = {}
    for number, (key, attributes) in enumerate(schema.types.items()):
        numbers[key, len(attributes)] = number
        name, slash, arguments = key.rpartition("/")
        if slash and arguments == str(len(attributes)):
            numbers.setdefault((name, len(attributes)), number)
    return numbers
