"""Gathers compact rows: one row for all matches that end at one event (SASE++, section 5.2, collapsed).

For each variable, the row has every event that at least one of these matches binds to it: a superset of each match.
Cost: sorting the gathered events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints, are_in_order, differ, distinct
from cep_core.matching.arrays.paths import Bound, Paths, batches, events_by_variable
from cep_core.matching.result.last_events import LastEvents
from cep_core.matching.result.match_rows import KEY, PATH, event_column, key_texts, lists_of, no_paths


@dataclass(frozen=True)
class CompactRows:
    """n rows: the events of the matches of each row, and the moment at which the first of these matches is certain."""

    paths: Paths
    """The events of each row. States are numbers of variables, so an event that several states bind to one variable
    occurs once. Each path ascends by (row, variable); `jobs` has the numbers of the rows."""
    certain: Ints

    @staticmethod
    def of(paths: Paths, certain: Ints) -> CompactRows:
        """Joins pieces of rows. `paths`: as in the class, but several for one row; `certain`: the moment of each."""
        jobs = paths.jobs
        if are_in_order(jobs):
            begins = np.flatnonzero(differ(jobs))
            numbers, group = jobs[begins], np.repeat(np.arange(len(begins)), np.diff(begins, append=len(jobs)))
            first = np.minimum.reduceat(certain, begins) if len(begins) < len(jobs) else certain
            if len(begins) == len(jobs) and _are_new(paths):
                return CompactRows(paths, certain)
        else:
            numbers, group = np.unique(jobs, return_inverse=True)
            first = np.full(len(numbers), np.iinfo(np.int64).max)
            np.minimum.at(first, group, certain)
        owner, rows, variables = _sorted(np.repeat(group, np.diff(paths.offsets)), paths.rows, paths.states)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(numbers)))])
        return CompactRows(Paths(rows, variables, offsets, numbers), first)

    def __add__(self, other: CompactRows) -> CompactRows:
        return CompactRows.of(Paths.join([self.paths, other.paths]), np.concatenate([self.certain, other.certain]))

    def batches(self) -> Iterator[CompactRows]:
        """The rows, in batches."""
        for begin, end in batches(np.diff(self.paths.offsets)):
            offsets = self.paths.offsets[begin : end + 1]
            nodes = slice(offsets[0], offsets[-1])
            paths = Paths(
                self.paths.rows[nodes], self.paths.states[nodes], offsets - offsets[0], self.paths.jobs[begin:end]
            )
            yield CompactRows(paths, self.certain[begin:end])

    def bound(self, variables: int) -> list[Bound]:
        """The events of each variable."""
        return events_by_variable(self.paths, np.arange(variables), variables)


def _are_new(paths: Paths) -> bool:
    """Whether the nodes of each path ascend by (row, variable), each once."""
    rows, variables = paths.rows, paths.states
    ascend = (rows[1:] > rows[:-1]) | ((rows[1:] == rows[:-1]) & (variables[1:] > variables[:-1]))
    begins = paths.offsets[1:-1]
    ascend[begins[(begins > 0) & (begins < len(rows))] - 1] = True
    return bool(ascend.all())


def _sorted(owner: Ints, rows: Ints, variables: Ints) -> tuple[Ints, Ints, Ints]:
    """Nodes by (owner, row, variable), each once.

    The three are sorted as one whole number. It has room for them: no log has 2**29 rows, and no query 32 variables.

    >>> [column.tolist() for column in _sorted(np.array([1, 0, 1, 1]), np.array([5, 7, 3, 5]), np.array([1, 0, 0, 1]))]
    [[0, 1, 1], [7, 3, 5], [0, 0, 1]]
    """
    of_row, of_variable = (int(column.max(initial=0)).bit_length() for column in (rows, variables))
    assert int(owner.max(initial=0)).bit_length() + of_row + of_variable < 64
    nodes = distinct((owner << of_row | rows) << of_variable | variables)
    within = nodes >> of_variable
    return within >> of_row, within & ((1 << of_row) - 1), nodes & ((1 << of_variable) - 1)


NO_ROWS = CompactRows(Paths.join([]), np.empty(0, np.int64))


def gathered(answers: LastEvents, paths: Paths) -> CompactRows:
    """Compact rows from matches, or nodes of matches, of some answers."""
    certain = answers.moments(paths.jobs, answers.graph.ts[paths.first_rows])
    variable_of, rows = answers.judge.variable_of, answers.compact_row[paths.jobs]
    is_same = bool((variable_of == np.arange(len(variable_of))).all())
    states = paths.states if is_same else variable_of[paths.states]
    return CompactRows.of(replace(paths, states=states, jobs=rows), certain)


def compact_columns(answers: LastEvents, rows: CompactRows, *, joins: bool = True) -> dict[str, pa.Array]:
    """The columns of partial compact rows, without the counts. `joins`: whether rows of other sources may join them."""
    graph, paths, positive = answers.graph, rows.paths, answers.judge.query.positive
    columns = {"first_ts": pa.array(graph.ts[paths.first_rows])}
    columns |= answers.last_columns(answers.answer_of_row[paths.jobs], rows.certain)
    for variable, events in zip(positive, rows.bound(len(positive)), strict=True):
        columns[variable.name] = event_column(events, graph.seq, as_list=True)
    if not joins:
        return {**columns, PATH: no_paths(len(paths)), KEY: pa.repeat("", len(paths))}
    nodes = np.empty((len(paths.rows), 3), np.int64)
    nodes[:, 0], nodes[:, 2] = graph.ts[paths.rows], paths.states
    nodes[:, 1] = graph.seq[paths.rows]
    partition = pa.array(np.searchsorted(graph.offsets, paths.first_rows, side="right") - 1)
    keys = [column.combine_chunks().take(partition) for column in graph.keys.columns]
    return {**columns, PATH: lists_of(nodes, paths.offsets), KEY: key_texts(keys, len(paths))}
