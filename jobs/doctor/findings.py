"""What the doctor found: one thing that a run needs, whether it is there, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

OK, SLOW, WRONG = "ok", "slow", "wrong"
"""As it should be; a run ends well but takes longer; a run fails or may lose what it wrote."""


@dataclass(frozen=True)
class Finding:
    """`what` was looked at, what was seen, and, if it is not as it should be, what to do."""

    what: str
    state: str
    seen: str
    mend: str = ""

    def lines(self) -> Iterator[str]:
        """As the command prints it.

        >>> print(*Finding("lake", WRONG, "no room", "free some disk").lines(), sep="\\n")
        wrong  lake: no room
               free some disk
        """
        yield f"{self.state:<6} {self.what}: {self.seen}"
        if self.state != OK:
            yield f"       {self.mend}"


def summary(findings: Iterable[Finding]) -> str:
    """The last line.

    >>> summary([Finding("lake", OK, ""), Finding("memory", SLOW, "", "")])
    '2 things looked at: 1 makes runs slow'
    >>> summary([Finding("lake", OK, "")])
    '1 thing looked at: nothing wrong'
    """
    states = [finding.state for finding in findings]
    wrong, slow = states.count(WRONG), states.count(SLOW)
    parts = [f"{wrong} wrong"] * bool(wrong) + [f"{slow} make{'s' * (slow == 1)} runs slow"] * bool(slow)
    return f"{len(states)} thing{'s' * (len(states) != 1)} looked at: {', '.join(parts) or 'nothing wrong'}"
