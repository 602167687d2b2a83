"""The two kinds of grids: shedding strategies along axes, and policies beside labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cep_core.experiments.grids.grid import Grid, grid_of
from cep_core.experiments.grids.label_grid import LabelGrid, label_grid_of

DeclaredGrid = Grid | LabelGrid


def declared_grid(name: str, declared: Mapping[str, Any]) -> DeclaredGrid:
    """The grid that a YAML reader gives: with `policies` one beside labels. Raises ValueError, naming the key."""
    return label_grid_of(name, declared) if "policies" in declared else grid_of(name, declared)
