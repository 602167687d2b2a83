"""Writing pages as files, with one template environment that escapes everything that a template prints."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from jobs.reports.figures.drawing.figure import csv_text, write_figure
from jobs.reports.page import Page

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
    """Replace a folder by a new one. Between the two renames, for a moment, neither is there."""
    before = written.with_name(written.name + ".before")
    shutil.rmtree(before, ignore_errors=True)
    if place.exists():
        place.rename(before)
    written.rename(place)
    shutil.rmtree(before, ignore_errors=True)
