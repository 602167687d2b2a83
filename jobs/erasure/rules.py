"""The rules by which a load leaves out what was erased, as the table `erasures` keeps them: hashes, no values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags
from cep_core.events.schema import LogSchema
from jobs.erasure.condition import Condition, types_of
from jobs.erasure.key import erasure_key, key_id, where
from jobs.erasure.value_hashes import hold, value_hash, windows, words_hash, words_of, words_of_value
from jobs.exits import WrongWorkload
from jobs.lake.dataset import read_table
from jobs.lake.tables.erasure_tables import ERASURES

BEGUN, REMOVED, RETIRED = "begun", "removed", "retired"
"""States of an erasure: rows may still be there; they are gone; it is given up, and leaves out nothing any more."""


@dataclass(frozen=True)
class Rule:
    """What one erasure leaves out. `columns`: column -> hash; `texts`: for each value that a raw text must hold, how
    many words it has, and their hash. An event must fit all columns, a refused row's text all texts. `types`: of the
    columns; rules of older programs have none."""

    columns: Mapping[str, str]
    texts: tuple[tuple[int, str], ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Erasure:
    """A row of `erasures`: a rule, and what was done by it. `rows`: table -> day -> rows removed."""

    name: str
    rule: Rule
    key: str
    state: str
    begun_at: datetime
    removed_at: datetime | None = None
    done_by: str = ""
    reason: str = ""
    days: tuple[str, ...] = ()
    rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Rows removed from tables that hold the log's own rows."""
        return sum(sum(self.rows.get(table, {}).values()) for table in ("events", "quarantine"))


@dataclass(frozen=True)
class Suppression:
    """The rules of a lake with their key, for whoever loads. Workers get it with their task."""

    key: bytes = field(repr=False)
    rules: tuple[Rule, ...] = ()

    @property
    def one_by_one(self) -> Suppression:
        """A rule for each value alone, of texts."""
        return Suppression(self.key, tuple(Rule({}, (text,)) for rule in self.rules for text in rule.texts))

    def events(self, events: pa.Table) -> Flags:
        """[events] Whether a rule leaves the event out."""
        out = np.zeros(events.num_rows, np.bool_)
        known: dict[tuple[str, str], Flags] = {}
        for rule in self.rules:
            fits = np.ones(events.num_rows, np.bool_)
            for name, value in rule.columns.items():
                if name not in events.column_names:
                    fits[:] = False
                    break
                if (name, value) not in known:
                    known |= self._fitting(events, name)
                fits &= known[name, value]
            out |= fits
        return out

    def texts(self, texts: pa.Array | pa.ChunkedArray) -> Flags:
        """[texts] Whether a rule leaves out the refused row of this raw text."""
        lengths = {length for rule in self.rules for length, _ in rule.texts}
        out = np.zeros(len(texts), np.bool_)
        for place, text in enumerate(texts.to_pylist()):
            words = words_of(text or "")
            held = {(length, words_hash(self.key, run)) for length in lengths for run in set(windows(words, length))}
            out[place] = any(rule.texts and held.issuperset(rule.texts) for rule in self.rules)
        return out

    def _fitting(self, events: pa.Table, name: str) -> dict[tuple[str, str], Flags]:
        """For each hash that rules have of a column, the events with its value: the column is hashed once."""
        hashes = {rule.columns[name] for rule in self.rules if name in rule.columns}
        every = hold(events[name], self.key, name, hashes)
        places = np.flatnonzero(every)
        few = events[name].take(pa.array(places))
        fitting = {}
        for value in hashes:
            flags = np.zeros(len(every), np.bool_)
            flags[places[hold(few, self.key, name, {value})]] = True
            fitting[name, value] = flags
        return fitting


def rule_of(key: bytes, condition: Condition) -> Rule:
    """The rule that stands for a condition."""
    columns = {name: value_hash(key, name, value) for name, value in sorted(condition.values.items())}
    written = [words_of_value(value) for value in condition.named.values()]
    texts = {(len(words), words_hash(key, words)) for words in written if words}
    return Rule(columns, tuple(sorted(texts)), {name: kind.value for name, kind in sorted(condition.types.items())})


def read_erasures(lake: Path, workload: str) -> list[Erasure]:
    """The erasures of a lake, in the order in which they were begun."""
    stored = read_table(lake / workload / ERASURES.folder, [column.name for column in ERASURES.columns])
    erasures = [_erasure(row) for row in ([] if stored is None else stored.to_pylist())]
    return sorted(erasures, key=lambda erasure: (erasure.begun_at, erasure.name))


def suppression_of(lake: Path, workload: str, schema: LogSchema | None = None) -> Suppression | None:
    """What loads of a lake leave out; None: nothing was erased. Raises WrongWorkload if the key is not there, or if
    events of this schema have no longer what a rule goes by."""
    active = [erasure for erasure in read_erasures(lake, workload) if erasure.state != RETIRED]
    if not active:
        return None
    key = erasure_key()
    lost = [erasure.name for erasure in active if key is None or erasure.key != key_id(key)]
    if key is None or lost:
        raise WrongWorkload(
            f"the key of {len(lost)} erasures of '{workload}' is not there ({where()}), so a load would bring erased "
            "rows back; nothing was loaded. Put the key back, or, if it is lost, "
            f"`trendmill forget {workload} --retire-lost` and forget the values again"
        )
    for erasure in active:
        if schema is not None and (why := _misfit(erasure.rule, schema)):
            raise WrongWorkload(
                f"erasure {erasure.name} of '{workload}' leaves rows out by {why}, so a load would bring them back; "
                f"nothing was loaded. Forget the value again, by what its column is now, and then give this rule up: "
                f"`trendmill forget {workload} --retire {erasure.name}`"
            )
    return Suppression(key, tuple(erasure.rule for erasure in active))


def _misfit(rule: Rule, schema: LogSchema) -> str:
    """Why a rule cannot know its rows again; empty if it can."""
    present = types_of(schema)
    for name in rule.columns:
        if name not in present:
            return f"the attribute '{name}', which the workload declares no more"
        if rule.types.get(name, present[name].value) != present[name].value:
            return f"the attribute '{name}', which was {rule.types[name]} and is {present[name].value} now"
    return ""


def _erasure(row: Mapping[str, Any]) -> Erasure:
    rule = json.loads(row["rule"])
    return Erasure(
        row["erasure"],
        Rule(rule["columns"], tuple((length, value) for length, value in rule["texts"]), rule.get("types", {})),
        row["key"],
        row["state"],
        row["begun_at"],
        row["removed_at"],
        row["done_by"],
        row["reason"],
        tuple(json.loads(row["days"])),
        json.loads(row["rows"]),
    )
