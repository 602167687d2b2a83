"""Links from each page of a day to the day before and the day after it that have a report.

Which day comes next is not known when a report is written. So a page has an empty place for these links, and they are
put there once all reports of a publish stand. A day's first page is linked last: if its links are those that it should
have, so are those of its other pages, unless a report beside it is new.

Cost: a read of each day's first page, and of all pages of new reports and of those beside them.
"""

from __future__ import annotations

import os
import re
from datetime import date
from pathlib import Path

from jobs.reports.words.clock import brief

PLACE = '<nav class="neighbours" aria-label="Other days"></nav>'
"""Where the links go, as the template has it."""
FIRST = "index.html"

_PLACE = re.compile(r'<nav class="neighbours" aria-label="Other days">[^\n]*</nav>')


def link_days(home: Path) -> None:
    """Link every day's pages below `home` with those of the days before and after it.

    New reports are linked after the days beside them, whose pages may lead to pages that are new or gone: if this is
    killed, the new ones still tell that both are to be done.
    """
    days = sorted(date.fromisoformat(place.parent.name) for place in home.glob(f"[0-9]*-[0-9]*-[0-9]*/{FIRST}"))
    beside = {day: near for day, *near in zip(days, [None, *days], [*days[1:], None], strict=False)}
    new = [day for day in days if not _is_linked(home / day.isoformat() / FIRST, _links(home, FIRST, *beside[day]))]
    others = {near for day in new for near in beside[day] if near is not None} - set(new)
    for day in (*sorted(others), *new):
        folder = home / day.isoformat()
        names = sorted(page.name for page in folder.glob("*.html") if page.name != FIRST)
        for name in (*names, FIRST):
            _link(folder / name, _links(home, name, *beside[day]))


def _links(home: Path, name: str, before: date | None, after: date | None) -> str:
    """The links of a page called `name`: to the same page of the neighbours, or to their first one."""
    parts: list[str] = []
    for day, word, arrow in ((before, "prev", "←\u202f{}"), (after, "next", "{}\u202f→")):
        if day is not None:
            page = name if (home / day.isoformat() / name).exists() else FIRST
            parts.append(f'<a rel="{word}" href="../{day.isoformat()}/{page}">{arrow.format(brief(day))}</a>')
    return PLACE.replace("></nav>", f">{' '.join(parts)}</nav>")


def _is_linked(page: Path, links: str) -> bool:
    stored = _PLACE.search(page.read_text(encoding="utf-8"))
    return stored is None or stored[0] == links


def _link(page: Path, links: str) -> None:
    """Replace a page by one with these links, in one step."""
    text = page.read_text(encoding="utf-8")
    linked = _PLACE.sub(lambda _: links, text, count=1)
    if linked != text:
        written = page.with_name(f".{page.name}.{os.getpid()}")
        written.write_text(linked, encoding="utf-8")
        written.replace(page)
