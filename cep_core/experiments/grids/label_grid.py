"""A grid of policies beside labels as data: which sequences, what their templates say, which policies, which patterns.

Sequences of log templates were labelled normal or abnormal by people. Policies are written from what the templates
mean. The grid asks how well their violations point at the abnormal sequences. It has no axes and draws nothing at
random, so it has one cell, which reads files that the project may not carry (stand-ins).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from cep_core.compile import BoundText, bind_text
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.experiments.grids.grid import Cell
from cep_core.experiments.labelled_sequences import LabelledSequences, read_sequences
from cep_core.language.errors import QueryError
from cep_core.language.settings import DEFAULTS

TOGETHER = "any of them"
"""The name under which the disjunction of all policies is scored."""

PLACE = "at"
"""The column in which a pattern returns `seq` of the event that breaks the policy beside it."""

OTHER = "other"
"""The type of events that no atom stands for; no atom has this name."""


@dataclass(frozen=True)
class LabelledFiles:
    """Gzip files of sequences below a folder of stand-ins, by the label of their sequences."""

    normal: tuple[str, ...]
    abnormal: tuple[str, ...]

    @property
    def days(self) -> list[date]:
        """The workload's own days that it reads: none."""
        return []

    def missing(self, folder: Path) -> list[str]:
        """The files that are not below `folder`."""
        return [file for file in (*self.normal, *self.abnormal) if not (folder / file).is_file()]

    def read(self, folder: Path) -> LabelledSequences:
        """All sequences. Raises FileNotFoundError."""
        return read_sequences([folder / file for file in self.normal], [folder / file for file in self.abnormal])


@dataclass(frozen=True)
class LabelGrid:
    """A grid. Raises ValueError for wrong values, naming the key."""

    name: str
    title: str
    log: LabelledFiles
    sequences: str
    """What a sequence is, in the plural."""
    atoms: Mapping[str, tuple[int, ...]]
    """The templates that an atom stands for."""
    policies: Mapping[str, str]
    """Texts of `.mtl` over the atoms, by name."""
    patterns: Mapping[str, str] = field(default_factory=dict)
    """By name of a policy, a `.cep` query that finds its violations; it returns their place as `at`."""
    figure: str = ""
    """Where the data comes from."""

    def __post_init__(self) -> None:
        if not all((self.log.normal, self.log.abnormal, self.atoms, self.policies)):
            raise ValueError("a grid beside labels has normal and abnormal files, atoms and policies")
        if OTHER in self.atoms or TOGETHER in self.policies:
            raise ValueError(f"'{OTHER}' is no name of an atom, and '{TOGETHER}' none of a policy")
        for name, text in self.policies.items():
            _bound(f"policies.{name}", lambda text=text: self.bound(text))
        for name in self.patterns:
            if name not in self.policies:
                raise ValueError(f"patterns: no policy '{name}'; there are {', '.join(self.policies)}")
            evaluator = _bound(f"patterns.{name}", lambda name=name: self.pattern(name).evaluator(DEFAULTS))
            if PLACE not in evaluator.schema.names:
                raise ValueError(f"patterns.{name}: it returns no `{PLACE}`, the `seq` of the event that is wrong")
            templates = [template for atom in self.atoms_of(name) for template in self.atoms[atom]]
            if len(templates) > len(set(templates)):
                raise ValueError(f"patterns.{name}: an event has one type, but two of its atoms have a common template")

    @property
    def cells(self) -> list[Cell]:
        """The only cell."""
        return [Cell((), 0)]

    @property
    def definition(self) -> str:
        """12 hex digits of everything that the numbers depend on but the files' content."""
        content = [vars(self.log), dict(self.atoms), dict(self.policies), dict(self.patterns)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12]

    def bound(self, text: str) -> Any:
        """The core of a policy's formula. Raises QueryError."""
        return bind_text(text, LogSchema({name: {} for name in self.atoms}), "policy.mtl").query.core

    def pattern(self, policy: str) -> BoundText:
        """The pattern beside a policy. Raises QueryError."""
        column = {"sequence": Attribute("sequence", AttributeType.INT)}
        return bind_text(self.patterns[policy], LogSchema(dict.fromkeys((*self.atoms, OTHER), column)))

    def atoms_of(self, policy: str) -> list[str]:
        """The atoms that the pattern beside a policy names. All further events only part what is not adjacent."""
        named = {variable.event_type for variable in self.pattern(policy).query.variables}
        return [name for name in self.atoms if name in named]


def _bound(key: str, bind: Any) -> Any:
    try:
        return bind()
    except QueryError as error:
        raise ValueError(f"{key}: {error}") from None


def label_grid_of(name: str, declared: Mapping[str, Any]) -> LabelGrid:
    """Builds a grid from what a YAML reader gives. Raises ValueError, naming the key.

    >>> grid = label_grid_of("blocks", {
    ...     "title": "Blocks", "log": {"normal": "n.gz", "abnormal": "a.gz"}, "sequences": "blocks",
    ...     "atoms": {"opened": 5, "closed": [9, 11]}, "policies": {"ends": "opened IMPLIES EVENTUALLY closed"}})
    >>> grid.log.missing(Path("nowhere")), grid.atoms["closed"]
    (['n.gz', 'a.gz'], (9, 11))
    """
    if unknown := sorted(set(declared) - {*_KEYS, *_OPTIONAL}):
        raise ValueError(f"no key '{unknown[0]}'; there are {', '.join(sorted({*_KEYS, *_OPTIONAL}))}")
    if missing := [key for key in _KEYS if key not in declared]:
        raise ValueError(f"the key '{missing[0]}' is missing")
    log = _mapping("log", declared["log"])
    if sorted(log) != ["abnormal", "normal"]:
        raise ValueError("log: labelled sequences have files `normal` and `abnormal`")
    return LabelGrid(
        name=name,
        title=str(declared["title"]),
        log=LabelledFiles(_listed("log.normal", log["normal"], str), _listed("log.abnormal", log["abnormal"], str)),
        sequences=str(declared["sequences"]),
        atoms={atom: _listed(f"atoms.{atom}", own, int) for atom, own in _mapping("atoms", declared["atoms"]).items()},
        policies=_texts("policies", declared["policies"]),
        patterns=_texts("patterns", declared.get("patterns", {})),
        figure=str(declared.get("figure", "")),
    )


_KEYS = ("title", "log", "sequences", "atoms", "policies")
_OPTIONAL = ("patterns", "figure")

Value = TypeVar("Value")


def _mapping(key: str, declared: object) -> Mapping[str, Any]:
    if not isinstance(declared, Mapping) or not all(isinstance(name, str) for name in declared):
        raise ValueError(f"{key}: expected a mapping of names")
    return declared


def _texts(key: str, declared: object) -> dict[str, str]:
    return {name: _listed(f"{key}.{name}", text, str)[0] for name, text in _mapping(key, declared).items()}


def _listed(key: str, declared: object, kind: type[Value]) -> tuple[Value, ...]:
    """One value or several of a kind; at least one."""
    values: Sequence[Any] = declared if isinstance(declared, list) else [declared]
    if not values or not all(isinstance(value, kind) and not isinstance(value, bool) for value in values):
        raise ValueError(f"{key}: expected {'text' if kind is str else 'a whole number'}, or a list of these")
    return tuple(values)
