"""`a.x < b.x` is an edge predicate exactly where a and b are neighbours in every match that binds both."""

from __future__ import annotations

from itertools import product

from hypothesis import assume, given
from hypothesis import strategies as st

from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.bind.inference import schema_mentioned_by
from cep_core.language.patterns.bind.naming import may_be_empty
from cep_core.language.patterns.text.parsing import parse
from cep_core.language.patterns.text.printing import print_pattern
from cep_core.language.patterns.tree import Alternative, Kleene, Pattern, Sequence, Unit
from cep_core.language.patterns.walk import map_units
from tests.language.strategies import AT

Word = tuple[str, ...]


@st.composite
def _patterns(draw: st.DrawFn) -> Pattern:
    """Patterns of SEQ, OR, `+`, `*`, `?` over units v0, v1, ..., all of them different."""

    def larger(smaller: st.SearchStrategy[Pattern]) -> st.SearchStrategy[Pattern]:
        listed = st.lists(smaller, min_size=2, max_size=3).map(tuple)
        bounds = st.sampled_from(((1, None), (0, None), (0, 1)))
        return st.one_of(
            st.builds(Sequence, listed, st.just(AT)),
            st.builds(Sequence, listed, st.just(AT)),
            st.builds(Alternative, listed, st.just(AT)),
            st.tuples(smaller, bounds).map(lambda parts: Kleene(parts[0], *parts[1], AT)),
        )

    shape = draw(st.recursive(st.builds(Unit, st.just("T"), st.just(""), st.just(AT)), larger, max_leaves=5))
    numbers = iter(range(100))
    return map_units(shape, lambda unit: Unit("T", f"v{next(numbers)}", AT))


@given(_patterns())
def test_edge_predicates_between_different_variables(pattern: Pattern) -> None:
    """Plain variables, a list's first event and its last: the definition by enumeration decides."""
    assume(not may_be_empty(pattern))
    words = _words(pattern)
    text = print_pattern(pattern)
    variables = bind(f"PATTERN {text} WITHIN 5", schema_mentioned_by(parse(f"PATTERN {text} WITHIN 5"))).variables
    for source_variable, target_variable in product(variables, variables):
        if source_variable.name == target_variable.name or not any(
            source_variable.name in word and target_variable.name in word for word in words
        ):
            continue
        source = f"{source_variable.name}[last].x" if source_variable.kleene else f"{source_variable.name}.x"
        target = f"{target_variable.name}[1].x" if target_variable.kleene else f"{target_variable.name}.x"
        asked = f"PATTERN {text} WHERE {source} < {target} WITHIN 5"
        query = bind(asked, schema_mentioned_by(parse(asked)))
        forward = bool(query.edge_predicates) and query.edge_predicates[0].source == source_variable.name
        assert forward == all(_follows(word, source_variable.name, target_variable.name) for word in words), asked


def _follows(word: Word, source: str, target: str) -> bool:
    """Whether the first target stands right behind the last source, if the word has both."""
    if source not in word or target not in word:
        return True
    last = len(word) - 1 - word[::-1].index(source)
    return word.index(target) == last + 1


def _words(pattern: Pattern) -> set[Word]:
    """Which variables a match may bind in turn; closures are repeated up to three times."""
    match pattern:
        case Unit():
            return {(pattern.variable,)}
        case Sequence():
            words: set[Word] = {()}
            for element in pattern.elements:
                words = {word + following for word in words for following in _words(element)}
            return words
        case Alternative():
            return set().union(*(_words(option) for option in pattern.options))
        case Kleene():
            body = _words(pattern.body)
            most = 3 if pattern.most is None else pattern.most
            times = range(pattern.least, most + 1)
            return {sum(chosen, ()) for n in times for chosen in product(body, repeat=n) if len(body) ** n <= 4000}
    raise AssertionError(pattern)
