"""Reads MonPoly's logs: `@5 P(1,a)(2,b) Q(3) T;` is a time-point with stamp 5 and four events (MonPoly's manual).

Several points may have one stamp, and a point may have no event. The text is read in blocks, each of which gives the
points that it completes, so that memory holds one block. Cost: O(bytes), see `monpoly_tokens` and `value_columns`.
"""

from __future__ import annotations

from collections.abc import Iterator

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.reading import event_tokens as scanning
from cep_core.events.logs.reading.block_reader import BlockReader
from cep_core.events.logs.reading.event_tokens import Tokens
from cep_core.events.logs.reading.monpoly_tokens import count_marks, scan
from cep_core.events.logs.reading.text_blocks import BLOCK, Source, joined
from cep_core.events.logs.reading.value_columns import Bytes
from cep_core.events.schema import LogSchema

_MESSAGES = {
    scanning.NO_POINT: "'{word}' stands before a time-point: write '@' and a stamp first",
    scanning.STAMP: "a stamp is needed after '@': a whole number of 64 bits",
    scanning.COMMAND: "'{word}': commands to MonPoly are not supported",
    scanning.ENDS: "the log ends within an event: is a ')' or a quote missing?",
}


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
    return _MonPolyReader(source, schema).stream(block)


class _MonPolyReader(BlockReader):
    bare = 1024
    """How many events without brackets a piece may have; more are read as a further piece."""

    def scan(self, text: Bytes, *, is_last: bool) -> tuple[int, int, int, Tokens]:
        points, brackets, commas = count_marks(text)
        while True:
            tokens = self.room(points, brackets + self.bare, brackets + commas)
            end, at, arguments = scan(text, is_last, self.stamp, self.names, tokens)
            if end != scanning.FULL or tokens.complete[0]:
                return end, at, arguments, tokens
            self.bare *= 2  # a single point has more

    def message(self, end: int) -> str:
        return _MESSAGES[end]
