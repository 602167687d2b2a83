"""The page of a workload's experiments: each grid's figures, and a comparison of our numbers with the paper.

It is read from `experiments` without a JVM. Whether a relation of the paper holds is computed from the numbers, never
written by hand. A grid of policies beside labels has a table of scores in place of figures. The same rows give the same
bytes.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.dataset as ds

from cep_core.experiments.grids.declared import DeclaredGrid
from cep_core.experiments.grids.grid import LOAD, Grid
from cep_core.experiments.grids.label_grid import LabelGrid
from cep_core.experiments.grids.relations import RELATIONS, judged
from cep_core.experiments.grids.summaries import Summary, summary_of
from cep_core.experiments.loads import described_load
from cep_core.shedding import strategies
from cep_core.shedding.shedders.nothing import UNSHED
from jobs import places
from jobs.reports.answers.listing import Heading
from jobs.reports.comparisons.label_comparison import headings_of, rows_of, scores_text
from jobs.reports.comparisons.shedding_comparison import LITTLE
from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.figures.grid import figures_of
from jobs.reports.lake_reader import LakeReader, rows
from jobs.reports.page import Page
from jobs.reports.site import move_folder, write_pages
from jobs.reports.stored_reports import reports_here
from jobs.reports.words import quantities
from jobs.reports.words.quantities import share
from jobs.reports.words.values import spanned
from jobs.runs.ledger import read_ledger
from jobs.runs.recorded_days import Ledger
from jobs.stages.experiment import setting_of
from jobs.workload.declaration import Workload
from jobs.workload.sections.experiment_grids import FOLDER, experiment_of


@dataclass(frozen=True)
class RelationAnswer:
    """One relation of the paper."""

    says: str
    agrees: bool
    finding: str
    why: str
    """If our numbers do not agree with it: our explanation."""
    cause: str = ""
    """The cause of the difference: one of `CAUSES`."""


@dataclass(frozen=True)
class GridSection:
    """One grid on the page. Without an answer, it is not fully measured yet."""

    grid: DeclaredGrid
    known: int
    answer: str = ""
    """What the strategies lost, or how well policies point at labels, in a sentence."""
    figures: tuple[Figure, ...] = ()
    answers: tuple[RelationAnswer, ...] = ()
    headings: Sequence[Heading] = ()
    scores: Sequence[Sequence[str]] = ()
    """Of a grid beside labels: the rows of its table, below `headings`."""

    @property
    def title(self) -> str:
        return self.grid.title


def publish_experiments(workload: Workload, grids: Mapping[str, DeclaredGrid]) -> Path:
    """Write the page, whole or not at all. Returns its path."""
    ledger = read_ledger(places.lake(), workload.name)
    page = page_of(sections_of(LakeReader(places.lake() / workload.name), grids, ledger))
    frame = {
        "workload_name": workload.name,
        "workload_title": workload.title,
        "trail": [("Trendmill", "../../index.html"), (workload.title, "../index.html"), ("Experiments", "")],
        "pages": [],
    }
    with reports_here() as reports:
        home = reports / workload.name
        written = home / f".{FOLDER}.{os.getpid()}"
        shutil.rmtree(written, ignore_errors=True)
        write_pages(written, [page], frame)
        move_folder(written, home / FOLDER)
    return places.reports() / workload.name / FOLDER / page.file


def sections_of(reader: LakeReader, grids: Mapping[str, DeclaredGrid], ledger: Ledger) -> list[GridSection]:
    """A section for each grid, in order of their names. `ledger`: the workload's own days."""
    return [_section(grid, measured(reader, grid, ledger)) for _, grid in sorted(grids.items())]


def measured(reader: LakeReader, grid: DeclaredGrid, ledger: Ledger) -> Summary:
    """A summary of the rows of `experiments` for a grid and its days as they are now.

    Only rows of the grid's own settings and seeds are used.
    """
    name = experiment_of(grid, ledger.version)
    stored = rows(
        reader.read("experiments", where=ds.field("experiment") == name),
        "strategy",
        "parameters",
        "seed",
    )
    cell_keys = {(cell.key, cell.seed) for cell in grid.cells}
    return summary_of(row for row in stored if (setting_of(row["parameters"]), row["seed"]) in cell_keys)


def _section(grid: DeclaredGrid, summary: Summary) -> GridSection:
    if isinstance(grid, LabelGrid):
        return label_section(grid, summary)
    cell_count = sum(point.metrics["lost"].n for point in summary.points) // max(
        1, len(grid.strategies) * len(grid.loads)
    )
    if cell_count < len(grid.cells):
        return GridSection(grid, cell_count)
    verdicts = judged(summary, grid.relations)
    answers = tuple(
        RelationAnswer(RELATIONS[name].says, True, verdict.finding, "")
        if verdict.agrees
        else RelationAnswer(
            RELATIONS[name].says, False, verdict.finding, grid.relations[name], grid.causes.get(name, "")
        )
        for name, verdict in verdicts.items()
    )
    return GridSection(grid, cell_count, answer_of(grid, summary), tuple(figures_of(grid, summary)), answers)


def label_section(grid: LabelGrid, summary: Summary) -> GridSection:
    """The section of a grid beside labels. Its only cell is committed whole."""
    if not summary.points:
        return GridSection(grid, 0)
    scores = rows_of(grid, summary)
    return GridSection(grid, 1, scores_text(grid, summary), headings=headings_of(grid), scores=scores)


def answer_of(grid: Grid, summary: Summary) -> str:
    """What each strategy lost at the described load: one number, or the range over the other axes."""
    load = described_load(grid.loads)
    losses: list[str] = []
    for strategy in (name for name in grid.strategies if name != UNSHED.name):
        lost = sorted(point["lost"] for point in summary.along(LOAD, strategy, load=load))
        misses = spanned(share(lost[0]), share(lost[-1]))
        losses.append(f"{strategy} {misses}" if losses else f"{strategy} misses {misses} of the matches")
    return f"At {share(load)} of the rate that the operator can bear {', '.join(losses)}.{_choice(grid, summary)}"


def _choice(grid: Grid, summary: Summary) -> str:
    """The share of drops in which strategies had a choice, and whether it is too small to compare them.

    It counts strategies that can be used in practice and drop partial matches; empty if no drop was counted.
    """
    out_of_reach = [strategy.name for strategy in strategies.STRATEGIES if strategy.out_of_reach]
    usable = [name for name in grid.strategies if name not in out_of_reach]
    points = [point for name in usable for point in summary.along(LOAD, name) if "choice" in point.metrics]
    drops = sum(point["drops"] for point in points)
    if not drops:
        return ""
    choice = sum(point["drops"] * point["choice"] for point in points) / drops
    sentence = (
        f" In {share(choice)} of all drops strategies could choose, because not all partial matches had to be dropped"
    )
    return f"{sentence}." if choice >= LITTLE else f"{sentence}: too few to compare strategies."


def counted(answers: Sequence[RelationAnswer]) -> str:
    """How many of the paper's relations hold, and the causes for the others.

    >>> data, set_up = (RelationAnswer("", False, "", "", cause) for cause in ("data", "set-up"))
    >>> counted([RelationAnswer("", True, "", ""), data, data, set_up])
    '1 of 4 relations that were asked of our numbers agrees; of the others 2 depend on our data, 1 on the set-up.'
    """
    agree = sum(answer.agrees for answer in answers)
    sentence = f"{agree} of {len(answers)} relations that were asked of our numbers agree{'s' * (agree == 1)}"
    causes = Counter(answer.cause for answer in answers if not answer.agrees)
    parts = [f"{causes[cause]} on {words}" for cause, words in _CAUSES.items() if causes[cause]]
    if not parts:
        return f"{sentence}."
    verb = "depends on" if parts[0].startswith("1 ") else "depend on"
    return f"{sentence}; of the others {', '.join([parts[0].replace('on', verb, 1), *parts[1:]])}."


_CAUSES = {
    "cost model": "the cost model",
    "data": "our data",
    "set-up": "the set-up",
    "": "what is open",
}


def _unmeasured(section: GridSection) -> list[str]:
    """A grid's name, its question, and how many of its cells are measured."""
    cells = quantities.counted(len(section.grid.cells), "cell")
    return [section.grid.name, section.title, f"{section.known} of {cells}"]


def _finding(sections: Sequence[GridSection], answers: Sequence[RelationAnswer]) -> str:
    """How many of the paper's relations hold; without any, what the only measured grid says, or how many there are."""
    if answers:
        return counted(answers)
    measured = [section.answer for section in sections if section.answer]
    if len(measured) > 1:
        return f"{len(measured)} of {len(sections)} grids of experiments have been measured."
    return measured[0] if measured else "No grid of experiments has been measured yet."


def page_of(sections: list[GridSection]) -> Page:
    """All grids on one page; the first sentence says how many of the paper's relations hold."""
    answers = [answer for section in sections for answer in section.answers]
    content = {
        "title": "Experiments",
        "finding": _finding(sections, answers),
        "sections": sections,
        "unmeasured_headings": [Heading("grid", whole=True), Heading("asks", prose=True), Heading("known", whole=True)],
        "unmeasured": [_unmeasured(section) for section in sections if not section.answer],
    }
    figures = tuple(figure for section in sections for figure in section.figures)
    return Page("index.html", "experiments.html", content, figures)
