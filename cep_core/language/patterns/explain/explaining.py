"""How a pattern query is understood: template, classes, slicing, reach, cost (`docs/language.md` 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from cep_core.language.durations import spoken
from cep_core.language.evaluator import Atom, Reach
from cep_core.language.explanation import Explanation, Section
from cep_core.language.patterns.automata.template import Template, template_of
from cep_core.language.patterns.explain.complexity import complexity_of, components, runs_formula
from cep_core.language.patterns.explain.condition_section import condition_section
from cep_core.language.patterns.explain.nfa import State, nfa_mermaid, states_of
from cep_core.language.patterns.explain.splitting import Forbidden, split
from cep_core.language.patterns.facts.atoms import atoms_of
from cep_core.language.patterns.facts.reach import reach_of, waits_for_window
from cep_core.language.patterns.query import Query, Strategy
from cep_core.language.patterns.text.printing import print_pattern
from cep_core.language.patterns.tree import Kleene, Pattern, Unit
from cep_core.language.patterns.walk import map_units, parts_of


def explain_query(query: Query, algorithm: Sequence[str]) -> Explanation:
    """The explanation of a bound query; `algorithm`: the lines in which its engine describes its algorithm."""
    template = template_of(query)
    sections = [
        _kind(query),
        _pattern(query),
        _template(template),
        *_automaton(query),
        *_cost(query),
        condition_section(query),
        _slicing(query, atoms_of(query)),
        _reach(query, reach_of(query)),
        Section("algorithm", tuple(algorithm), list(algorithm)),
    ]
    warnings = warnings_of(query)
    if warnings:
        sections.append(Section("warnings", tuple(warnings), warnings))
    return Explanation(tuple(sections))


def warnings_of(query: Query) -> list[str]:
    """Warnings about a valid query that may surprise: those of binding, and that the output may be exponential."""
    return [*query.warnings, *_exponential(query)]


def mermaid(template: Template) -> str:
    """The template as a Mermaid state diagram.

    >>> print(mermaid(Template(("A", "B"), frozenset("A"), frozenset("B"), frozenset({("A", "B")}))))
    stateDiagram-v2
        [*] --> A
        A --> B
        B --> [*]
    """
    edges = [("[*]", state) for state in template.states if state in template.start]
    edges += [(source, target) for source in template.states for target in template.successors(source)]
    edges += [(state, "[*]") for state in template.states if state in template.end]
    return "\n".join(["stateDiagram-v2", *(f"    {source} --> {target}" for source, target in edges)])


def _kind(query: Query) -> Section:
    kind = "aggregation over all trends" if query.aggregation else "matching"
    strategy = query.strategy.value.replace("_", " ")
    window = query.window
    unit = "events" if window.events else query.schema.unit
    slide = window.slide or (window.size if query.aggregation else None)
    within = f"within {spoken(window.size, unit)}" + (f", every {spoken(slide, unit)}" if slide else "")
    ties = f"events of equal time are {query.schema.ties.value}"
    facts = {
        "kind": kind,
        "strategy": query.strategy.value,
        "within": window.size,
        "slide": slide,
        "unit": unit,
        "ties": query.schema.ties.value,
        "groups": list(query.group_by),
        "columns": [item.column for item in query.returns],
    }
    lines = [f"{kind}, {strategy}, {within}; {ties}"]
    if query.confidence is not None:
        sure = f"{'>' if query.confidence.strict else '>='} {query.confidence.threshold:g}"
        facts["confidence"] = sure
        lines.append(f"over possible worlds, since times are imprecise: matches of confidence {sure}")
    if query.group_by:
        lines.append("grouped by " + ", ".join(query.group_by))
    return Section("query", tuple(lines), facts)


def _pattern(query: Query) -> Section:
    negated = split(query.pattern)
    lines = [_text(query.pattern)]
    lines += [f"no {_text(part.body)} {_zone(part, query)}" for part in negated]
    facts = {
        "text": lines[0],
        "variables": {
            v.name: {"type": v.event_type, "kleene": v.kleene, "optional": v.optional, "negated": v.negated}
            for v in query.variables
        },
        "negated": [
            {
                "pattern": _text(part.body),
                "previous": sorted(part.previous),
                "following": sorted(part.following),
                "inside": part.inside,
            }
            for part in negated
        ],
    }
    return Section("pattern", tuple(lines), facts)


def _text(pattern: Pattern) -> str:
    """The pattern as text; variables that have the name of their type are left out."""

    def shortened(unit: Unit) -> Unit:
        return replace(unit, variable="") if unit.variable == unit.event_type else unit

    return print_pattern(map_units(pattern, shortened))


def _zone(part: Forbidden, query: Query) -> str:
    if part.previous and part.following:
        return f"between {_listed(part.previous)} and {_listed(part.following)}"
    windowed = query.aggregation or query.window.slide is not None
    if part.following:
        start = "the window's start" if windowed else "the last event's time - WITHIN"
        return f"from {start} to {_listed(part.following)}"
    end = "the window's end" if windowed else "the first event's time + WITHIN"
    return f"from {_listed(part.previous)} to {end}"


def _listed(names: Iterable[str]) -> str:
    return " or ".join(sorted(names))


def _template(template: Template) -> Section:
    lines = [f"start {_all(template.start)}, end {_all(template.end)}, mid {_all(template.mid)}"]
    lines += [f"before {state}: {_all(template.predecessors(state))}" for state in template.states]
    facts = {
        "states": list(template.states),
        "start": sorted(template.start),
        "end": sorted(template.end),
        "mid": sorted(template.mid),
        "predecessors": {state: list(template.predecessors(state)) for state in template.states},
        "mermaid": mermaid(template),
    }
    return Section("template", tuple(lines), facts)


def _all(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


def _automaton(query: Query) -> list[Section]:
    states = states_of(query)
    if states is None:
        return []
    lines = [f"{state.name}: {_edges(state)}" if state.leaving else f"{state.name}: final" for state in states]
    facts = {
        "states": [
            {
                "state": state.name,
                "edges": [{"kind": e.kind, "target": e.target, "type": e.event_type} for e in state.leaving],
            }
            for state in states
        ],
        "mermaid": nfa_mermaid(states),
    }
    return [Section("automaton", tuple(lines), facts)]


def _edges(state: State) -> str:
    return ", ".join(f"{f'{edge.kind} {edge.event_type}'.rstrip()} -> {edge.target}" for edge in state.leaving)


def _cost(query: Query) -> list[Section]:
    """The query's complexity class, and the cost of listing all runs."""
    if query.aggregation:
        return []
    complexity = complexity_of(query)
    length, closures = components(query.pattern)
    formula = runs_formula(query)
    lines = (
        f"deciding whether there is a match: {complexity.name} ({complexity.cause})",
        f"runs of an event-by-event engine, x events of a type in a window: {formula}",
    )
    facts = {
        "class": complexity.name,
        "cause": complexity.cause,
        "components": length,
        "closures": closures,
        "runs": formula,
    }
    return [Section("complexity", lines, facts)]


def _slicing(query: Query, atoms: Sequence[Atom]) -> Section:
    names = [key.name for key in query.key_classes if key.slices]
    lines = ["variables " + ", ".join(names) if names else "no variable binds every match: slices are ranges of time"]
    lines += [_atom_text(atom) for atom in atoms]
    facts = {
        "variables": names,
        "atoms": [
            {"type": atom.event_type, "variables": dict(atom.variables), "constants": dict(atom.constants)}
            for atom in atoms
        ],
    }
    return Section("slicing", tuple(lines), facts)


def _atom_text(atom: Atom) -> str:
    inside = [name if name == variable else f"{name}: {variable}" for name, variable in atom.variables]
    inside += [f"{name} = {value!r}" for name, value in atom.constants]
    return f"{atom.event_type}({', '.join(inside)})"


def _reach(query: Query, reach: Reach) -> Section:
    if reach.time is None:
        lines = ["unbounded: AFTER MATCH SKIP depends on all earlier matches"]
    elif reach.events:
        lines = [f"{reach.events} events"]
    else:
        lines = [spoken(reach.time, query.schema.unit)]
    if query.aggregation:
        certain = "just before the window ends"
    elif waits_for_window(query):
        certain = "at the first event's time + WITHIN"
    else:
        certain = "at the match's last event"
    lines.append(f"a result is certain {certain}")
    facts = {"time": reach.time, "points": reach.points, "events": reach.events, "certain": certain}
    return Section("reach", tuple(lines), facts)


def _exponential(query: Query) -> list[str]:
    if query.aggregation or query.strategy is not Strategy.ANY or not _has_closure(query.pattern):
        return []
    return [
        "the number of matches may be exponential in the events of a window: every subset of a closure is a match; "
        "count them by an aggregation query, or choose skip_till_next_match"
    ]


def _has_closure(pattern: Pattern) -> bool:
    return (isinstance(pattern, Kleene) and pattern.most is None) or any(
        _has_closure(part) for part in parts_of(pattern)
    )
