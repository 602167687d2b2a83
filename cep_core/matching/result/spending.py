"""Accounts the work that a listing spends of its budget, in a way that does not depend on the slicing.

The work of a day is the work of its last events in the order of results: up to the event where the listing is cut at
`max_matches`, or of all events. The work of a last event is the work of its candidates, until more than `max_matches`
of them are matches. So a slice reports the work spent on each of its last events, and `check` adds up the work that a
single slice would have spent. A slice that exhausts the budget alone stops. Its day has a result only if the listing of
all slices is cut before the event where the slice stopped.

Cost: four numbers for each last event with candidates.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from cep_core.arrays import Flags, Ints
from cep_core.language.budget import Budget, WorkExhausted
from cep_core.language.totals import Days, day_of, parts
from cep_core.numbers.count_columns import all_digits, from_digits

WORK = b"work"
"""Key in the schema metadata of a slice's last batch: JSON with the work spent on each day."""


Place = tuple[int, int, int]
"""The place of a last event in the order of results: ts, seq, start of the window (0 without SLIDE)."""


class Spending:
    """The work that one slice spends on n questions in the order of results, each about one last event.

    `part`: the number of each question's day; `places` gives [3, n], one `Place` for each; `most`: `max_matches`.
    """

    def __init__(self, budget: Budget, days: Days, part: Ints, places: Callable[[], Ints], most: int | None) -> None:
        self.budget = budget
        self.candidates: list[int | None] = [None for _ in parts(days)]
        """[day] the number of candidates, if it is known."""
        self._days, self._part, self._given, self._most = days, part, places, most
        self._steps, self._candidates = np.zeros((2, len(part)), np.int64)
        self._stopped: list[Place | None] = [None for _ in parts(days)]
        self._reason = ""

    @cached_property
    def _places(self) -> Ints:
        return self._given()

    def hopeless(self) -> Flags:
        """The questions of days that list all candidates and have more of them than the budget allows."""
        if self._most is None:
            for day, count in enumerate(self.candidates):
                if self.budget.is_over(count or 0):
                    self._stopped[day] = (0, 0, 0)
        return np.array([place is not None for place in self._stopped], np.bool_)[self._part]

    def pay_for_all(self, most: Ints) -> None:
        """Pays in advance for listing most[k] matches of each question k, if the numbers of candidates are known.

        Sets `most` to 0 on days with more candidates than the budget allows.
        """
        if None not in self.candidates:
            most[self.hopeless()] = 0
            self.spend(np.arange(len(most)), most)

    def try_candidates(self, questions: Ints, steps: Ints, passed: Flags) -> None:
        """Accounts candidates in order: the question of each, its cost, and whether it is a match."""
        if self.budget.limit is None:
            return
        earlier: Ints = np.cumsum(passed) - passed  # matches of the batch; only those of the same question count
        before = self._candidates[questions] + earlier - earlier[np.searchsorted(questions, questions)]
        if self._most is not None:
            steps = np.where(before <= self._most, steps, 0)
        self.spend(questions, steps)
        self.count(questions[passed])

    def spend(self, questions: Ints, steps: Ints) -> None:
        """Accounts steps other than those of candidates."""
        if self.budget.limit is not None:
            np.add.at(self._steps, questions, steps)

    def count(self, questions: Ints) -> None:
        """Accounts matches; `questions` has the question of each match."""
        self._candidates += np.bincount(questions, minlength=len(self._candidates))

    @property
    def total(self) -> int:
        """The steps spent on all days."""
        return int(self._steps.sum())

    def given_up(self, question: int) -> Flags:
        """The questions of days whose budget has just been exhausted.

        `question`: the last question asked; all questions before it are answered.
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
        """Gives up this question and all later ones, of any day; `reason`: one besides the budget, if any."""
        self._reason = reason
        for day in set(self._part[question:].tolist()):
            if self._stopped[day] is None:
                self._stop(day, question)

    def _stop(self, day: int, question: int) -> None:
        ts, seq, window = self._places[:, question].tolist()
        self._stopped[day] = ts, seq, window

    def metadata(self) -> dict[bytes, bytes]:
        """The metadata for the schema of the last batch; empty without a budget."""
        if self.budget.limit is None:
            return {}
        by_day = {}
        for number, day in enumerate(parts(self._days)):
            candidates = self.candidates[number]
            by_day[day] = {
                "candidates": None if candidates is None else all_digits(candidates),
                "stopped": self._stopped[number],
                "reason": self._reason,
                "spent": self._spent(number),
            }
        return {WORK: json.dumps(by_day).encode()}

    def _spent(self, day: int) -> str:
        """The columns of `_is_exhausted` for the questions of a day that spent work, as text; empty: none did."""
        own = np.flatnonzero((self._part == day) & ((self._steps > 0) | (self._candidates > 0)))
        if not len(own):
            return ""
        columns = np.concatenate([self._places[:, own], self._steps[None, own], self._candidates[None, own]])
        return base64.b64encode(zlib.compress(columns.astype("<i8").tobytes(), 1)).decode()


def at_once(
    budget: Budget, days: Days, steps: int, candidates: int | None, stopped: WorkExhausted | None
) -> dict[bytes, bytes]:
    """The metadata of work that belongs to no last event; each day is charged with all of it."""
    part = np.arange(len(parts(days)))
    spending = Spending(budget, days, part, lambda: np.zeros((3, len(part)), np.int64), None)
    spending.candidates = [candidates for _ in part]
    spending.spend(part, np.full(len(part), steps))
    if stopped is not None:
        spending.give_up(0, stopped.reason)
    return spending.metadata()


def check(slices: Iterable[bytes], budget: Budget, days: Days, most: int | None) -> None:
    """Raises WorkExhausted if the budget is not sufficient for one of the days."""
    if budget.limit is None:
        return
    by_day: dict[str, list[Mapping[str, Any]]] = {day: [] for day in parts(days)}
    for metadata in slices:
        for moment, own in json.loads(metadata).items():
            by_day[day_of(moment, days)].append(own)
    for own_slices in by_day.values():
        if own_slices and _is_exhausted(own_slices, budget, most):
            counts = [own["candidates"] for own in own_slices]
            candidates = None if None in counts else sum(from_digits(count) for count in counts)
            raise WorkExhausted(budget.limit, candidates, reason=max(own["reason"] for own in own_slices))


def _is_exhausted(slices: list[Mapping[str, Any]], budget: Budget, most: int | None) -> bool:
    """Whether a single slice that does the work of all slices exhausts the budget."""
    spent = [zlib.decompress(base64.b64decode(own["spent"])) for own in slices if own["spent"]]
    pieces = [np.frombuffer(piece, "<i8").reshape(5, -1) for piece in spent]
    columns = np.concatenate([np.zeros((5, 0), np.int64), *pieces], axis=1)
    columns = columns[:, np.lexsort(columns[2::-1])]
    steps, matches = columns[3:]
    stopped = [tuple(own["stopped"]) for own in slices if own["stopped"] is not None]
    cut = np.flatnonzero(np.cumsum(matches) > most) if most is not None else np.zeros(0, np.int64)
    if not len(cut):
        return bool(stopped) or budget.is_over(int(steps.sum()))
    where = columns[:3, cut[0]]
    if any(place <= tuple(where.tolist()) for place in stopped):
        return True
    same = (columns[:3] == where[:, None]).all(axis=0)
    return budget.is_over(int(steps[: int(np.flatnonzero(same)[-1]) + 1].sum()))
