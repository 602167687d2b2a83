"""Reads a log's text in any of its forms: MonPoly's, DejaVu's, or the CSV of the RV competition."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from cep_core.events.logs import dejavu, monpoly, rv_csv
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.reading.text_blocks import Source, joined, name_of, next_bytes
from cep_core.events.schema import LogSchema

_FORMATS = {"monpoly": monpoly.stream, "dejavu": dejavu.stream, "rv": rv_csv.stream}
_PEEKED = 1 << 12


def read_log(log: Source, schema: LogSchema, form: str | None = None) -> PointLog:
    """A log's text; `form` is monpoly, dejavu or rv; None: as its first line looks. Raises LogError."""
    return joined(list(stream_log(log, schema, form)))


def stream_log(log: Source, schema: LogSchema, form: str | None = None) -> Iterator[PointLog]:
    """The log in blocks of points; of an open file, which may be a pipe, each point as soon as it has been read."""
    if form is None and not isinstance(log, Path | str | bytes):
        begun = _BegunFile(log)
        form, log = begun.form, cast(BinaryIO, begun)
    return _FORMATS[form or form_of(cast("Path | str | bytes", log))](log, schema)


def form_of(log: str | bytes | Path) -> str:
    r"""The form of a log's text, by its first line.

    >>> form_of("@5 P(3)"), form_of("P, tp=0, ts=5, x=3"), form_of("\n" * 9000 + "P,3")
    ('monpoly', 'rv', 'dejavu')
    """
    if isinstance(log, Path):
        with log.open(encoding="utf-8", errors="replace") as lines:
            first = next((line for line in lines if line.strip()), "")
    else:
        first = _first_line(log[:_PEEKED]) or _first_line(log)
    if "tp=" in first.replace(" ", ""):
        return "rv"
    return "monpoly" if not first.strip() or first.lstrip()[0] in "@>#" else "dejavu"


def _first_line(log: str | bytes) -> str:
    """The first line that is not blank, as far as it is there."""
    text = log if isinstance(log, str) else log.decode(errors="replace")
    return next((line for line in text.splitlines() if line.strip()), "")


class _BegunFile(io.RawIOBase):
    """An open file of which as much has been read as tells its `form`: MonPoly's by one character, others by a line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.name = name_of(file)
        self._begin = b""
        while not self._tells() and (more := next_bytes(file, _PEEKED)):
            self._begin += more
        self.form = form_of(self._begin)

    def _tells(self) -> bool:
        begun = self._begin.lstrip()
        return begun[:1] in (b"@", b">", b"#") or b"\n" in begun

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """What was read to tell the form, then the rest of the file as it comes."""
        more = self._begin or next_bytes(self._file, len(buffer))
        given, self._begin = more[: len(buffer)], more[len(buffer) :]
        buffer[: len(given)] = given
        return len(given)
