"""Grids of experiments that a workload folder declares: `experiments/<name>.yaml`, one grid each.

Files that a grid reads (stand-ins for a paper's data) are in one folder, TRENDMILL_STAND_INS. A grid whose files are
missing is left out, and its name is printed. `cep_core.experiments.grids` checks what a grid says; the workload's own
queries are checked here.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jobs import places
from jobs.workload.files.problems import Problems, WorkloadError, brief, is_number, nearest
from jobs.workload.files.text_file import read_text
from jobs.workload.files.yaml_file import read_yaml
from jobs.workload.names import RULE, is_name

if TYPE_CHECKING:
    from cep_core.experiments.grids.declared import DeclaredGrid
    from cep_core.experiments.grids.grid import Grid

FOLDER = "experiments"
"""The folder of the grids in a workload, and of their page in its reports."""


MOST_CELLS = 100_000
QUERIES = "queries"
"""The folder of the workload's queries, which a grid over its own days names."""


def stand_ins() -> Path:
    """The folder of data that the project does not carry (TRENDMILL_STAND_INS, default ./.cache/stand_ins)."""
    return Path(os.environ.get("TRENDMILL_STAND_INS", places.cache() / "stand_ins")).absolute()


def grid_files(folder: Path) -> list[Path]:
    """The files of a workload folder that declare a grid, by name."""
    return sorted((folder / FOLDER).glob("*.yaml"))


def read_grids(folder: Path) -> tuple[dict[str, DeclaredGrid], list[str]]:
    """The grids of a workload folder by name, and every problem of the wrong ones."""
    from cep_core.experiments.grids.declared import declared_grid
    from cep_core.experiments.grids.grid import Grid

    grids: dict[str, DeclaredGrid] = {}
    problems = Problems()
    for file in grid_files(folder):
        shown = brief(f"{FOLDER}/{file.name}", quoted=False)
        before = len(problems.noted)
        declared = read_yaml(problems, file, shown)
        if len(problems.noted) > before:
            continue
        try:
            if not isinstance(declared, dict):
                raise ValueError("a grid is a mapping")
            if not is_name(file.stem):
                raise ValueError(f"its file's name cannot name a grid: {RULE}")
            _check_kinds(declared)
            grid = declared_grid(file.stem, declared)
            grids[file.stem] = _worded(grid, folder) if isinstance(grid, Grid) and grid.log.days else grid
        except (ValueError, ArithmeticError, LookupError) as error:
            problems.add(shown, " ".join(str(error).split())[:500])
    return grids, problems.noted


def _check_kinds(declared: Mapping[str, Any]) -> None:
    """Raise ValueError for impossible values, and for too many cells, before the cells are made."""
    axes, costs, log, seeds = (declared.get(key) for key in ("axes", "costs", "log", "seeds"))
    if not isinstance(declared.get("title", ""), str):
        raise ValueError("title: expected text")
    for key, section in (("axes", axes), ("costs", costs), ("log", log)):
        if section is not None and not isinstance(section, dict):
            raise ValueError(f"{key}: expected a mapping, found {brief(section)}")
    for name, values in (axes or {}).items():
        if not isinstance(values, list) or not all(map(is_number, values)):
            raise ValueError(f"axes.{name}: expected a list of numbers, found {brief(values)}")
    for name, value in (costs or {}).items():
        if not is_number(value) or value < 0:
            raise ValueError(f"costs.{name}: expected a number, at least 0, found {brief(value)}")
    for name, value in (log or {}).items():
        if not isinstance(value, list if name in ("train", "judge") else str | int | float | list):
            raise ValueError(f"log.{name}: cannot be {brief(value)}")
        if "generate" in (log or {}) and name != "generate" and not is_number(value):
            raise ValueError(f"log.{name}: expected a number, found {brief(value)}")
    counts = [seeds] if isinstance(seeds, int) else []
    if math.prod([*counts, *(len(values) for values in (axes or {}).values())]) > MOST_CELLS:
        raise ValueError(f"seeds and axes make more than {MOST_CELLS:,} cells")


def load_grids(workload: str, folder: Path) -> dict[str, DeclaredGrid]:
    """The grids of a workload folder by name. Raises WorkloadError with all problems."""
    grids, problems = read_grids(folder)
    if problems:
        raise WorkloadError(workload, problems)
    return grids


def _worded(grid: Grid, folder: Path) -> Grid:
    """A grid over the workload's own days with the texts of its queries."""
    files = {path.stem: path for path in sorted((folder / QUERIES).glob("*.cep"))}
    if strange := sorted(set(grid.queries) - set(files)):
        raise ValueError(f"queries: no '{strange[0]}' in {QUERIES}/; {nearest(strange[0], files)}")
    texts = {name: read_text(Problems(), files[name], name) for name in grid.queries}
    return replace(grid, texts={name: text or "" for name, text in texts.items()})  # `check` reports a query without it


def experiment_of(grid: DeclaredGrid, version_of: Callable[[date], str]) -> str:
    """The name of a grid's rows in `experiments`: it changes with its definition and with the engine's version.

    `version_of`: what an operating day holds. If the log is the workload's own days, a fingerprint of them ends the
    name.
    """
    defined = f"{grid.definition} {metadata.version('trendmill')}"
    name = f"grid:{grid.name}:{_digest(defined, 12)}"
    held = [version_of(day) for day in grid.log.days]
    return f"{name}:{_digest(json.dumps(held), 8)}" if held else name


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]
