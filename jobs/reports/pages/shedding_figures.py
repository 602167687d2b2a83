"""Figures of the Shedding page: what was missed, how much choice there was, and how strained the operator was.

Each is drawn along loads or along bounds, one line for each strategy. A figure of fewer than two settings, or of a
measure that is 0 everywhere, is left out. Assumes that each strategy was measured once in a setting. Cost: every point
is looked up among all outcomes of the day.
"""

from __future__ import annotations

import re
from functools import partial

from cep_core.experiments.loads import BUSIEST, DAY
from cep_core.shedding.shedders.nothing import UNSHED
from jobs.reports.comparisons.shedding_answer import described_load, over_what
from jobs.reports.comparisons.shedding_comparison import SheddingComparison, SheddingOutcome
from jobs.reports.figures.along_settings import along_settings
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.words.quantities import quantity, virtual
from jobs.reports.words.values import listed, shown


def missed_figures(compared: SheddingComparison) -> list[Figure]:
    """Figures of what was missed.

    By load over the busiest hours, by load over the whole day, and by bound; then the same for each query.
    """
    names = compared.queries
    queries = listed([shown(name) for name in names or compared.asked]) or "all queries"
    weighted = ", weighted," if _weighted(compared) else ""
    bound = f"with a bound of {virtual(compared.bound_ns)}"
    settings = {
        f"load-{over}": (compared.along(over), f"load over {over_what(compared, over)}, {bound}")
        for over in (BUSIEST, DAY)
    }
    settings["bound"] = compared.bounds, f"latency bound, at {described_load(compared)}"
    about: list[tuple[str | None, str, str]] = [(None, f"the matches of {queries}{weighted}", key) for key in settings]
    for name in names if len(names) > 1 else []:
        whole = quantity(_matches(compared, name))
        about.append((name, f"the {whole} matches of {shown(name)}", f"load-{compared.setting.over}"))
    figures = []
    for query, matches, key in about:
        along, against = settings[key]
        figures.append(
            along_settings(
                compared,
                f"shedding-missed-by-{key}" + (f"-{re.sub(r'[^A-Za-z0-9]', '_', query)}" if query else ""),
                along,
                _shedding(compared),
                partial(SheddingOutcome.lost_of, query=query),
                ("matches missed", f"Share of {matches} that are missed, by {against}."),
                least=query is None,
            )
        )
    return [figure for figure in figures if figure is not None]


def choice_figure(compared: SheddingComparison) -> Figure | None:
    """A figure by load. A strategy has a choice if it need not drop all partial matches."""
    over = compared.setting.over
    return along_settings(
        compared,
        "shedding-choice",
        compared.along(over),
        _shedding(compared),
        lambda outcome: outcome.measures.get("choice"),
        (
            "drops with a choice",
            "Share of the drops in which not all candidates had to be dropped, by the load over "
            f"{over_what(compared, over)}; no point where nothing was dropped.",
        ),
    )


def strain_figures(compared: SheddingComparison) -> list[Figure]:
    """Figures of the time above the bound and of the cost of shedding."""
    settings, over = compared.along(compared.setting.over), over_what(compared, compared.setting.over)
    figures = [
        along_settings(
            compared,
            "shedding-late-time",
            settings,
            compared.strategies,
            lambda outcome: outcome.measures["late_time"],
            (
                "time above the bound",
                "Share of the day's time in which events take longer than the bound of "
                f"{virtual(compared.bound_ns)}, by the load over {over}.",
            ),
        ),
        along_settings(
            compared,
            "shedding-overhead",
            settings,
            _shedding(compared),
            lambda outcome: outcome.measures["overhead"],
            (
                "work spent on shedding",
                "Shedding's own share of all virtual work (looking up, sorting, drawing, dropping), by the load over "
                f"{over}.",
            ),
        ),
    ]
    return [figure for figure in figures if figure is not None]


def _shedding(compared: SheddingComparison) -> list[str]:
    return [name for name in compared.strategies if name != UNSHED.name]


def _matches(compared: SheddingComparison, query: str) -> float:
    return max(
        outcome.by_query[query]["query_matches"].mean for outcome in compared.outcomes if query in outcome.by_query
    )


def _weighted(compared: SheddingComparison) -> bool:
    return len(set(compared.weights.values())) > 1
