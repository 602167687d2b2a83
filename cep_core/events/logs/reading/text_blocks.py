"""The text of a log piece by piece, and the blocks of points that are read from it as one log."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.events.logs.errors import LogError
from cep_core.events.logs.point_log import PointLog, TypedEvents
from cep_core.events.logs.reading.value_columns import Bytes

Source = Path | str | bytes | BinaryIO
"""A file, the text itself, or an open binary file, which may be a pipe."""
BLOCK = 1 << 20
"""The number of bytes that are read at once."""
_SHOWN, _BEFORE = 1000, 100
"""How many bytes of a line an error has from its place on, and before it."""


def name_of(source: Source) -> str:
    """What errors call the source."""
    if isinstance(source, Path):
        return str(source)
    return "<log>" if isinstance(source, str | bytes) else str(getattr(source, "name", "<log>"))


@contextmanager
def opened(source: Source) -> Iterator[BinaryIO]:
    """The source as a binary file. Only a file that was opened here is closed."""
    if isinstance(source, Path):
        with source.open("rb") as file:
            yield file
    elif isinstance(source, str | bytes):
        yield io.BytesIO(source.encode() if isinstance(source, str) else source)
    else:
        yield source


def next_bytes(file: BinaryIO, size: int) -> bytes:
    """Up to `size` bytes, as soon as there are any; none at the end. A pipe is not waited for until it has all."""
    read = getattr(file, "read1", file.read)
    return bytes(read(size))


def holds_line(text: Bytes, at: int) -> bool:
    """Whether the text goes on to the end of the line at a place, or as far as an error shows a line."""
    return len(text) - at >= _SHOWN or bool((text[at:] == ord("\n")).any())


class TextPlace:
    """Where a piece of text stands in its log: the number of lines before it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines = 0
        self._begun = b""  # what has passed of the line that goes on

    def pass_by(self, text: Bytes) -> None:
        """The next piece begins after this text."""
        self.lines += int(np.count_nonzero(text == ord("\n")))
        self._begun = (self._begun + text[-_SHOWN:].tobytes()).rpartition(b"\n")[2][-_SHOWN:]

    def error(self, kind: type[LogError], message: str, text: Bytes, at: int) -> LogError:
        """An error at a place in a piece of text, with its line; of a long line, the part around the place."""
        before = text[:at].tobytes()
        begun = before.rpartition(b"\n")[2] if b"\n" in before else self._begun + before
        begun = b"..." + begun[-_BEFORE:] if len(begun) > _BEFORE else begun
        line = begun + text[at : at + _SHOWN].tobytes().split(b"\n", 1)[0]
        number = self.lines + before.count(b"\n") + 1
        return kind(message, line=number, text=line.decode(errors="replace"), path=self.path)


def joined(blocks: Sequence[PointLog]) -> PointLog:
    """Consecutive blocks of points as one log.

    >>> first = PointLog(np.array([1, 1]), {"P": TypedEvents(np.array([1]), {"1": pa.array([7])})})
    >>> log = joined([first, PointLog(np.array([4]), {"P": TypedEvents(np.array([0]), {"1": pa.array([8])})})])
    >>> log.stamps.tolist(), log.events["P"].point.tolist(), log.events["P"].columns["1"].to_pylist()
    ([1, 1, 4], [1, 2], [7, 8])
    """
    if len(blocks) == 1:
        return blocks[0]
    before: Ints = np.cumsum([0, *(block.points for block in blocks)])
    stamps = np.concatenate([np.empty(0, np.int64), *(block.stamps for block in blocks)])
    parts: dict[str, list[tuple[int, TypedEvents]]] = {}
    for first, block in zip(before.tolist(), blocks, strict=False):
        for event_type, events in block.events.items():
            parts.setdefault(event_type, []).append((first, events))
    typed = {event_type: _joined_events(pieces) for event_type, pieces in parts.items()}
    return PointLog(stamps, typed, blocks[0].before if blocks else 0)


def _joined_events(parts: list[tuple[int, TypedEvents]]) -> TypedEvents:
    point = np.concatenate([events.point + first for first, events in parts])
    names = parts[0][1].columns
    return TypedEvents(point, {name: pa.concat_arrays([events.columns[name] for _, events in parts]) for name in names})
