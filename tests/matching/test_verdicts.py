"""Verdicts on bindings: all hold of exactly the matches, and each says what it found."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
from hypothesis import given, reject, settings

from cep_core.events.schema import Ties
from cep_core.events.table import log_schema_of, order
from cep_core.language.errors import QueryError
from cep_core.language.patterns.bind.binding import bind
from cep_core.matching.match_path import Path
from cep_core.matching.reference import Step, any_matches
from cep_core.matching.why.verdicts import Judge
from tests.matching.worlds.drawing import worlds
from tests.matching.worlds.world import World


def judge(text: str, events: pa.Table, ties: str = "concurrent") -> Judge:
    ordered = order(events)
    return Judge(bind(text, log_schema_of(ordered, "s", Ties(ties))), ordered)


def agree(world: World) -> None:
    """A binding of the pattern is a match exactly if every verdict on it holds."""
    judging = judge_of(world)
    windows = [None] if world.slide is None else [k * world.slide for k in range(-world.size - 1, 20)]
    expected = set(world.matches())
    for window in windows:
        for path in sorted(any_matches(world.reading, len(world.events), offered(world, window)))[:300]:
            stands = all(verdict.holds for verdict in judging.verdicts(path, window))
            assert stands == ((window, path) in expected), (world.text, path, window)


def judge_of(world: World) -> Judge:
    try:
        return judge(world.text, world.table, "ordered" if world.ordered else "concurrent")
    except QueryError:
        reject()


def offered(world: World, window: int | None) -> Callable[[Path, int, Step], bool]:
    """Bindings that may break the order of time and the window's end."""

    def extends(path: Path, event: int, step: Step) -> bool:
        candidate = world.events[event]
        clock = event if world.in_events else candidate.ts
        inside = window is None or window <= clock < window + 3 * world.size
        return (
            step.unit is not None
            and candidate.event_type == step.unit.event_type
            and inside
            and (not path or event > path[-1][0])
        )

    return extends


@settings(deadline=None)
@given(worlds())
def test_all_verdicts_hold_of_matches_alone(world: World) -> None:
    """Conditions, equivalences and windows."""
    agree(world)


@settings(deadline=None)
@given(worlds(negated=True))
def test_absences_are_judged_as_negations_are(world: World) -> None:
    """Negated elements at every place, with tests of their own, of the match and of each other."""
    agree(world)


@settings(deadline=None)
@given(worlds(("skip_till_next_match", "strict_contiguity", "partition_contiguity")))
def test_all_verdicts_hold_of_what_a_run_takes(world: World) -> None:
    """Under every strategy: a run takes less, never something else."""
    judging = judge_of(world)
    for window, path in world.matches():
        assert all(verdict.holds for verdict in judging.verdicts(path, window))
