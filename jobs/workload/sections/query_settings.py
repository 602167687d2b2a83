"""A workload's questions: query and policy files, their names, and the section `queries` of workload.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cep_core.compile import LANGUAGES, language_of, tables_beside
from jobs.workload.files.problems import Problems, brief
from jobs.workload.names import RULE, is_name
from jobs.workload.sections.shedding import QueryShedding, read_query_shedding

QUERY_FOLDERS = {"queries": (".cep",), "policies": (".mfotl", ".mtl")}
"""The folders of questions, and the suffixes that tell their language."""

LAKE_TABLES = (
    "events",
    "quarantine",
    "stream_statistics",
    "heavy_hitters",
    "slicing_plans",
    "result_days",
    "slice_runs",
    "experiments",
    "runs",
)
"""Names that no query may take: each is a table of its own (jobs/lake/tables/all_tables.py)."""

OVER_DAYS = "_episodes_over_days"
"""The suffix of the view of a policy's episodes over days, which is named after its query as tables are."""


@dataclass(frozen=True)
class QuerySettings:
    """What a workload sets for one query."""

    max_matches: int = 10_000
    """The most matches that are listed for each operating day."""
    exact_counts: bool = False
    max_violations: int | None = None
    """The most violations of a policy that are listed for each operating day; None: `limits.max_violations`."""
    explained: int = 10
    """The number of a day's first violations whose causes are told."""
    shedding: QueryShedding | None = None
    """Costs and weight, if each night measures what a slower machine would have missed; else None."""


def question_files(folder: Path) -> list[Path]:
    """The query and policy files of a workload folder, by folder and name."""
    return [
        path
        for home, suffixes in QUERY_FOLDERS.items()
        for path in sorted((folder / home).glob("*"))
        if path.suffix in suffixes
    ]


def check_names(problems: Problems, folder: Path) -> dict[str, Path]:
    """The files of a folder's questions by name. A name that cannot name a result table is a problem."""
    files = question_files(folder)
    names = [path.stem for path in files]
    for path in files:
        name, shown = path.stem, shown_as(path)
        if names.count(name) > 1:
            problems.add(shown, "two files ask under this name, which names their result table")
        if not is_name(name) or name in LAKE_TABLES or name.startswith("work_"):
            problems.add(shown, f"cannot name a result table: {RULE}, and no other table's name")
        for suffix in (OVER_DAYS, *tables_beside()):
            if name.removesuffix(suffix) in names and name.endswith(suffix):
                problems.add(
                    shown, f"cannot name a result table: it belongs to the matches of {name.removesuffix(suffix)}"
                )
    return dict(zip(names, files, strict=True))


def shown_as(path: Path) -> str:
    """A question's file as problems name it: its folder and its name, printable."""
    return brief(f"{path.parent.name}/{path.name}", quoted=False)


def read_query_settings(problems: Problems, value: object, files: Mapping[str, Path]) -> dict[str, QuerySettings]:
    """The section `queries`. `files`: the queries that exist. Each has the settings of its language only."""
    settings_by_query = {}
    for name, declared in problems.section("workload.yaml: queries", value, (), files).items.items():
        where, language = f"workload.yaml: queries.{name}", language_of(files[name].name)
        foreign = [key for key in problems.mapping(where, declared) if key in _all_settings() - {*language.settings}]
        for key in foreign:
            problems.add(
                where,
                f"'{key}' cannot be set for {shown_as(files[name])}, only {', '.join(language.settings)}",
                key,
            )
        section = problems.section(where, declared, (), (*language.settings, *foreign))
        settings_by_query[name] = QuerySettings(
            section.count("max_matches", QuerySettings.max_matches),
            section.truth("exact_counts", QuerySettings.exact_counts),
            section.count("max_violations", 0) if "max_violations" in section.items else None,
            section.count("explained", QuerySettings.explained),
            read_query_shedding(problems, section.at("shedding"), section.items.get("shedding")),
        )
    return settings_by_query


def _all_settings() -> set[str]:
    return {key for language in LANGUAGES for key in language.settings}
