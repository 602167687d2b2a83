"""Writing pages as files, with one template environment that escapes everything that a template prints."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from jobs.reports.figures.drawing.figure import csv_text, write_figure
from jobs.reports.page import Page

_AT_CWD, _RENAME_EXCHANGE = -100, 2
"""Linux's numbers for paths that begin at the working folder, and for taking each other's place."""
FOOTER = "Trendmill. Static pages: no script, nothing loaded from a network."


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("jobs.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def write_pages(folder: Path, pages: Sequence[Page], frame: dict[str, Any]) -> None:
    """Write pages, their figures and files, and the stylesheet into `folder`; `frame` is what base.html needs."""
    folder.mkdir(parents=True, exist_ok=True)
    style = resources.files("jobs.reports") / "templates" / "style.css"
    (folder / "style.css").write_bytes(style.read_bytes())
    for page in pages:
        (folder / page.file).write_text(rendered(page, frame), encoding="utf-8")
        for figure in page.figures:
            write_figure(folder, figure)
        for name, listing in page.listings.items():
            (folder / name).write_text(csv_text(listing.header, listing.rows), encoding="utf-8")


def rendered(page: Page, frame: Mapping[str, Any]) -> str:
    """A page's HTML."""
    return _templates().get_template(page.template).render(**frame, **page.content, here=page.file, footer=FOOTER)


def move_folder(written: Path, place: Path) -> None:
    """Replace a folder by a new one, in one step where the system can exchange folders.

    Elsewhere, between two renames, for a moment neither is there.
    """
    before = written.with_name(written.name + ".before")
    shutil.rmtree(before, ignore_errors=True)
    if place.exists():
        if _exchanged(written, place):
            shutil.rmtree(written, ignore_errors=True)
            return
        place.rename(before)
    written.rename(place)
    shutil.rmtree(before, ignore_errors=True)


def _exchanged(first: Path, second: Path) -> bool:
    """Whether two folders took each other's place. False: this system, or this file system, cannot do that."""
    exchange = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if exchange is None:
        return False
    if not exchange(_AT_CWD, os.fsencode(first), _AT_CWD, os.fsencode(second), _RENAME_EXCHANGE):
        return True
    if (number := ctypes.get_errno()) in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), str(second))
