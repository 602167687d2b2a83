"""A task that dies in the middle of a stage, within a session that goes on; what it leaves is for a retry to mend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from jobs.lake import write


class Ended(BaseException):
    """The end of a task in the middle of a stage. As after kill -9, no code of the task notes it as a failure."""


@contextmanager
def ended_after_writing(stage: ModuleType, *, last: bool = False) -> Iterator[None]:
    """Let a stage's first write be the last act of the block: further writes do not begin, and no diary is kept.

    `last`: of tables that the stage writes at once, the last one is written, and none of the others.
    """

    def write_and_end(*arguments: Any) -> None:
        write.replace(*arguments)
        raise Ended

    def write_one_and_end(replacements: Iterable[write.Replacement]) -> None:
        chosen = [*replacements][-1 if last else 0]
        write_and_end(chosen.rows, chosen.table, chosen.condition)

    with pytest.MonkeyPatch.context() as patch:
        for name, ending in (("replace", write_and_end), ("replace_all", write_one_and_end)):
            if hasattr(stage, name):
                patch.setattr(stage, name, ending)
        patch.setattr("jobs.runs.journal.append", lambda *_: None)
        with pytest.raises(Ended):
            yield
