"""Reads MonPoly's logs: `@5 P(1,a)(2,b) Q(3) T;` is a time-point with stamp 5 and four events (MonPoly's manual).

Several points may have one stamp, and a point may have no event. The text is read in blocks, each of which gives the
points that it completes, so that memory holds one block. Cost: O(bytes), see `monpoly_tokens` and `value_columns`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from cep_core.events.logs import monpoly_tokens as scanning
from cep_core.events.logs.errors import LogError, SignatureBreak, TimeStepsBack
from cep_core.events.logs.monpoly_tokens import Tokens
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.logs.text_blocks import BLOCK, Source, TextPlace, joined, name_of, next_bytes, opened
from cep_core.events.logs.value_columns import BadValue, Bytes, column_of
from cep_core.events.schema import LogSchema

_EARLIEST = int(np.iinfo(np.int64).min)


def read(source: Source, schema: LogSchema) -> PointLog:
    """The whole log. Raises SignatureBreak, TimeStepsBack or another LogError at the first fault.

    >>> from cep_core.events.logs.signature import parse_signature
    >>> log = read('@1 P(1,"a b")(2,c); @1 @2 T', parse_signature("P(x:int, y:string) T()"))
    >>> log.stamps.tolist(), log.events["P"].columns["y"].to_pylist(), log.events["T"].point.tolist()
    ([1, 1, 2], ['a b', 'c'], [2])
    """
    return joined(list(stream(source, schema)))


def stream(source: Source, schema: LogSchema, *, block: int = BLOCK) -> Iterator[PointLog]:
    """The log in blocks of consecutive points, none of them empty; `point` counts from the begin of its block.

    About `block` bytes are read at once. A point is given as soon as its end has been read: `;`, the next `@`, or the
    end of the log. Raises as `read` does, after all points before that of the fault.
    """
    with opened(source) as file:
        reader = _Reader(schema, name_of(source))
        rest = b""
        while True:
            more = next_bytes(file, max(block, len(rest) // 4))
            text = rest + more
            yield from reader.blocks(np.frombuffer(text, np.uint8), is_last=not more)
            if not more:
                return
            rest = text[reader.used :]


class _Misfit(Exception):
    """An event with a value that is not of its attribute's type."""

    def __init__(self, event: int, value_at: int, message: str) -> None:
        super().__init__(message)
        self.event = event
        self.value_at = value_at


class _Reader:
    """Reads pieces of text one after another; `used` is the length of what the last piece completed."""

    def __init__(self, schema: LogSchema, path: str) -> None:
        self.types = [(name, list(schema.types[name].values())) for name in schema.types]
        self.arities = arities_of(schema)
        self.names = scanning.names_of(self.arities)
        self.place = TextPlace(path)
        self.stamp = _EARLIEST
        self.bare = 1024  # how many events without brackets a piece may have
        self.used = 0

    def blocks(self, text: Bytes, *, is_last: bool) -> Iterator[PointLog]:
        """The points that this text completes. It begins where the last one was complete."""
        self.used = 0
        while True:
            piece = text[self.used :]
            points, brackets, commas = scanning.count_marks(piece)
            tokens = scanning.tokens_for(points, brackets + self.bare, brackets + commas)
            end, at, arguments = scanning.scan(piece, is_last, self.stamp, self.names, tokens)
            is_fault = end not in (scanning.GOOD, scanning.FULL)
            try:
                # what stands before a fault may have an earlier one
                events = self._typed(piece, tokens, int((tokens.seen if is_fault else tokens.complete)[2]))
            except _Misfit as misfit:
                point = int(tokens.points[misfit.event])
                if point:
                    yield self._block(piece, tokens, point)
                raise self.place.error(SignatureBreak, str(misfit), piece, misfit.value_at) from None
            used, points = tokens.complete[:2].tolist()
            if is_fault:
                if points:
                    yield self._block(piece, tokens, points)
                raise self._error(end, piece, at, arguments, tokens)
            if points:
                yield PointLog(tokens.stamps[:points].copy(), events)
                self.stamp = int(tokens.stamps[points - 1])
            self.place.pass_by(piece[:used])
            self.used += used
            if end == scanning.GOOD:
                return
            if not used:
                self.bare *= 2

    def _block(self, text: Bytes, tokens: Tokens, points: int) -> PointLog:
        """The first points alone."""
        count = int(np.searchsorted(tokens.points[: tokens.seen[2]], points))
        return PointLog(tokens.stamps[:points].copy(), self._typed(text, tokens, count))

    def _typed(self, text: Bytes, tokens: Tokens, count: int) -> dict[str, TypedEvents]:
        """The first events by type. Raises the _Misfit that comes first in the text."""
        types = tokens.types[:count].astype(np.int16)
        order = np.argsort(types, kind="stable")
        bounds = np.searchsorted(types[order], np.arange(len(self.types) + 1))
        events: dict[str, TypedEvents] = {}
        misfits: list[_Misfit] = []
        for number, (name, attributes) in enumerate(self.types):
            rows = order[bounds[number] : bounds[number + 1]]
            columns = {}
            for position, attribute in enumerate(attributes if len(rows) else ()):
                values = tokens.firsts[rows] + position
                starts, ends = tokens.starts[values], tokens.ends[values]
                try:
                    columns[attribute.name] = column_of(text, starts, ends, attribute.type)
                except BadValue as bad:
                    first, last = int(starts[bad.index]), int(ends[bad.index])
                    word = text[first : min(last, first + 100)].tobytes().decode(errors="replace")
                    message = f"'{word}' is no {attribute.type}: argument {position + 1} of '{name}'"
                    misfits.append(_Misfit(int(rows[bad.index]), first, message))
            if len(rows):
                events[name] = TypedEvents(tokens.points[rows], columns)
        if misfits:
            raise min(misfits, key=lambda misfit: misfit.value_at)
        return events

    def _error(self, end: int, text: Bytes, at: int, arguments: int, tokens: Tokens) -> LogError:
        word = re.split(rb"[\s(),;@#]", text[at : at + 100].tobytes(), maxsplit=1)[0].decode(errors="replace")
        error = self.place.error
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
            return error(TimeStepsBack, f"time steps back, from {before} to {_stamp_at(text, at)}", text, at)
        messages = {
            scanning.NO_POINT: f"'{word}' stands before a time-point: write '@' and a stamp first",
            scanning.STAMP: "a stamp is needed after '@': a whole number of 64 bits",
            scanning.COMMAND: "commands to MonPoly, '>...<', are not supported",
            scanning.ENDS: "the log ends within an event: is a ')' or a quote missing?",
        }
        return error(LogError, messages.get(end, f"unexpected '{chr(text[at]) if at < len(text) else ''}'"), text, at)


def _stamp_at(text: Bytes, at: int) -> str:
    found = re.match(rb"@\s*([-+\d]+)", text[at : at + 100].tobytes())
    return found[1].decode() if found else "an earlier time"


def arities_of(schema: LogSchema) -> dict[tuple[str, int], int]:
    """The number of each event type in the schema by its name in a log and its number of arguments.

    >>> from cep_core.events.logs.signature import parse_signature
    >>> arities_of(parse_signature("P(int) P(int,int) Q()"))
    {('P/1', 1): 0, ('P', 1): 0, ('P/2', 2): 1, ('P', 2): 1, ('Q', 0): 2}
    """
    found: dict[tuple[str, int], int] = {}
    for number, (key, attributes) in enumerate(schema.types.items()):
        found[key, len(attributes)] = number
        name, slash, arguments = key.rpartition("/")
        if slash and arguments == str(len(attributes)):
            found.setdefault((name, len(attributes)), number)
    return found
