"""The causes of verdicts on a log in memory: smallest proofs, and which points of an episode have the same one.

A proof takes the log as complete. One explanation stands for all points of an episode whose proofs rest on the same
(`shared.why.basis`). Cost: that of the proofs (`shared.why.proving`), which share their claims; of an episode the first
`LOOKED_AT` points are proved.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.propositional.text.printing import formula_text
from cep_core.monitoring.propositional.arrays.points import SplitTrace, offsets_in_trace
from cep_core.monitoring.propositional.evaluation import truths
from cep_core.monitoring.propositional.evaluator import condition_of
from cep_core.monitoring.propositional.stream.verdicts import Truths
from cep_core.monitoring.shared.scalars import Value
from cep_core.monitoring.shared.why.basis import Basis, basis_of
from cep_core.monitoring.shared.why.proving import ProofMaker
from cep_core.monitoring.shared.why.verdict_causes import Causes, Sharing, point_at

LOOKED_AT = 1_000


class TraceCauses:
    """Explains verdicts of a policy on a log. `events`: the table that `split` is of, for `seq`; None: of a text.

    `decided`: the points whose verdicts are known.
    """

    def __init__(
        self, policy: PropositionalPolicy, split: SplitTrace, events: pa.Table | None, decided: Truths
    ) -> None:
        self.policy = policy
        self.split = split
        self.events = events
        self.decided = decided
        self._maker: tuple[int, ProofMaker] | None = None

    def causes(self, at: tuple[int, int], values: Mapping[str, Value]) -> Causes:
        """Why the policy holds, or does not, at (ts, offset) of the sub-log of some values.

        Raises ValueError for values that are not those of a sub-log, and for a point that the log lacks or that is not
        decided.
        """
        number = self._sub_log(values)
        maker = self._maker_of(number)
        point = point_at(maker.reader.log, at)
        place = point + int(self.split.trace.starts[number])
        if self._state[place] == _UNDECIDED:
            raise ValueError(f"what holds at {at[0]} is not decided yet; end='closed' takes the log as complete")
        holds = self._state[place] == _TRUE
        tree = maker.proof(self.policy.formula, point, {}, bool(holds))
        assert tree is not None, "a decided verdict has a proof"
        sharing = None if holds else self._sharing(number, place, basis_of(tree))
        return Causes(tree, maker.reader.log, formula_text, violating=False, sharing=sharing)

    def _sharing(self, number: int, place: int, basis: Basis) -> Sharing:
        """The points of the violation's episode that have the basis."""
        begin, end = self.split.trace.starts[number : number + 2].tolist()
        judging = begin + np.flatnonzero(self._judging[begin:end])
        own = int(np.searchsorted(judging, place))
        others = np.flatnonzero(self._state[judging] != _FALSE)
        after = int(np.searchsorted(others, own))
        first = int(others[after - 1]) + 1 if after else 0
        last = int(others[after]) if after < len(others) else len(judging)
        episode = judging[first:last]
        alike = [other for other in episode[:LOOKED_AT].tolist() if self._basis(number, other) == basis]
        points = sorted({place, *alike})
        stamps, offsets = self.split.trace.stamps[points].tolist(), self._offsets[points].tolist()
        return Sharing(tuple(zip(stamps, offsets, strict=True)), min(LOOKED_AT, len(episode)), len(episode))

    def _basis(self, number: int, place: int) -> Basis:
        tree = self._maker_of(number).proof(
            self.policy.formula, place - int(self.split.trace.starts[number]), {}, False
        )
        assert tree is not None, "a violation has a proof"
        return basis_of(tree)

    def _sub_log(self, values: Mapping[str, Value]) -> int:
        names = self.policy.for_each
        if set(values) != set(names):
            wanted, given = (", ".join(some) or "none" for some in (names, values))
            raise ValueError(f"the attributes that make sub-logs are {wanted}; values are given for {given}")
        for number, row in enumerate(self.split.values.to_pylist() if names else [{}]):
            if row == dict(values):
                return number
        named = ", ".join(f"{name} = {value!r}" for name, value in values.items())
        raise ValueError(f"no event has {named}")

    def _maker_of(self, number: int) -> ProofMaker:
        """What makes the proofs about a sub-log; the last one is kept."""
        if self._maker is None or self._maker[0] != number:
            self._maker = number, ProofMaker(self.split.log(number, self.events))
        return self._maker[1]

    @cached_property
    def _state(self) -> Ints:
        """[points] Whether the policy holds, as far as it is known."""
        state = np.full(self.split.trace.points, _UNDECIDED, np.int64)
        state[self.decided.place] = np.where(self.decided.holds, _TRUE, _FALSE)
        return state

    @cached_property
    def _judging(self) -> Flags:
        """[points] Whether a point can end an episode."""
        condition = condition_of(self.policy)
        trace = self.split.trace
        return np.ones(trace.points, np.bool_) if condition is None else truths(condition, trace)

    @cached_property
    def _offsets(self) -> Ints:
        return offsets_in_trace(self.split.trace)


_FALSE, _TRUE, _UNDECIDED = range(3)
