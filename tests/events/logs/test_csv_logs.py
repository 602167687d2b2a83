"""DejaVu's traces and the CSV of the competition on runtime verification; three texts of one log."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs import dejavu, monpoly, rv_csv
from cep_core.events.logs.errors import LogError, SignatureBreak, TimeStepsBack
from cep_core.events.logs.reading.text_blocks import joined
from cep_core.events.logs.signature import parse_signature
from cep_core.testing.logs import Event
from tests.events.logs.written_logs import SCHEMA, as_lists, events, expected, monpoly_text, points

NAMED = parse_signature("P(x: int, y: string) T() Q(int)")
ENDS = st.sampled_from(("\n", "\r\n", " \n", "\n\n"))


def _field(draw: st.DrawFn, value: object) -> str:
    text = repr(value) if isinstance(value, float) else str(value)
    if text == text.strip() and not any(c in text for c in ',"\n\r\t') and text and draw(st.booleans()):
        return text
    return '"' + text.replace('"', '""') + '"'


@st.composite
def lines(draw: st.DrawFn, log: list[tuple[int, list[Event]]], form: str) -> str:
    """The log with one event a line."""
    text = ""
    for point, (stamp, of_point) in enumerate(log):
        for event_type, *values in of_point:
            written = [_field(draw, value) for value in values]
            fields = [str(event_type).split("/")[0], *written]
            if form == "rv":
                keyed = [f"x{i} = {value}" if draw(st.booleans()) else f"x={value}" for i, value in enumerate(written)]
                fields = [fields[0], f"tp={3 * point}", f"ts={stamp}", *keyed]
            elif form == "timed":
                fields.append(str(stamp))
            text += draw(st.sampled_from((",", ", ", " ,"))).join(fields) + draw(ENDS)
    return text


POSITIONAL = parse_signature("P(int) P(int, string) Flight_no(float, string) T() Ü(bool)")
LONG_TEXTS = st.text(st.characters(blacklist_categories=("Cs",)), max_size=5)


@given(st.data(), points())
def test_three_texts_of_one_log(data: st.DataObject, log: list[tuple[int, list[Event]]]) -> None:
    """One log as MonPoly writes it, with `tp` in every line, and, an event a point, as DejaVu writes it."""
    log = [(stamp, events) for stamp, events in log if events]
    size = data.draw(st.integers(5, 60))
    if data.draw(st.booleans()):
        wanted = as_lists(monpoly.read(data.draw(monpoly_text(log)), POSITIONAL))
        text = data.draw(lines(log, "rv"))
        assert as_lists(rv_csv.read(text, POSITIONAL)) == wanted
        assert as_lists(joined(list(rv_csv.stream(text, POSITIONAL, block=size)))) == wanted
    else:
        linear = [(stamp, [event]) for stamp, events in log for event in events]
        wanted = as_lists(monpoly.read(data.draw(monpoly_text(linear)), POSITIONAL))
        assert as_lists(rv_csv.read(data.draw(lines(linear, "rv")), POSITIONAL)) == wanted
        text = data.draw(lines(linear, "timed"))
        assert as_lists(dejavu.read(text, POSITIONAL, timed=True)) == wanted
        assert as_lists(joined(list(dejavu.stream(text, POSITIONAL, timed=True, block=size)))) == wanted


@given(st.data(), st.lists(events, max_size=6))
def test_an_untimed_trace_has_stamps_of_0(data: st.DataObject, events: list[Event]) -> None:
    log = [(0, [event]) for event in events]
    assert as_lists(dejavu.read(data.draw(lines(log, "")), SCHEMA)) == expected(log)


@given(LONG_TEXTS)
def test_doubled_quotes_stand_for_one(text: str) -> None:
    """Any text can be a field."""
    line = f'P,1,"{text.replace(chr(34), chr(34) * 2)}"'
    assert dejavu.read(line, NAMED).events["P"].columns["y"].to_pylist() == [text]


def test_arguments_are_found_by_name() -> None:
    log = rv_csv.read('P, tp=0, ts=5, y=a=b, x=1\nQ, tp=0, ts=5, any=2\nP, tp=2, ts=5, x=3, y = "c, d"', NAMED)
    assert as_lists(log) == (
        [5, 5],
        {"P": ([0, 1], {"x": [1, 3], "y": ["a=b", "c, d"]}), "Q": ([0], {"1": [2]})},
    )


@pytest.mark.parametrize("read", [dejavu.read, rv_csv.read])
@pytest.mark.parametrize("text", ["", "\n \r\n"])
def test_an_empty_log_has_no_points(read: object, text: str) -> None:
    assert callable(read)
    assert as_lists(read(text, NAMED)) == ([], {})


@pytest.mark.parametrize(
    ("text", "kind", "line", "message"),
    [
        ("P,1,a\nR,2", SignatureBreak, 2, "no event type 'R'"),
        ("P,1\n", SignatureBreak, 1, "'P' with 1 arguments: the signature has 2"),
        ("P,1,a\n\nP,b,c", SignatureBreak, 3, "'b' is no int: argument 1 of 'P'"),
        ('P,1,"a\nT', LogError, 1, "ends within a quoted field"),
        ('P,1,"a"b\nT', LogError, 1, "unexpected 'b'"),
    ],
)
def test_faults_of_a_trace(text: str, kind: type[LogError], line: int, message: str) -> None:
    for size in (1, 1000):
        with pytest.raises(LogError) as caught:
            list(dejavu.stream(text, NAMED, block=size))
        assert type(caught.value) is kind
        assert message in caught.value.message
        assert caught.value.line == line
    assert caught.value.text == text.splitlines()[line - 1]


def test_stamps_of_a_trace() -> None:
    with pytest.raises(TimeStepsBack, match="2: a stamp before 5"):
        dejavu.read("T,5\nT,4", NAMED, timed=True)
    with pytest.raises(LogError, match="a stamp is needed as last field"):
        dejavu.read("P,1,a\nT", NAMED, timed=True)
    with pytest.raises(SignatureBreak, match="'T' with 1 arguments"):
        dejavu.read("T,5", NAMED)


@pytest.mark.parametrize(
    ("text", "kind", "line", "message"),
    [
        ("T, tp=0, ts=1\nR, tp=1, ts=1", SignatureBreak, 2, "no event type 'R'"),
        ("P, tp=0, ts=1, x=1", SignatureBreak, 1, "'P' with 1 arguments"),
        ("T, tp=0, ts=1\nP, tp=1, ts=1, x=1, z=a", SignatureBreak, 2, "argument 'y' of 'P' is missing"),
        ("P, tp=0, ts=1, x=a, y=a", SignatureBreak, 1, "'a' is no int"),
        ("T, tp=0, ts=2\nT, tp=1, ts=1", TimeStepsBack, 2, "a stamp before 2"),
        ("T, tp=0, ts=2\nT, tp=0, ts=3", LogError, 2, "a time-point with two stamps"),
        ("T, tp=1, ts=2\nT, tp=2, ts=2\nT, tp=1, ts=2", LogError, 3, "'tp=' with a whole number, not below"),
        ("T, ts=2, tp=1", LogError, 1, "'tp='"),
        ("T, tp=1", LogError, 1, "'tp='"),
        ("T, 1, 2", LogError, 1, "unexpected '1'"),
        ("T, tp=1, ts=x", LogError, 1, "a stamp is needed after ts="),
    ],
)
def test_faults_of_competition_logs(text: str, kind: type[LogError], line: int, message: str) -> None:
    for size in (1, 1000):
        with pytest.raises(LogError) as caught:
            list(rv_csv.stream(text, NAMED, block=size))
        assert type(caught.value) is kind
        assert message in caught.value.message
        assert caught.value.line == line
    assert caught.value.text == text.splitlines()[line - 1]
