"""Equivalences: attributes that are equal in all events of a match, and those used for slicing (`docs/semantics.md` 6).

`[x]`, GROUP BY x and top-level equalities between attributes of different variables join (variable, attribute) pairs
into classes (union-find). Some equalities belong to no class: those of an optional variable and, under contiguity and
skip-till-next-match, those that the first element does not bind, or that a run tests later than a key would (the events
of `w` in `w[i].x = u.x` with a later `u`). They are returned, and checked as ordinary predicates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cep_core.events.schema import AttributeType
from cep_core.language.errors import Position
from cep_core.language.hints import did_you_mean
from cep_core.language.patterns.automata.template import template_of_pattern
from cep_core.language.patterns.bind.naming import always_bound
from cep_core.language.patterns.bind.scope import NameScope, common_type
from cep_core.language.patterns.query import KeyClass, Strategy
from cep_core.language.patterns.syntax import AttributeName
from cep_core.language.patterns.tree import (
    Alternative,
    AnyOf,
    Comparison,
    Conjunction,
    Expression,
    Kleene,
    Not,
    Pattern,
    Reference,
    Unit,
    Which,
)
from cep_core.language.patterns.tree import Sequence as Seq
from cep_core.language.patterns.walk import parts_of

Member = tuple[str, str]


@dataclass(frozen=True)
class NamedClass:
    """The members that `[x]` or GROUP BY x joins."""

    name: str
    members: tuple[Member, ...]
    grouped: bool
    at: Position


@dataclass(frozen=True)
class Equality:
    """A conjunct with `=` and the two members that it joins (one member for `b[i].x = b[i-1].x`)."""

    condition: Expression
    members: tuple[Member, ...]


@dataclass
class _Class:
    members: dict[Member, None]
    names: list[NamedClass] = field(default_factory=list)
    equalities: list[Equality] = field(default_factory=list)


def named_class(name: AttributeName, scope: NameScope, *, grouped: bool) -> NamedClass | None:
    """The class of `[x]`, `[P.x]` or GROUP BY x. Reports an attribute that no event type of the pattern has."""
    if name.variable:
        variable = scope.variable(name.variable, name.at)
        if variable is None or scope.attribute(variable, name.attribute, name.at) is None:
            return None
        return NamedClass(name.attribute, ((variable.name, name.attribute),), grouped, name.at)
    members = tuple((v.name, name.attribute) for v in scope.variables.values() if _has(scope, v.name, name.attribute))
    if not members and all(scope.schema.has_type(variable.event_type) for variable in scope.variables.values()):
        types = sorted({variable.event_type for variable in scope.variables.values()})
        attributes = [attribute for event_type in types for attribute in scope.schema.attributes_of(event_type)]
        hint = did_you_mean(name.attribute, attributes)
        scope.report(f"no event type of the pattern has the attribute '{name.attribute}'", name.at, hint)
    return NamedClass(name.attribute, members, grouped, name.at) if members else None


def equality_of(condition: Expression) -> Equality | None:
    """The members that a top-level conjunct makes equal; None if it is not such an equality."""
    if not (isinstance(condition, Comparison) and condition.operator == "="):
        return None
    left, right = condition.left, condition.right
    if not (isinstance(left, Reference) and isinstance(right, Reference)):
        return None
    of_left, of_right = (left.variable, left.attribute), (right.variable, right.attribute)
    if left.variable != right.variable and left.which is right.which is Which.EACH:
        return Equality(condition, (of_left, of_right))
    if of_left == of_right and {left.which, right.which} == {Which.EACH, Which.PREVIOUS}:
        return Equality(condition, (of_left,))
    return None


def key_classes(
    named: Sequence[NamedClass], equalities: Sequence[Equality], pattern: Pattern, strategy: Strategy, scope: NameScope
) -> tuple[tuple[KeyClass, ...], tuple[Expression, ...]]:
    """The classes, in pattern order of their first member, and the equalities that no class expresses."""
    bound = always_bound(pattern)
    firm: list[Equality] = []
    loose: list[Equality] = []
    for equality in equalities:
        always = len(equality.members) > 1 and all(variable in bound for variable, _ in equality.members)
        (firm if always and strategy is not Strategy.PARTITION else loose).append(equality)
    classes = _joined(named, firm)
    returned = [
        e.condition for e in loose if strategy is Strategy.PARTITION or not _attached(e, loose, classes, bound, scope)
    ]
    kept: list[_Class] = []
    for joined in classes:
        tested = strategy is Strategy.ANY or _tested_at_once(joined, pattern, bound, scope)
        if joined.equalities and (not _slices(joined, pattern, strategy) or _two_groups(joined) or not tested):
            returned.extend(equality.condition for equality in joined.equalities)
            kept.extend(_joined(joined.names, ()))
        else:
            kept.append(joined)
    order = {name: number for number, name in enumerate(scope.variables)}
    kept.sort(key=lambda joined: min(order[variable] for variable, _ in joined.members))
    used = {name.name for name in named if name.grouped}
    keys = [_key_class(joined, pattern, strategy, scope, order, used) for joined in kept]
    return tuple(keys), tuple(returned)


def _attached(
    equality: Equality, loose: Sequence[Equality], classes: list[_Class], bound: frozenset[str], scope: NameScope
) -> bool:
    """Whether a class can express an equality that some matches lack: of an optional or negated variable, or `b[i-1]`.

    Such an equality must not connect other members through its variable, since a match without the variable does not
    require them to be equal. It must not connect the events of a closure with each other. And it must not make a key of
    an attribute that may be NULL: a match without the condition may have NULL there.
    """
    homes = {member: joined for joined in classes for member in joined.members}
    if all(member in homes for member in equality.members):
        same = len({id(homes[member]) for member in equality.members}) == 1
        if same:
            homes[equality.members[0]].equalities.append(equality)
        return same
    inner = [member for member in equality.members if member[0] in bound]
    outer = [member for member in equality.members if member[0] not in bound]
    further = {member for e in loose if set(outer) & set(e.members) for member in e.members} - set(equality.members)
    if len(inner) != 1 or further or any(member in homes for member in outer):
        return False
    home = homes.get(inner[0])
    if home is None:
        if (outer and scope.variables[inner[0][0]].kleene) or not _never_null(inner[0], scope):
            return False
        home = _Class({inner[0]: None})
        classes.append(home)
    home.members |= dict.fromkeys(outer)
    home.equalities.append(equality)
    return True


def _never_null(member: Member, scope: NameScope) -> bool:
    variable, attribute = member
    declared = scope.schema.attributes_of(scope.variables[variable].event_type).get(attribute)
    return declared is None or not declared.nullable


def _joined(named: Iterable[NamedClass], equalities: Iterable[Equality]) -> list[_Class]:
    classes: list[_Class] = []
    sources: list[NamedClass | Equality] = [*named, *equalities]
    for source in sources:
        members = dict.fromkeys(source.members)
        touched = [joined for joined in classes if joined.members.keys() & members.keys()]
        whole = _Class({})
        for joined in touched:
            whole.members |= joined.members
            whole.names += joined.names
            whole.equalities += joined.equalities
            classes.remove(joined)
        whole.members |= members
        if isinstance(source, NamedClass):
            whole.names.append(source)
        else:
            whole.equalities.append(source)
        classes.append(whole)
    return classes


def _tested_at_once(joined: _Class, pattern: Pattern, bound: frozenset[str], scope: NameScope) -> bool:
    """Whether a run that tests each equality with the last event that it mentions takes only events of one key.

    So it is if each member equals another that is surely bound before it, or all that may be, and if the events of a
    closure equal each other or a member before them. Of an AND each side has runs of its own.
    """
    if isinstance(pattern, Conjunction):
        return all(_tested_at_once(joined, side, bound, scope) for side in (pattern.left, pattern.right))
    equal: dict[Member, set[Member]] = {member: set() for member in joined.members}
    sources: list[NamedClass | Equality] = [*joined.names, *joined.equalities]
    for source in sources:
        for member in source.members:  # of `b[i].x = b[i-1].x`, and of `[x]`, a member equals itself
            is_between = isinstance(source, Equality) and len(source.members) > 1
            equal[member] |= set(source.members) - ({member} if is_between else set())
    units = dict(_bound_units(pattern))
    place = {variable: number for number, variable in enumerate(units)}
    members = [member for member in joined.members if member[0] in units]
    for member in members:
        mates = units[member[0]]
        earlier = [other for other in members if place[other[0]] < place[member[0]] and other[0] not in mates]
        surely = any(other in equal[member] for other in earlier if other[0] in bound)
        may_be = [*earlier, *(other for other in members if other[0] in mates)]
        each = not scope.variables[member[0]].kleene or member in equal[member]
        if not surely and not (each and all(other in equal[member] for other in may_be)):
            return False
    return True


def _bound_units(pattern: Pattern) -> Iterator[tuple[str, frozenset[str]]]:
    """Each variable that a match may bind, as written, and those that an ANY binds before it or after it."""
    match pattern:
        case Unit():
            yield pattern.variable, frozenset()
        case AnyOf():
            for unit in pattern.units:
                yield unit.variable, frozenset(other.variable for other in pattern.units) - {unit.variable}
        case Not():
            return
        case _:
            for part in parts_of(pattern):
                yield from _bound_units(part)


def _two_groups(joined: _Class) -> bool:
    return len({name.name for name in joined.names if name.grouped}) > 1


def _key_class(
    joined: _Class, pattern: Pattern, strategy: Strategy, scope: NameScope, order: dict[str, int], taken: set[str]
) -> KeyClass:
    members = tuple(sorted(joined.members, key=lambda member: (order[member[0]], member[1])))
    grouped = [name.name for name in joined.names if name.grouped]
    if grouped:
        name = grouped[0]
    else:
        base = joined.names[0].name if joined.names else members[0][1]
        name = next(n for k in range(1, 1 + len(taken) + 1) if (n := base if k == 1 else f"{base}_{k}") not in taken)
        taken.add(name)
    at = joined.names[0].at if joined.names else joined.equalities[0].condition.at
    return KeyClass(name, members, _type(members, scope), _slices(joined, pattern, strategy), at)


def _type(members: tuple[Member, ...], scope: NameScope) -> AttributeType:
    joint: AttributeType | None = None
    for variable, attribute in members:
        kind = scope.attribute_type(scope.variables[variable], attribute)
        assert kind is not None
        joint = kind if joint is None else common_type(joint, kind) or joint
    assert joint is not None
    return joint


def _slices(joined: _Class, pattern: Pattern, strategy: Strategy) -> bool:
    return slices(frozenset(variable for variable, _ in joined.members), pattern, strategy)


def slices(variables: frozenset[str], pattern: Pattern, strategy: Strategy) -> bool:
    """Whether a class of attributes of these variables binds a slicing variable (`docs/semantics.md` 6)."""
    if not _binds(pattern, variables):
        return False
    return strategy is Strategy.ANY or template_of_pattern(pattern).start <= variables


def _binds(pattern: Pattern, variables: frozenset[str]) -> bool:
    """Whether every match binds at least one of the variables through a positive, mandatory element."""
    match pattern:
        case Unit():
            return pattern.variable in variables
        case Seq():
            return any(_binds(element, variables) for element in pattern.elements)
        case Kleene():
            return pattern.least > 0 and _binds(pattern.body, variables)
        case Alternative():
            return all(_binds(option, variables) for option in pattern.options)
        case Conjunction():
            return _binds(pattern.left, variables) and _binds(pattern.right, variables)
        case AnyOf():
            outside = sum(unit.variable not in variables for unit in pattern.units)
            return outside < pattern.n
        case Not():
            return False


def _has(scope: NameScope, variable: str, attribute: str) -> bool:
    return scope.attribute_type(scope.variables[variable], attribute) is not None
