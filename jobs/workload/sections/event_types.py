"""A log's event types: the sections `events` and `atoms` of workload.yaml, and the file events.sql."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from cep_core.events.schema import Attribute, AttributeType, LogSchema, NamedCondition
from cep_core.language.errors import QueryError
from cep_core.language.patterns.bind.conditions import bind_condition
from jobs.workload.files.problems import DeclaredSection, Problems, brief, nearest
from jobs.workload.files.text_file import read_text

RESERVED = ("day", "run_id", "event_type", "ts", "seq", "pos", "offset", "certain")
"""Column names that no attribute may take."""
ONE_OF_THE_VALUES = ("min", "max", "first", "last")
"""Aggregates that show a value as it is, which reports do not for masked attributes. Sums and means they show."""
LONGEST_TITLE = 60
"""The most characters of an attribute's title."""

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}")


def read_event_types(problems: Problems, value: object) -> dict[str, dict[str, Attribute]]:
    """The attributes of each event type, from the section `events`.

    An attribute is a type (`string`), or a type and a title (`{type: string, title: airport of departure}`), and
    whether it is `shown` first. One name has one type and one title in the whole log; a title given in one event type
    holds in all of them, and so does `shown`.
    """
    types: dict[str, dict[str, Attribute]] = {}
    types_of_attributes: dict[str, AttributeType] = {}
    spelt: dict[str, str] = {}
    titles: dict[str, str] = {}
    for event_type, declared in problems.mapping("workload.yaml: events", value).items():
        where = f"workload.yaml: events.{event_type}"
        if not _IDENTIFIER.fullmatch(event_type):
            problems.add(where, "an event type is a letter, then up to 127 letters, digits and '_'")
        types[event_type] = {}
        for name, form in problems.mapping(where, declared).items():
            attribute = _attribute(problems, f"{where}.{name}", name, form)
            kind = attribute.type
            if name.lower() in RESERVED or not _IDENTIFIER.fullmatch(name):
                problems.add(
                    f"{where}.{name}",
                    "cannot name an attribute: a letter, then up to 127 letters, digits and '_'; "
                    f"{', '.join(RESERVED)} are the log's own, in whatever case",
                )
            if spelt.setdefault(name.lower(), name) != name:
                problems.add(
                    f"{where}.{name}", f"is '{spelt[name.lower()]}' in another case; tables do not tell the two apart"
                )
            if types_of_attributes.setdefault(name, kind) != kind:
                problems.add(
                    f"{where}.{name}",
                    f"is {kind.value} here and {types_of_attributes[name].value} in another event type",
                )
            if attribute.title and titles.setdefault(name, attribute.title) != attribute.title:
                problems.add(
                    f"{where}.{name}.title",
                    f"is {brief(attribute.title)} here and {brief(titles[name])} in another event type; give one title",
                )
            types[event_type][name] = attribute
    _titles_apart(problems, types, titles)
    shown = {name for attributes in types.values() for name, attribute in attributes.items() if attribute.shown}
    return {
        event_type: {
            name: replace(attribute, title=titles.get(name, ""), shown=name in shown)
            for name, attribute in attributes.items()
        }
        for event_type, attributes in types.items()
    }


def masked_types(
    problems: Problems, value: object, types: Mapping[str, Mapping[str, Attribute]]
) -> dict[str, dict[str, Attribute]]:
    """The event types, with the attributes of the section `mask` marked: reports never show their values."""
    names = {name for attributes in types.values() for name in attributes}
    masked = problems.sequence("workload.yaml: mask", value)
    for name in masked:
        if not isinstance(name, str) or name not in names:
            hint = nearest(name, names) if isinstance(name, str) else "expected the name of one"
            problems.add("workload.yaml: mask", f"unknown attribute {brief(name)}; {hint}")
    return {
        event_type: {name: replace(of, masked=name in masked) for name, of in attributes.items()}
        for event_type, attributes in types.items()
    }


def read_events_sql(problems: Problems, folder: Path) -> str:
    """The text of events.sql; `jobs.analysis` checks what it selects."""
    text = read_text(problems, folder / "events.sql", "events.sql")
    if text is not None and not text.strip():
        problems.add("events.sql", "is empty: one SELECT turns source rows into events")
    return text or ""


def read_atoms(problems: Problems, value: object, schema: LogSchema) -> dict[str, NamedCondition]:
    """The section `atoms`: the conditions that propositional policies name, each over one event type of the log."""
    atoms: dict[str, NamedCondition] = {}
    for name, declared in problems.mapping("workload.yaml: atoms", value).items():
        place = f"workload.yaml: atoms.{name}"
        section = problems.section(place, declared, ("event", "where"))
        event_type, condition = section.text("event"), section.text("where")
        if not _IDENTIFIER.fullmatch(name):
            problems.add(place, "an atom's name is a letter, then up to 127 letters, digits and '_'")
        if name in schema.types:
            problems.add(place, "is an event type, which is an atom already; name the condition otherwise")
        _known_type(problems, section, event_type, schema)
        if event_type in schema.types and condition:
            try:
                bind_condition(condition, event_type, schema)
            except QueryError as error:
                problems.add(section.at("where"), f"{error.message}; {error.hint}" if error.hint else error.message)
            else:
                atoms[name] = NamedCondition(event_type, condition)
    return atoms


def _attribute(problems: Problems, where: str, name: str, form: object) -> Attribute:
    """An attribute in its short form, a type, or in its long form, with a title or the word that it is shown."""
    if not isinstance(form, Mapping):
        return Attribute(name, _attribute_type(problems, where, form), nullable=str(form).endswith("?"))
    section = problems.section(where, form, ("type",), ("title", "shown"))
    written = section.items.get("type")
    kind = AttributeType.STRING if written is None else _attribute_type(problems, section.at("type"), written)
    title, shown = section.line("title", LONGEST_TITLE), section.truth("shown", default=False)
    return Attribute(name, kind, nullable=str(written).endswith("?"), title=title, shown=shown)


def _titles_apart(problems: Problems, types: Mapping[str, Mapping[str, Attribute]], titles: Mapping[str, str]) -> None:
    """Refuses two attributes with the same title, since a table that shows both could not tell them apart."""
    names = [name for attributes in types.values() for name in attributes]
    called = {name.lower(): name for name in names if name not in titles}
    for event_type, attributes in types.items():
        for name, attribute in attributes.items():
            if attribute.title and called.setdefault(attribute.title.lower(), name) != name:
                problems.add(
                    f"workload.yaml: events.{event_type}.{name}.title",
                    f"{brief(attribute.title)} is what '{called[attribute.title.lower()]}' is called; "
                    "each attribute needs its own title",
                )


def _attribute_type(problems: Problems, where: str, text: object) -> AttributeType:
    name = text.removesuffix("?") if isinstance(text, str) else ""
    kinds_of_attribute = [kind.value for kind in AttributeType]
    if name not in kinds_of_attribute:
        problems.add(where, f"unknown type {brief(text)}; {nearest(name, kinds_of_attribute)}")
        return AttributeType.STRING
    return AttributeType(name)


def _known_type(problems: Problems, section: DeclaredSection, event_type: str, schema: LogSchema) -> None:
    if event_type and schema.types and event_type not in schema.types:
        hint = nearest(event_type, schema.types)
        problems.add(section.at("event"), f"unknown event type {brief(event_type)}; {hint}")
