"""The section `unique` of workload.yaml: the attributes that tell the events of a type apart, as rules of the gate.

A day in which two events of a type have equal values there is refused: an event that was recorded twice would be
counted twice. Missing values are equal to each other. Types with the same attributes share a rule.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from cep_core.events.schema import LogSchema
from jobs.workload.files.problems import Problems, brief, nearest
from jobs.workload.sections.expectations import FATAL, GateRule


def read_unique(problems: Problems, value: object, schema: LogSchema) -> dict[str, tuple[str, ...]]:
    """Event type -> the attributes that tell its events apart."""
    unique = {}
    for event_type in (keys := problems.section("workload.yaml: unique", value, (), list(schema.types))).items:
        names = ["ts", *schema.types[event_type]]
        unique[event_type] = keys.texts(event_type)
        if not unique[event_type]:
            problems.add(keys.at(event_type), f"expected what tells its events apart, of {', '.join(names)}")
        for name in unique[event_type]:
            if name not in names:
                problems.add(keys.at(event_type), f"unknown attribute {brief(name)}; {nearest(name, names)}")
    return unique


def rules_of_unique(unique: Mapping[str, tuple[str, ...]], taken: Collection[str]) -> tuple[GateRule, ...]:
    """The rules that refuse a day with two equal events. `taken`: names of other rules.

    >>> [rule] = rules_of_unique({"Start": ("ts", "machine"), "Stop": ("ts", "machine")}, ())
    >>> rule.name, rule.arguments["column_list"], rule.arguments["row_condition"]
    ('unique_1', ['event_type', 'ts', 'machine'], 'event_type in ["Start", "Stop"]')
    """
    by_attributes: dict[tuple[str, ...], list[str]] = {}
    for event_type, attributes in unique.items():
        by_attributes.setdefault(attributes, []).append(event_type)
    free = (
        name for number in range(1, len(by_attributes) + len(taken) + 1) if (name := f"unique_{number}") not in taken
    )
    return tuple(
        GateRule(
            name=next(free),
            type="expect_compound_columns_to_be_unique",
            over="events",
            arguments={
                "column_list": ["event_type", *attributes],
                "ignore_row_if": "never",
                "row_condition": f"event_type in {json.dumps(types)}",
                "condition_parser": "pandas",
            },
            severity=FATAL,
            reason=f"{', '.join(attributes)} tell events of {', '.join(types)} apart (workload.yaml: unique)",
        )
        for attributes, types in by_attributes.items()
    )
