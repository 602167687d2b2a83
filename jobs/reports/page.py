"""A page before it is written: its template and contents, the figures it shows and the files it links to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jobs.reports.answers.listing import Listing
from jobs.reports.figures.drawing.figure import Figure


@dataclass(frozen=True)
class Page:
    """`file` is the page's name in its report's folder; `template` is rendered with `content`.

    `figures` are drawn, and `listings` written as CSV, beside the page.
    """

    file: str
    template: str
    content: Mapping[str, Any]
    figures: Sequence[Figure] = ()
    listings: Mapping[str, Listing] = field(default_factory=dict)
