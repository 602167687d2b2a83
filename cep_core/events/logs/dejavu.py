"""Reads DejaVu's traces: a line `name,value,...` for each event, each a time-point of its own.

DejaVu knows no time: all stamps are 0, unless the last field of every line is the stamp (`timed`). Blanks around fields
do not count. Cost: O(bytes), see `csv_tokens` and `value_columns`.
"""

from __future__ import annotations

from collections.abc import Iterator

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.reading.csv_reader import CsvReader
from cep_core.events.logs.reading.csv_tokens import TIMED, UNTIMED
from cep_core.events.logs.reading.text_blocks import BLOCK, Source, joined
from cep_core.events.schema import LogSchema


def read(source: Source, schema: LogSchema, *, timed: bool = False) -> PointLog:
    """The whole trace. Raises SignatureBreak, TimeStepsBack or another LogError at the first fault.

    >>> from cep_core.events.logs.signature import parse_signature
    >>> log = read("open,a.txt,3\\nclose,a.txt,5", parse_signature("open(f:string) close(f:string)"), timed=True)
    >>> log.stamps.tolist(), log.events["close"].columns["f"].to_pylist(), log.events["close"].point.tolist()
    ([3, 5], ['a.txt'], [1])
    """
    return joined(list(stream(source, schema, timed=timed)))


def stream(source: Source, schema: LogSchema, *, timed: bool = False, block: int = BLOCK) -> Iterator[PointLog]:
    """The trace in blocks of points, as `monpoly.stream` gives them. A point is given at the end of its line."""
    return CsvReader(source, schema, TIMED if timed else UNTIMED).stream(block)
