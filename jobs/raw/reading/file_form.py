"""What a source's files look like, if they are read strictly: CSV, JSON lines or Parquet.

Of text: the columns, the bytes that separate and quote. The reader knows few options, each exactly; a source that says
more is not read here. Nothing here is compiled, so that a command which reads no file need not wait for kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jobs.raw.row_days import RowDays
from jobs.workload.sections.sources import Source

LONGEST = 1 << 20
"""Bytes of the longest row. A longer one is refused; it is no reason to stop."""

_OPTIONS = {"sep", "delimiter", "quote", "escape", "comment", "encoding", "charset"}
_UTF8 = {"utf-8", "utf8"}


@dataclass(frozen=True)
class TextForm:
    """The form of a source's text files. `columns`: declared names with their SQL types, in order.

    `missing`: the text that means a missing value, beside the empty text. `separator`, `quote`, `comment`: one ASCII
    character, or none (""). `longest`: bytes of the longest row. `time`: how rows tell their days; None: they do not.
    """

    format: Literal["csv", "json"]
    columns: dict[str, str]
    header: bool = True
    missing: str = ""
    separator: str = ","
    quote: str = '"'
    comment: str = ""
    longest: int = LONGEST
    time: RowDays | None = None

    @property
    def has_header(self) -> bool:
        return self.header and self.format == "csv"

    @property
    def kept(self) -> int:
        """How many bytes of a row that is too long are kept."""
        return min(1_000, self.longest)


def form_of(source: Source) -> TextForm | None:
    """The form of a text source; None if its options say something that this reader does not know.

    >>> form_of(Source("a", "csv", {"x": "BIGINT"}, options={"sep": ";"})).separator
    ';'
    >>> form_of(Source("a", "csv", {"x": "BIGINT"}, options={"lineSep": ";"})) is None
    True
    """
    options = {key.lower(): value for key, value in source.resolved_options().items()}
    encoding = options.get("encoding", options.get("charset", "utf-8")).lower()
    if not source.text or set(options) - _OPTIONS or encoding not in _UTF8:
        return None
    separator = options.get("sep", options.get("delimiter", ","))
    quote, comment = options.get("quote", '"'), options.get("comment", "")
    marks = [separator, quote, comment]
    if source.format == "json":
        return TextForm("json", source.columns, missing=source.missing) if not options else None
    if len(separator) != 1 or not all(_is_mark(mark) for mark in marks) or options.get("escape", quote) != quote:
        return None
    if len({mark for mark in marks if mark}) < sum(bool(mark) for mark in marks):
        return None
    return TextForm("csv", source.columns, source.header, source.missing, separator, quote, comment)


def _is_mark(text: str) -> bool:
    return text == "" or (len(text) == 1 and text.isascii() and text not in "\r\n\0")


@dataclass(frozen=True)
class ParquetForm:
    """The form of Parquet files. `columns`: declared names with their SQL types, in order. `time`: as of TextForm."""

    columns: dict[str, str]
    time: RowDays | None = None


FileForm = TextForm | ParquetForm


def file_form_of(source: Source) -> FileForm | None:
    """The form of a source's files; None if its format or its options say something that is not read strictly."""
    if source.format == "parquet":
        return None if source.options else ParquetForm(source.columns)
    return form_of(source)
