"""Sequences of event types with a label each: read, and as a trace in which every sequence is a sub-log.

A sequence is a line `name,e1 e2 ...`; the types are numbers of log templates, in the order of the log. Position is
time, and every event is a time-point. Memory: 8 bytes an event and as much for each atom's truth.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.monitoring.propositional.arrays.trace import Trace


@dataclass(frozen=True)
class LabelledSequences:
    """n events of k sequences."""

    templates: Ints
    """[n] the template of each event."""
    starts: Ints
    """[k + 1] sequence i has the events [starts[i], starts[i + 1])."""
    abnormal: npt.NDArray[np.bool_]
    """[k] the label."""

    @property
    def position(self) -> Ints:
        """[n] the place of each event in its sequence, from 0."""
        return np.arange(len(self.templates), dtype=np.int64) - np.repeat(self.starts[:-1], np.diff(self.starts))

    def trace(self, atoms: Mapping[str, Sequence[int]]) -> Trace:
        """The trace of all sequences. `atoms`: the templates that an atom stands for, by its name."""
        truth = {name: np.isin(self.templates, templates) for name, templates in atoms.items()}
        return Trace(self.position, truth, self.starts)

    def events(self, atoms: Mapping[str, Sequence[int]]) -> pa.Table:
        """The same as a table of events, whose type is the first atom that holds, else `other`."""
        types = np.full(len(self.templates), len(atoms))
        for number, templates in reversed(list(enumerate(atoms.values()))):
            types[np.isin(self.templates, templates)] = number
        names = pa.DictionaryArray.from_arrays(pa.array(types, pa.int32()), pa.array([*atoms, "other"]))
        sequence = np.repeat(np.arange(len(self.abnormal)), np.diff(self.starts))
        return pa.table(
            {
                "event_type": names.cast(pa.string()),
                "ts": self.position,
                "seq": np.arange(len(self.templates)),
                "sequence": sequence,
            }
        ).sort_by([("ts", "ascending"), ("seq", "ascending")])


def sequences_of(lines: Iterable[str], *, abnormal: bool) -> LabelledSequences:
    """The sequences of lines, all with one label.

    >>> two = sequences_of(["a,5 22", "b,5"], abnormal=True)
    >>> two.templates.tolist(), two.starts.tolist(), two.position.tolist()
    ([5, 22, 5], [0, 2, 3], [0, 1, 0])
    """
    texts = pa.array([line.rpartition(",")[2] for line in lines], pa.string())
    parts = pc.split_pattern(pc.utf8_trim_whitespace(texts), " ")
    starts = np.concatenate([[0], np.cumsum(pc.list_value_length(parts).to_numpy(zero_copy_only=False))])
    templates = parts.flatten().cast(pa.int64()).to_numpy()
    return LabelledSequences(templates, starts.astype(np.int64), np.full(len(texts), abnormal))


def _read(path: Path, *, abnormal: bool) -> LabelledSequences:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return sequences_of(lines, abnormal=abnormal)


def read_sequences(normal: Sequence[Path], abnormal: Sequence[Path]) -> LabelledSequences:
    """The sequences of gzip files. Raises OSError for a file that cannot be read, ValueError for a wrong line."""
    parts = [_read(path, abnormal=False) for path in normal] + [_read(path, abnormal=True) for path in abnormal]
    offsets = np.cumsum([0, *(len(part.templates) for part in parts)])
    starts = [part.starts[:-1] + offset for part, offset in zip(parts, offsets, strict=False)]
    return LabelledSequences(
        np.concatenate([part.templates for part in parts]),
        np.concatenate([*starts, offsets[-1:]]),
        np.concatenate([part.abnormal for part in parts]),
    )
