"""Reads logs of propositional monitors (Aerial's and Hydra's): each line is a time-point, `@ts name name ...`.

A line tells the stamp, a whole number of 64 bits that is not before that of the line above, and the atoms that hold.
Empty lines are passed over. Logs are read in blocks, with one bit for each point and wanted name; other names cost
their bytes alone. No object is made for a point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.events.logs.errors import LogError, TimeStepsBack
from cep_core.events.logs.reading.name_tokens import (
    BACK,
    BAD_STAMP,
    GOOD,
    NO_STAMP,
    NO_TEXT,
    scan_names,
    wanted,
)
from cep_core.events.logs.reading.text_blocks import Source, TextPlace, name_of, next_bytes, opened

NamedPoints = tuple[Ints, dict[str, Flags]]
"""The stamps of points, and for each wanted name whether it holds there."""
BLOCK = 1 << 17
"""The number of bytes that are read at once. Lines are short, and a point of a monitor takes ten times their bytes."""
_EARLIEST = int(np.iinfo(np.int64).min)


class NamedPointReader:
    """Reads one log. With `skip_bad` a line that is no point is left out, and `skipped` counts it.

    >>> reader = NamedPointReader("@1 a b\\n@1\\n@7 c a\\n", ["a", "b"])
    >>> [(stamps.tolist(), atoms["a"].tolist()) for stamps, atoms in reader.blocks()]
    [([1, 1, 7], [True, False, True])]
    """

    def __init__(self, source: Source, names: Sequence[str], *, skip_bad: bool = False) -> None:
        self.source = source
        self.names = list(names)
        self.skip_bad = skip_bad
        self.skipped = 0
        self.stamp = _EARLIEST
        """The stamp of the last point."""
        self._wanted = wanted(self.names)
        self._place = TextPlace(name_of(source))

    def blocks(self, size: int = BLOCK) -> Iterator[NamedPoints]:
        """The log in blocks of points; about `size` bytes are read at once, and fewer if a pipe has no more yet.

        Raises LogError at the first line that is no point, after the points before it.
        """
        with opened(self.source) as file:
            rest: list[bytes] = []
            while more := next_bytes(file, size):
                end = more.rfind(b"\n") + 1
                if not end:
                    rest.append(more)
                    continue
                text = b"".join([*rest, more[:end]])
                rest = [more[end:]]
                yield from self._points(text)
            yield from self._points(b"".join(rest))

    def _points(self, lines: bytes) -> Iterator[NamedPoints]:
        """The points of whole lines."""
        text = np.frombuffer(lines, np.uint8)
        room = int(np.count_nonzero(text == ord("\n"))) + 1
        stamps, columns = np.empty(room, np.int64), np.zeros((len(self.names), room), np.bool_)
        progress, begin, end = np.zeros(2, np.int64), 0, GOOD
        while True:
            end = scan_names(text, begin, self.stamp, self._wanted, stamps, columns, progress)
            points, at = progress.tolist()
            if points:
                self.stamp = int(stamps[points - 1])
            if end == GOOD or not self.skip_bad:
                break
            self.skipped += 1
            begin = lines.find(b"\n", at) + 1 or len(lines)
        if points:
            yield stamps[:points], {name: columns[number, :points] for number, name in enumerate(self.names)}
        if end != GOOD:
            kind = TimeStepsBack if end == BACK else LogError
            raise self._place.error(kind, self._message(end, lines, at), text, at)
        self._place.pass_by(text)

    def _message(self, end: int, lines: bytes, at: int) -> str:
        """What is wrong at a place in the text."""
        words = lines[at : at + 100].split(maxsplit=1) or [lines[at : at + 1]]  # blanks that are no text's: \x0b
        word = words[0].decode(errors="replace")
        if end == NO_STAMP:
            return "a line begins with @ and the stamp of its time-point"
        if end == BAD_STAMP:
            return f"'{word}' is no stamp: @ and a whole number of 64 bits are expected"
        if end == BACK:
            return f"a stamp before {self.stamp}, the one before it: time steps back"
        if end == NO_TEXT:
            return "bytes that are no text: UTF-8 is expected"
        return f"unexpected '{word[:1]}': names of atoms are expected, with blanks between them"
