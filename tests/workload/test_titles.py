"""Titles of attributes: whatever a folder declares, pages can tell its attributes apart, and types do not change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import LogSchema
from jobs.workload.files.problems import Problems
from jobs.workload.sections.event_types import read_event_types

NAMES = ("line", "stop", "delay_min")
TYPES = ("int", "float?", "string", "bool")
titles = st.sampled_from(["line", "Stop", "where it stops", "WHERE IT STOPS", "delay in minutes"])
forms = st.one_of(
    st.sampled_from(TYPES),
    st.fixed_dictionaries({"type": st.sampled_from(TYPES)}, optional={"title": titles, "shown": st.booleans()}),
)
events = st.dictionaries(
    st.sampled_from(["Depart", "Arrive"]), st.dictionaries(st.sampled_from(NAMES), forms, max_size=3), min_size=1
)


@given(events)
def test_what_pages_call_attributes_tells_them_apart(declared: dict[str, dict[str, Any]]) -> None:
    """Without a problem: one title for each name, no two alike in any case; types are those of the short form."""
    problems = Problems()
    schema = LogSchema(read_event_types(problems, declared))
    short = {
        event_type: {name: form["type"] if isinstance(form, dict) else form for name, form in attributes.items()}
        for event_type, attributes in declared.items()
    }
    alone = LogSchema(read_event_types(Problems(), short))
    assert {t: {a.name: (a.type, a.nullable) for a in own.values()} for t, own in schema.types.items()} == {
        t: {a.name: (a.type, a.nullable) for a in own.values()} for t, own in alone.types.items()
    }
    assert all(problem.startswith("workload.yaml: events.") for problem in problems.noted)
    if problems.noted:
        return
    names = {name for attributes in declared.values() for name in attributes}
    assert len({schema.title_of(name).lower() for name in names}) == len(names)
    for attributes in declared.values():
        for name, form in attributes.items():
            if isinstance(form, dict) and "title" in form:
                assert schema.title_of(name) == form["title"]
    shown = {
        name for own in declared.values() for name, form in own.items() if isinstance(form, dict) and form.get("shown")
    }
    assert {name for own in schema.types.values() for name in own if own[name].shown} == shown
    assert all(own[name].shown for own in schema.types.values() for name in shown & set(own))


def test_the_example_of_the_manual_is_read_as_it_says() -> None:
    """docs/operations.md, Titles of attributes."""
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
    example = page.split("## Titles of attributes")[1].split("```yaml\n")[1].split("```")[0]
    problems = Problems()
    schema = LogSchema(read_event_types(problems, yaml.safe_load(example)["events"]))
    assert problems.noted == []
    assert schema.title_of("dest") == "destination airport"
    assert schema.title_of("delay_min") == "delay in minutes"
