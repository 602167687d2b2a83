"""Random logs and their texts in all the forms that MonPoly reads."""

from __future__ import annotations

from hypothesis import strategies as st

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.signature import parse_signature
from cep_core.testing.logs import Event, log_of

SIGNATURE = "P(x: int) P(int, string)  Flight_no(:float, from: string)\nT() # nothing\nÜ(b: bool);"
SCHEMA = parse_signature(SIGNATURE)

INT64 = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.one_of(st.floats(allow_nan=False), st.sampled_from((1e300, 0.1, -0.0, 3.0)))
TEXTS = st.one_of(
    st.sampled_from(("", "a", "db1", "x-5/y:z.w!", "with blank", "(,;@#)", "two\nlines", "größe", "it's")),
    st.text(st.characters(blacklist_characters='"', blacklist_categories=("Cs",)), max_size=5),
)

events: st.SearchStrategy[Event] = st.one_of(
    st.tuples(st.just("P/1"), INT64),
    st.tuples(st.just("P/2"), st.integers(-9, 9), TEXTS),
    st.tuples(st.just("Flight_no"), FLOATS, TEXTS),
    st.tuples(st.just("T")),
    st.tuples(st.just("Ü"), st.integers(0, 1)),
)
steps = st.lists(st.tuples(st.sampled_from((0, 0, 1, 7, 2**40)), st.lists(events, max_size=4)), max_size=5)


@st.composite
def points(draw: st.DrawFn) -> list[tuple[int, list[Event]]]:
    """Stamps and events of points, with equal stamps, gaps and points without events."""
    stamp = draw(st.sampled_from((-(2**63), -5, 0, 1_500_000_000)))
    log = []
    for step, of_point in draw(steps):
        stamp += step
        log.append((stamp, of_point))
    return log


def _value(draw: st.DrawFn, value: object) -> str:
    text = repr(value) if isinstance(value, float) else str(value)
    is_bare = text and all(c not in ' (),;@"#<>{}' and ord(c) > 32 for c in text)
    return text if is_bare and draw(st.booleans()) else f'"{text}"'


@st.composite
def monpoly_text(draw: st.DrawFn, log: list[tuple[int, list[Event]]]) -> str:
    """The log with any blanks, comments, quotes; names repeated or not; points closed or not."""
    blank = st.sampled_from(("", " ", "\n", "\t  ", ' # (P @9 "\n'))
    word_end = st.sampled_from((" ", "\n", " #\r\n"))
    parts: list[str] = []
    for stamp, events in log:
        parts += [draw(blank), "@", draw(st.sampled_from(("", " "))), str(stamp), draw(word_end)]
        name = ""
        for event_type, *values in events:
            written = str(event_type).split("/")[0]
            if written != name or draw(st.booleans()):
                parts += [draw(word_end), written]
                name = written
                if not values and draw(st.booleans()):  # a bare name
                    parts.append(draw(word_end))
                    name = ""
                    continue
            inside = [piece for value in values for piece in (draw(blank), _value(draw, value), draw(blank), ",")][:-1]
            parts += [draw(blank), "(", *inside, ")"]
        parts += [draw(blank), draw(st.sampled_from((";", " ")))]
    return "".join(parts)


def as_lists(log: PointLog) -> object:
    """The log's stamps and events, comparable."""
    return log.stamps.tolist(), {
        name: (events.point.tolist(), {of: column.to_pylist() for of, column in events.columns.items()})
        for name, events in log.events.items()
    }


def expected(log: list[tuple[int, list[Event]]]) -> object:
    return as_lists(log_of(log, SCHEMA))
