"""Random edits of a workload and of its files: what `status` advises ends in the tables of a fresh lake.

Each example runs the workload four times or more, so it is for `make test-deep`. One such history that every run of the
tests goes through, with what is told on the way, is in test_outdated_loads.py.
"""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.counts import DEEP
from tests.runs.lake.lakes import CommandLine, SmallLake, Tables
from tests.runs.lake.small_workload import EVENTS_SQL, EXPECTATIONS, MATCH_EVENTS, QUERIES, WORKLOAD, day, write_day

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(os.environ.get("HYPOTHESIS_PROFILE") != DEEP, reason="minutes an example: make test-deep"),
]


@dataclass(frozen=True)
class State:
    """What a workload and its files say; every field can be edited apart from the others."""

    times: int = 1
    least: int = 0
    begin: int = 0
    unit: str = "s"
    rest: str | None = None
    hours: int = 20
    late: frozenset[int] = frozenset()
    """Days whose files lack some rows."""
    corrected: frozenset[int] = frozenset()
    """Days whose files have another value in the place of a wrong one."""

    def write(self, home: Path) -> None:
        moment = "moment" if self.unit == "s" else "1000 * moment"
        rest = {None: "", "int": ", row % 7 AS rest", "string": ", concat('r', row % 7) AS rest"}[self.rest]
        columns = f"kind AS event_type, {moment} AS ts, machine, {self.times} * load AS load{rest}, _row"
        (home / "events.sql").write_text(f"SELECT {columns} {EVENTS_SQL[EVENTS_SQL.index('FROM') :]}")
        text = WORKLOAD.replace('"0 0', f'"0 {self.begin}').replace("unit: s", f"unit: {self.unit}")
        text = text.replace("order: [row]", "order: [row]\n    slack: 1")
        if self.rest is not None:
            text = text.replace("Stop: {", f"Stop: {{rest: '{self.rest}?', ")
        (home / "workload.yaml").write_text(text)
        (home / "expectations.yaml").write_text(EXPECTATIONS.replace("load >= 0", f"load >= {self.least}"))
        (home / "queries" / "climbs.cep").write_text(QUERIES["climbs"].replace("20 hours", f"{self.hours} hours"))
        for number in range(4):
            write_day(home, number, early=number in self.late)
            if number in self.corrected:
                file = home / "data" / f"{day(number)}.csv"
                file.write_text(file.read_text().replace(",m1,-1", ",m1,11"))


EDITS = {
    "times": st.sampled_from([1, 2, 10]),
    "least": st.sampled_from([0, 5]),
    "begin": st.sampled_from([0, 6, 23]),
    "unit": st.sampled_from(["s", "ms"]),
    "rest": st.sampled_from([None, "int", "string"]),
    "hours": st.sampled_from([10, 20]),
    "late": st.frozensets(st.integers(0, 3)),
    "corrected": st.frozensets(st.integers(0, 3)),
}
EDITED = st.lists(
    st.sampled_from(sorted(EDITS)).flatmap(lambda name: st.tuples(st.just(name), EDITS[name])), min_size=1, max_size=3
)


def follow_advice(trendmill: CommandLine) -> None:
    """Do what `status`, and then what a refused command, says."""
    if "trendmill run machines --stale" in trendmill("status")[1]:
        code, printed = trendmill("run", "--stale")
        if code == 2:
            assert "trendmill rebuild machines --events" in printed
            code, printed = trendmill("rebuild", "--events")
        assert code == 0, printed
    printed = trendmill("status")[1]
    assert "stale" not in printed
    assert "another definition" not in printed
    assert "changed since" not in printed


def declared(tables: Tables, state: State) -> Tables:
    """The tables without the column of an attribute that left the log."""
    for table in ("events", *MATCH_EVENTS) if state.rest is None else ():
        assert {row.get("rest") for row in tables[table]} == {None}
        tables[table] = [{name: row[name] for name in row if name != "rest"} for row in tables[table]]
    return tables


@settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rounds=st.lists(EDITED, min_size=1, max_size=3))
def test_what_is_advised_ends_in_the_tables_of_a_fresh_lake(
    copied: SmallLake,
    trendmill: CommandLine,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    rounds: list[list[tuple[str, Any]]],
) -> None:
    """No day is named by a person, also where files were corrected: everything is advised."""
    lake = SmallLake(tmp_path_factory.mktemp("evolving"), copied.spark, copied.home)
    lake.forget()
    monkeypatch.setenv("TRENDMILL_LAKE", str(lake.folder))
    state = State()
    state.write(lake.home)
    assert trendmill("run", "--from", str(day(0)), "--to", str(day(2)))[0] == 0
    for edits in rounds:
        state = dataclasses.replace(state, **dict(edits))
        state.write(lake.home)
        follow_advice(trendmill)
    evolved = declared(lake.tables(), state)
    fresh = SmallLake(tmp_path_factory.mktemp("fresh"), copied.spark, copied.home)
    fresh.forget()
    fresh.run(0, 2)
    assert evolved == declared(fresh.tables(), state)
