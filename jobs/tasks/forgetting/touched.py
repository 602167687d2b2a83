"""Where a lake holds what is to be forgotten: rows by table and day.

Events are found by a scan of the condition's columns: files and row groups are passed over whose statistics show that
they have no such value. Refused rows, and what the gate observed, are searched for words. Cost: the bytes of these
columns, at most.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from deltalake import DeltaTable

from cep_core.arrays import Flags
from jobs.erasure.condition import Condition
from jobs.erasure.rules import Suppression
from jobs.erasure.value_hashes import windows, words_of, words_of_value
from jobs.lake.dataset import dataset_of, read_table

EVENTS, QUARANTINE, VERDICTS = "events", "quarantine", "loaded_days"


@dataclass(frozen=True)
class Sought:
    """What is to be forgotten in `home`, the workload's folder of the lake. `rules`: the condition's hashes."""

    home: Path
    workload: str
    condition: Condition
    rules: Suppression

    def refused(self, rows: pa.Table) -> Flags:
        """[rows] Whether a refused row holds the values, by its raw text: what `rules` say, without hashes."""
        held = (self.hold(text) for text in rows["raw"].to_pylist())
        return np.fromiter(held, np.bool_, rows.num_rows)

    def hold(self, text: str) -> bool:
        """Whether a text holds all the values as words."""
        words = words_of(text)
        return bool(self._words) and all(run in windows(words, len(run)) for run in self._words)

    @cached_property
    def _words(self) -> list[tuple[str, ...]]:
        return [tuple(words) for value in self.condition.named.values() if (words := words_of_value(value))]


def touched(sought: Sought) -> dict[str, Counter[date]]:
    """Table -> day -> rows to be removed, of events and refused rows; and days of which the gate observed the values:
    a rule may judge source rows that gave no event."""
    return {EVENTS: _events(sought), QUARANTINE: _refused(sought), VERDICTS: _verdicts(sought)}


def by_text(counts: Mapping[str, Mapping[date, int]]) -> dict[str, dict[str, int]]:
    """The same with days as texts, ascending."""
    return {table: {str(day): rows for day, rows in sorted(of.items())} for table, of in counts.items()}


def _events(sought: Sought) -> Counter[date]:
    folder = sought.home / EVENTS
    counts: Counter[date] = Counter()
    if not (folder / "_delta_log").is_dir():
        return counts
    dataset = dataset_of(DeltaTable(folder), folder)
    if not set(sought.condition.values) <= set(dataset.schema.names):
        return counts
    for batch in dataset.to_batches(columns=["day"], filter=sought.condition.expression):
        counts.update(batch["day"].to_pylist())
    return counts


def _refused(sought: Sought) -> Counter[date]:
    rows = read_table(sought.home / QUARANTINE, ["day", "raw"])
    if rows is None:
        return Counter()
    return Counter(rows.filter(pa.array(sought.refused(rows)))["day"].to_pylist())


def _verdicts(sought: Sought) -> Counter[date]:
    rows = read_table(sought.home / "_work" / VERDICTS, ["day", "checks"])
    if rows is None:
        return Counter()
    observed = {
        row["day"]: [check["observed"] for check in json.loads(row["checks"]) if check["observed"]]
        for row in rows.to_pylist()
    }
    return Counter(day for day, texts in observed.items() if any(map(sought.hold, texts)))
