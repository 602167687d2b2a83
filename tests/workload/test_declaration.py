"""A workload folder is read strictly: what is wrong is refused, all of it at once, with the nearest known name."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
import yaml

from jobs.workload.compiled import compile_questions, compile_workload
from jobs.workload.content import content_hash, store
from jobs.workload.declaration import load_workload, read_workload
from jobs.workload.files.problems import WorkloadError
from jobs.workload.secrets import SecretMissing, resolve

SAMPLE = Path(__file__).resolve().parents[2] / "workloads" / "nyc_flights"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the sample's definition, to be broken."""
    copy = store(SAMPLE, tmp_path).rename(tmp_path / "nyc_flights")
    assert content_hash(copy) == content_hash(SAMPLE)
    return copy


def edit(folder: Path, name: str, **changes: object) -> None:
    path = folder / name
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | changes, sort_keys=False))


def test_the_sample_has_no_problem() -> None:
    """Every file of the sample loads, binds and compiles; its tables' names are its queries'."""
    workload = load_workload(SAMPLE)
    compiled = compile_workload(workload)
    assert {"knock_on", "disruption_waves", "snowball", "climb_then_cancel"} <= set(compiled)
    assert compiled["knock_on"].question == "How far does an aircraft carry lateness through its day, by airline?"
    assert workload.settings("disruption_waves").exact_counts
    assert workload.operating_days.interval(date(2013, 3, 8)) == (1362729600, 1362816000)


def test_every_problem_is_reported_at_once(folder: Path) -> None:
    """Unknown keys, missing files, wrong types and wrong queries come in one message."""
    edit(folder, "workload.yaml", sorces={}, schedule="0 8 * * 1", slicing={"slices": 0})
    (folder / "expectations.yaml").write_text("rows:\n  - {name: x, source: flihts, holds: a, reason: b}\n")
    (folder / "queries" / "wrong.cep").write_text("-- Why?\nPATTERN Departre d WITHIN 1 hour\n")
    workload, problems = read_workload(folder)
    _, wrong = compile_questions(workload)
    text = "\n".join([*problems, *wrong])
    for expected in (
        "unknown key 'sorces'; did you mean 'sources'?",
        "expected a daily schedule",
        "expected a whole number from 1 to 4,096, found 0",
        "unknown source 'flihts'; did you mean 'flights'?",
        "queries/wrong.cep:2:9",
    ):
        assert expected in text
    with pytest.raises(WorkloadError, match="4 problems"):
        load_workload(folder)


def test_an_unknown_gate_type_is_found_without_importing_the_library(folder: Path) -> None:
    """The name of an expectation is checked at `check` time."""
    edit(folder, "expectations.yaml", gate=[{"name": "x", "type": "expect_colum_max_to_be_between", "reason": "y"}])
    with pytest.raises(WorkloadError, match="did you mean 'expect_column_max_to_be_between'"):
        load_workload(folder)


def test_how_imprecise_times_are_is_checked_and_part_of_what_results_depend_on(folder: Path) -> None:
    """Unknown event types and negative spans are found; a clock of whole minutes reaches back a minute more."""
    before = compile_workload(load_workload(folder))["climb_then_cancel"]
    assert before.evaluator.reach.time == 12 * 3600 + 59
    edit(folder, "workload.yaml", time={"unit": "s", "imprecise": {"Departure": {"before": 30, "after": 30}}})
    after = compile_workload(load_workload(folder))["climb_then_cancel"]
    assert after.evaluator.reach.time == 12 * 3600 + 60
    assert after.definition != before.definition
    edit(folder, "workload.yaml", time={"unit": "s", "imprecise": {"Departre": {"after": -1}, "Arrival": {"late": 1}}})
    problems = "\n".join(read_workload(folder)[1])
    assert "time.imprecise: unknown event type 'Departre'; did you mean 'Departure'?" in problems
    assert "imprecise.Departre.after: expected a whole number from 0 to 1,000,000,000,000,000, found -1" in problems
    assert "unknown key 'late'" in problems


def test_names_beside_a_query_are_taken(folder: Path) -> None:
    """`<query>_events` and `<query>_compact` belong to the matches of `<query>`."""
    (folder / "queries" / "snowball_events.cep").write_text("-- Why?\nPATTERN Departure d WITHIN 1 hour\n")
    expected = "queries/snowball_events.cep: cannot name a result table: it belongs to the matches of snowball"
    assert expected in read_workload(folder)[1]


def test_a_query_that_looks_too_far_back_is_refused(folder: Path) -> None:
    """`limits.max_reach` bounds what a run may have to read."""
    edit(folder, "workload.yaml", limits={"max_reach": "6h"})
    with pytest.raises(WorkloadError, match=r"knock_on.cep.*looks back 86400 s, further than limits.max_reach"):
        compile_workload(load_workload(folder))


def test_a_definition_hash_follows_what_the_result_depends_on(folder: Path) -> None:
    """Text, settings and events.sql change it; rules of the gate do not."""

    def hashes() -> dict[str, str]:
        return {name: query.definition for name, query in compile_workload(load_workload(folder)).items()}

    before = hashes()
    edit(folder, "expectations.yaml", gate=[])
    assert hashes() == before
    edit(folder, "workload.yaml", queries={"snowball": {"max_matches": 5}})
    changed = {name for name, definition in hashes().items() if definition != before[name]}
    assert changed == {"snowball", "disruption_waves", "contagion", "destination_collapse", "city_sweep"}
    (folder / "events.sql").write_text((folder / "events.sql").read_text() + "-- edited\n")
    assert not set(hashes().values()) & set(before.values())


def test_a_title_is_no_part_of_what_results_depend_on(folder: Path) -> None:
    """A title, and that an attribute is shown, hold in every event type and make no result stale."""
    before = {name: query.definition for name, query in compile_workload(load_workload(folder)).items()}
    events = yaml.safe_load((folder / "workload.yaml").read_text())["events"]
    short = {
        event_type: {name: form["type"] if isinstance(form, dict) else form for name, form in attributes.items()}
        for event_type, attributes in events.items()
    }
    edit(folder, "workload.yaml", events=short)
    assert load_workload(folder).schema.title_of("dest") == "dest"
    long = short | {"Arrival": short["Arrival"] | {"dest": {"type": "string", "title": "where it goes", "shown": True}}}
    edit(folder, "workload.yaml", events=long)
    schema = load_workload(folder).schema
    assert schema.title_of("dest") == "where it goes"
    assert {attributes["dest"].title for attributes in schema.types.values() if "dest" in attributes} == {
        "where it goes"
    }
    assert {name for name, of in schema.types["Departure"].items() if of.shown} == {"dest"}
    assert schema.types["Arrival"]["air_min"].nullable
    after = {name: query.definition for name, query in compile_workload(load_workload(folder)).items()}
    assert after == before


def test_secrets_are_resolved_late_and_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A declaration holds references; a missing value names its variable."""
    monkeypatch.setenv("AIRFLOW_CONN_LAKE", "postgres://me:p%40ss@host/db")
    assert resolve("${conn:lake}") == "p@ss"
    monkeypatch.delenv("NO_SUCH_VALUE", raising=False)
    with pytest.raises(SecretMissing, match="NO_SUCH_VALUE"):
        resolve("${env:NO_SUCH_VALUE}/x")
    monkeypatch.setenv("NYC_FLIGHTS_DATA", "/elsewhere")
    workload = load_workload(SAMPLE)
    assert "/elsewhere" not in repr(workload)
    assert list(workload.sources["flights"].paths([], workload.base)) == ["/elsewhere/flights.csv.gz"]
