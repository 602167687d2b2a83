"""What a listing spends of its budget of work, so that no plan decides whether it suffices.

The work of a day is that of its last events, in the order of results, up to the one where the listing is cut at
`max_matches`, or of all. The work of a last event is that of its candidates, until more than `max_matches` of them are
matches. Neither depends on how the log is sliced: a slice says what it spent on each of its last events, and `check`
adds up what one slice would have spent. A slice that exhausts the budget by itself stops; its day has a result only
if the slices together are cut before the event where it stopped.

Cost: four numbers for each last event with candidates.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.language.budget import Budget, WorkExhausted
from cep_core.matching.result.totals import Days, day_of, parts
from cep_core.numbers.count_columns import all_digits, from_digits

WORK = b"work"
"""Schema-metadata key of a slice's last batch: JSON of what was spent on each day."""


Place = tuple[int, int, int]
"""Where a last event stands in the order of results: ts, seq, start of the window (0 without SLIDE)."""


class Spending:
    """What one slice spends on n questions, in the order of results, each about one last event.

    `part`: the number of each question's day; `places`: [3, n], a `Place` each; `most`: `max_matches`.
    """

    def __init__(self, budget: Budget, days: Days, part: Ints, places: Ints, most: int | None) -> None:
        self.budget = budget
        self.candidates: list[int | None] = [None for _ in parts(days)]
        """Of each day, if they are known."""
        self._days, self._part, self._places, self._most = days, part, places, most
        self._steps, self._found = np.zeros((2, len(part)), np.int64)
        self._stopped: list[Place | None] = [None for _ in parts(days)]
        self._reason = ""

    def hopeless(self) -> Flags:
        """The questions of days of which all candidates are wanted, and which have more than the budget allows."""
        if self._most is None:
            for day, count in enumerate(self.candidates):
                if self.budget.is_over(count or 0):
                    self._stopped[day] = (0, 0, 0)
        return np.array([place is not None for place in self._stopped], np.bool_)[self._part]

    def pay_for_all(self, most: Ints) -> None:
        """Pays beforehand for listing so many matches of each question, where candidates are known.

        Sets `most` to 0 on days that have more of them than the budget allows.
        """
        if None not in self.candidates:
            most[self.hopeless()] = 0
            self.spend(np.arange(len(most)), most)

    def try_candidates(self, questions: Ints, steps: Ints, passed: Flags) -> None:
        """Candidates in order: of which question each is, what it costs, whether it is a match."""
        if self.budget.limit is None:
            return
        earlier: Ints = np.cumsum(passed) - passed  # matches of the batch; those of the same question count
        before = self._found[questions] + earlier - earlier[np.searchsorted(questions, questions)]
        if self._most is not None:
            steps = np.where(before <= self._most, steps, 0)
        self.spend(questions, steps)
        self.count(questions[passed])

    def spend(self, questions: Ints, steps: Ints) -> None:
        """Steps beside those of candidates."""
        if self.budget.limit is not None:
            np.add.at(self._steps, questions, steps)

    def count(self, questions: Ints) -> None:
        """Matches, of which question each is."""
        self._found += np.bincount(questions, minlength=len(self._found))

    @property
    def total(self) -> int:
        """What all days took."""
        return int(self._steps.sum())

    def given_up(self, question: int) -> Flags:
        """The questions of days whose budget has just been exhausted.

        `question`: the last one asked; all before it are answered.
        """
        if self.budget.limit is None:
            return np.zeros(len(self._part), np.bool_)
        spent = np.bincount(self._part, self._steps, minlength=len(self._stopped))
        self.budget.tell(int(spent.sum()))
        exhausted = [
            day for day, place in enumerate(self._stopped) if place is None and self.budget.is_over(int(spent[day]))
        ]
        for day in exhausted:
            self._stop(day, question)
        return np.isin(self._part, exhausted)

    def give_up(self, question: int, reason: str = "") -> None:
        """Neither a question nor one after it can be answered, whatever their day; `reason`: beside lack of work."""
        self._reason = reason
        for day in set(self._part[question:].tolist()):
            if self._stopped[day] is None:
                self._stop(day, question)

    def _stop(self, day: int, question: int) -> None:
        ts, seq, window = self._places[:, question].tolist()
        self._stopped[day] = ts, seq, window

    def metadata(self) -> dict[bytes, bytes]:
        """For the schema of the last batch; nothing without a budget."""
        if self.budget.limit is None:
            return {}
        told = {}
        for number, day in enumerate(parts(self._days)):
            own = np.flatnonzero((self._part == number) & ((self._steps > 0) | (self._found > 0)))
            columns = np.concatenate([self._places[:, own], self._steps[None, own], self._found[None, own]])
            candidates = self.candidates[number]
            told[day] = {
                "candidates": None if candidates is None else all_digits(candidates),
                "stopped": self._stopped[number],
                "reason": self._reason,
                "spent": base64.b64encode(zlib.compress(columns.astype("<i8").tobytes(), 1)).decode(),
            }
        return {WORK: json.dumps(told).encode()}


def at_once(
    budget: Budget, days: Days, steps: int, candidates: int | None, stopped: WorkExhausted | None
) -> dict[bytes, bytes]:
    """The metadata of work that belongs to no last event: each of the days took all of it."""
    part = np.arange(len(parts(days)))
    spending = Spending(budget, days, part, np.zeros((3, len(part)), np.int64), None)
    spending.candidates = [candidates for _ in part]
    spending.spend(part, np.full(len(part), steps))
    if stopped is not None:
        spending.give_up(0, stopped.reason)
    return spending.metadata()


def check(slices: Iterable[bytes], budget: Budget, days: Days, most: int | None) -> None:
    """Raises WorkExhausted if the budget does not suffice for one of the days."""
    if budget.limit is None:
        return
    told: dict[str, list[Mapping[str, Any]]] = {day: [] for day in parts(days)}
    for said in slices:
        for moment, own in json.loads(said).items():
            told[day_of(moment, days)].append(own)
    for own_slices in told.values():
        if own_slices and _is_exhausted(own_slices, budget, most):
            counts = [own["candidates"] for own in own_slices]
            known = None if None in counts else sum(from_digits(count) for count in counts)
            raise WorkExhausted(budget.limit, known, reason=max(own["reason"] for own in own_slices))


def _is_exhausted(slices: list[Mapping[str, Any]], budget: Budget, most: int | None) -> bool:
    """Whether one slice that does the work of all exhausts the budget."""
    pieces = [np.frombuffer(zlib.decompress(base64.b64decode(own["spent"])), "<i8") for own in slices]
    columns = np.concatenate([piece.reshape(5, -1) for piece in pieces], axis=1)
    columns = columns[:, np.lexsort(columns[2::-1])]
    steps, found = columns[3:]
    stopped = [tuple(own["stopped"]) for own in slices if own["stopped"] is not None]
    cut = np.flatnonzero(np.cumsum(found) > most) if most is not None else np.zeros(0, np.int64)
    if not len(cut):
        return bool(stopped) or budget.is_over(int(steps.sum()))
    where = columns[:3, cut[0]]
    if any(place <= tuple(where.tolist()) for place in stopped):
        return True
    same = (columns[:3] == where[:, None]).all(axis=0)
    return budget.is_over(int(steps[: int(np.flatnonzero(same)[-1]) + 1].sum()))
