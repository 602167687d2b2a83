"""A day's matches by the values of the equivalences, most first: all matches, or only the listed ones if it says so."""

from __future__ import annotations

from cep_core.language.patterns.query import Query
from jobs.reports.answers.attributes import entity, entity_titles
from jobs.reports.answers.listing import FILED, Heading, Listing
from jobs.reports.answers.matching import ranked
from jobs.reports.answers.tallies import Key, Tally
from jobs.reports.answers.variety.leading import leading
from jobs.reports.words.quantities import quantity, share
from jobs.reports.words.values import shown


def leaders(query: Query, whose: Tally[Key]) -> Listing | None:
    """A row for each key; None if there is only one key, or each has one match."""
    if len(whose.counts) < 2 or max(whose.counts.values()) == 1:
        return None
    names = [name for name, _, _ in entity(query)]
    everything = sum(whose.counts.values())
    rows = ranked(whose)
    chosen, others = leading(rows)
    counted = "matches" if whose.listed is None else "listed matches"
    return Listing(
        [
            *(Heading(title) for title in entity_titles(query)),
            Heading(counted, number=True),
            Heading("share", number=True),
        ],
        [[*(shown(value) for value in key), quantity(count), _part(count, everything)] for key, count in chosen],
        [*names, counted.replace(" ", "_")],
        [[*key, count] for key, count in rows[:FILED]],
        len(rows),
        f"most {counted} first{others}",
    )


def _part(count: int, everything: int) -> str:
    """A share of whole numbers of any size.

    >>> _part(3, 4), _part(10**400, 4 * 10**400)
    ('75 %', '25 %')
    """
    return share(count * 10**6 // everything / 10**6)
