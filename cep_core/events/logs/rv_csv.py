"""Reads the CSV of the competition on runtime verification: `name, tp=0, ts=7, x=1, y=abc` is one event (paper 01, 6).

Lines with equal `tp` are one time-point, whose stamp is `ts`; time-points without events cannot be written. Values are
found by the names of the signature, in any order; if it has none, by position. Cost: O(bytes), see `csv_tokens`.
"""

from __future__ import annotations

from collections.abc import Iterator

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.reading.csv_reader import CsvReader
from cep_core.events.logs.reading.csv_tokens import KEYED
from cep_core.events.logs.reading.text_blocks import BLOCK, Source, joined
from cep_core.events.schema import LogSchema


def read(source: Source, schema: LogSchema) -> PointLog:
    """The whole log. Raises SignatureBreak, TimeStepsBack or another LogError at the first fault.

    >>> from cep_core.events.logs.signature import parse_signature
    >>> text = "P, tp=0, ts=3, x=1, y=a\\nP, tp=0, ts=3, y=b, x=2\\nT, tp=1, ts=3"
    >>> log = read(text, parse_signature("P(x:int, y:string) T()"))
    >>> log.stamps.tolist(), log.events["P"].columns["y"].to_pylist(), log.events["T"].point.tolist()
    ([3, 3], ['a', 'b'], [1])
    """
    return joined(list(stream(source, schema)))


def stream(source: Source, schema: LogSchema, *, block: int = BLOCK) -> Iterator[PointLog]:
    """The log in blocks of points, as `monpoly.stream` gives them. A point is given when the next one begins."""
    return CsvReader(source, schema, KEYED).stream(block)
