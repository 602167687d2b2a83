"""The causes of one verdict, as `cep.why` gives them: its smallest proof, as text and as plain values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cep_core.events.logs.point_log import PointLog
from cep_core.language.explanation import Readable
from cep_core.language.temporal.formulas import Formula
from cep_core.monitoring.shared.why.checker import proves
from cep_core.monitoring.shared.why.printing import proof_text
from cep_core.monitoring.shared.why.proof import AnyOther, ProofTree, Reading


@dataclass(frozen=True)
class Sharing:
    """Which points of an episode have the explanation of the point that is explained, itself among them.

    `at`: their stamps and offsets, ascending. Of an episode the first `looked_at` points were looked at, of `points`.
    """

    at: tuple[tuple[int, int], ...]
    looked_at: int
    points: int

    def text(self, time: Callable[[int], str]) -> str:
        """For people; empty if the point is the only one.

        >>> Sharing(((3, 0), (5, 0)), 3, 3).text(str)
        'the same for 2 points of 3 in this episode, first at 3, last at 5'
        """
        if len(self.at) == 1:
            return ""
        cut = f", of which {self.looked_at:,} were looked at" if self.looked_at < self.points else ""
        others = f" of {self.points:,} in this episode" if len(self.at) < self.points else ""
        places = f"first at {time(self.at[0][0])}, last at {time(self.at[-1][0])}"
        return f"the same for {len(self.at):,} points{others}{cut}, {places}"


@dataclass(frozen=True)
class Causes(Readable):
    """Why a verdict is as it is. `tree`: its proof, by points of `log`; `texts`: the variables of type string.

    `str` is for people.
    """

    tree: ProofTree
    log: PointLog
    words: Callable[[Formula], str]
    """A formula as text."""
    texts: frozenset[str] = frozenset()
    violating: bool = True
    """Whether the formula holds, or does not hold, where it is violated."""
    sharing: Sharing | None = None

    @property
    def holds(self) -> bool:
        """Whether the formula holds there."""
        return self.tree.holds

    @property
    def is_violation(self) -> bool:
        """Whether the policy is violated there."""
        return self.tree.holds == self.violating

    @property
    def is_proof(self) -> bool:
        """Whether the checker accepts the tree."""
        return proves(self.tree, self.log, self.texts)

    def __str__(self) -> str:
        return self.text()

    def text(self, time: Callable[[int], str] = str) -> str:
        """The tree as lines for people; `time` shows a stamp."""
        shared = self.sharing.text(time) if self.sharing is not None else ""
        return proof_text(self.tree, self.log, self.words, time) + (f"\n{shared}" if shared else "")

    def to_dict(self) -> dict[str, Any]:
        """The tree in plain values, for JSON: `formula`, `ts`, `offset`, `holds`, `valuation`, `seq`, `children`.

        A variable that stands for every other value has `{"any_but": [values]}`. After the log's end, `ts` is null. The
        top claim has `same_for`, the number of points with this explanation, where episodes are told.
        """
        shared = {} if self.sharing is None else {"same_for": len(self.sharing.at)}
        return self._plain(self.tree) | shared

    def _plain(self, node: ProofTree) -> dict[str, Any]:
        is_end = node.point == self.log.points
        ts = None if is_end else int(self.log.stamps[node.point])
        first = node.point if ts is None else int(np.searchsorted(self.log.stamps, ts))
        plain_node = {
            "formula": self.words(node.formula),
            "ts": ts,
            "offset": node.point - first,
            "holds": node.holds,
            "valuation": {name: _plain_reading(value) for name, value in node.valuation.items()},
        }
        number = {} if node.seq is None else {"seq": node.seq}
        return plain_node | number | {"children": [self._plain(child) for child in node.children]}


def point_at(log: PointLog, at: tuple[int, int]) -> int:
    """The index of a point. Raises ValueError if the log lacks it.

    >>> point_at(PointLog(np.array([3, 5, 5])), (5, 1))
    2
    """
    ts, offset = at
    first, end = (int(np.searchsorted(log.stamps, ts, side)) for side in ("left", "right"))
    if not 0 <= offset < end - first:
        count = f"{end - first} point{'' if end - first == 1 else 's'}"
        raise ValueError(f"the log has {count} at {ts}, none of offset {offset}")
    return first + offset


def _plain_reading(value: Reading) -> Any:
    return {"any_but": sorted(value.excluded, key=repr)} if isinstance(value, AnyOther) else value
