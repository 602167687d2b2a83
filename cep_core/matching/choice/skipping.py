"""AFTER MATCH SKIP: where the search resumes after a match, under strategies with one match for each start event.

Matches are taken in the order of their start events; with SLIDE separately in each window, and for equal starts branch
by branch of an OR. A match is dropped if it starts before the point at which the search resumes after the last kept
match. Matches that differ in an attribute of `[x]` never drop each other. Cost: linear in the matches, after sorting
them by start.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Flags, Ints
from cep_core.language.patterns.query import Skip
from cep_core.language.patterns.values.exact_order import equal_codes
from cep_core.language.patterns.values.expressions import column
from cep_core.matching.arrays.paths import Paths
from cep_core.matching.choice.run_matches import RunMatches


def skipped(matches: RunMatches) -> RunMatches:
    """The matches that AFTER MATCH SKIP keeps."""
    if not len(matches.counts):
        return matches
    paths = matches.paths(np.arange(len(matches.counts)))
    groups = [_values(matches, paths, attribute) for attribute in matches.judge.query.partition_attributes]
    if matches.window_start is not None:
        groups.append(matches.window_start)
    start, resume = matches.graph.pos[matches.first_rows], _resume(matches, paths)
    order = np.lexsort([matches.branch, start, *groups])
    new = np.zeros(len(order), np.bool_)
    for group in groups:
        new[1:] |= np.diff(group[order]) != 0
    return matches.keep(np.sort(order[_keep(start[order], resume[order], new)]))


def _resume(matches: RunMatches, paths: Paths) -> Ints:
    """For each match, the position in the log at which the search resumes."""
    pos, judge = matches.graph.pos, matches.judge
    query = judge.query
    if query.skip is Skip.PAST_LAST:
        return pos[matches.last_rows] + 1
    after_first: Ints = pos[matches.first_rows] + 1
    if query.skip_variable is None:
        return after_first
    bound = judge.bound(paths)[judge.names.index(query.skip_variable)]
    places = bound.offsets[:-1] if query.skip is Skip.TO_FIRST else bound.offsets[1:] - 1
    # the search resumes at the event itself; an absent variable skips only the first event
    return np.where(bound.present, pos[np.append(bound.rows, 0)[places]], after_first)


def _values(matches: RunMatches, paths: Paths, attribute: str) -> Ints:
    """For each match, a number for the attribute's value in its events; -1 if none of them has the attribute."""
    judge = matches.judge
    (codes,) = equal_codes([column(matches.graph.events, attribute)])[0]
    types = {variable.name: variable.event_type for variable in judge.query.positive}
    of_type = judge.query.schema.attributes_of
    carries = np.array([attribute in of_type(types[name]) for name in judge.automaton.variables], np.bool_)
    return np.maximum.reduceat(np.where(carries[paths.states], codes[paths.rows], -1), paths.offsets[:-1])


@njit(cache=True)
def _keep(start: Ints, resume: Ints, new: Flags) -> Flags:
    kept = np.zeros(start.shape[0], np.bool_)
    resume_at = start[0]
    for k in range(start.shape[0]):
        if new[k] or start[k] >= resume_at:
            kept[k] = True
            resume_at = resume[k]
    return kept
