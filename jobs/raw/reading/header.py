"""The header of a CSV file: its first line that is neither empty nor a comment names the declared columns, in order.

Blanks around a name do not count; a name may stand between quotes. A line further down that names the columns is a
refused row.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from jobs.exits import WrongHeader
from jobs.raw.reading.file_form import TextForm
from jobs.raw.reading.refused_rows import shown

if TYPE_CHECKING:
    from jobs.raw.reading.scanning import ScannedRows  # with it come compiled kernels


def check_header(path: Path, form: TextForm, scanned: ScannedRows) -> None:
    """Raises WrongHeader if a file's first row is not its header."""
    line = scanned.data[scanned.places.begins[0] : scanned.places.ends[0]]
    names = names_in(shown(line), form)
    if names != list(form.columns):
        raise WrongHeader(difference(path, form.columns, names))


def names_in(line: str, form: TextForm) -> list[str]:
    """The names in a header.

    >>> names_in('id;"a;b"; c', TextForm("csv", {}, separator=";"))
    ['id', 'a;b', 'c']
    """
    if not form.quote:
        return [name.strip() for name in line.split(form.separator)]
    reader = csv.reader([line], delimiter=form.separator, quotechar=form.quote)
    return [name.strip() for name in next(reader, [])]


def difference(path: Path | str, columns: Iterable[str], names: list[str]) -> str:
    """How the names in a file's header differ from the declared columns."""
    expected = list(columns)
    missing = [name for name in expected if name not in names]
    extra = [name for name in names if name not in expected]
    what = f"missing: {missing}; not declared: {extra}" if missing or extra else "the same names in another order"
    if not names:
        what = "the file has no line"
    return (
        f"the header of {path} is not what its source declares ({what})\n"
        f"  expected {','.join(expected)}\n  found    {','.join(names)}"
    )
