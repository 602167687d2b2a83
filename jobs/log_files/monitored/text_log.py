"""A log that is a text, opened for reading its bytes: compressed or not, by its suffix.

Reading tells the meter how much of the file is done. Cost: one pass, with the memory of one block.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from cep_core.progress.meter import Meter, MeteredFile
from jobs.exits import RunError
from jobs.log_files.reading.named_files import COMPRESSED
from jobs.log_files.reading.opened_file import unreadable


def open_text(path: Path, meter: Meter) -> BinaryIO:
    """The text in a file. Raises RunError if there is none; reading raises UnreadableSource where it is damaged."""
    if not path.is_file():
        raise RunError(f"no such file: {path}")
    file = MeteredFile(path, meter)
    compression = COMPRESSED.get(path.suffix.lower())
    return cast(BinaryIO, file if compression is None else io.BufferedReader(_Unpacked(path, file, compression)))


class _Unpacked(io.RawIOBase):
    """The content of a compressed file."""

    def __init__(self, path: Path, file: MeteredFile, compression: str) -> None:
        self.name = str(path)
        self._path = path
        self._stream = pa.CompressedInputStream(pa.PythonFile(file, "r"), compression)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            block = self._stream.read(len(buffer))
        except (OSError, pa.ArrowException) as error:
            raise unreadable(self._path, error) from error
        buffer[: len(block)] = block
        return len(block)
