"""MonPoly's logs: every odd form, blocks of any size, faults with line and text."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs import monpoly
from cep_core.events.logs.errors import LogError, SignatureBreak, TimeStepsBack
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.reading.text_blocks import joined
from cep_core.events.logs.signature import parse_signature
from cep_core.testing.logs import Event, log_of
from tests.events.logs.written_logs import SCHEMA, as_lists, expected, monpoly_text, points


@given(st.data(), points())
def test_any_form_of_a_log_is_read(data: st.DataObject, log: list[tuple[int, list[Event]]]) -> None:
    """Whole, and in blocks that begin anywhere in the text."""
    text = data.draw(monpoly_text(log))
    assert as_lists(monpoly.read(text, SCHEMA)) == expected(log)
    blocks = list(monpoly.stream(text.encode(), SCHEMA, block=data.draw(st.integers(1, 60))))
    assert all(block.points for block in blocks)
    assert as_lists(joined(blocks)) == expected(log)


@pytest.mark.parametrize("text", ["", "  \n", "# nothing", "@", "@x"])
def test_an_empty_log_has_no_points(text: str) -> None:
    if text.startswith("@"):
        with pytest.raises(LogError, match="a stamp is needed"):
            monpoly.read(text, SCHEMA)
    else:
        assert as_lists(monpoly.read(text, SCHEMA)) == ([], {})


def test_odd_forms() -> None:
    log = monpoly.read("@0 T\n@0 T() ()T;\n@1 ;@1\n@2 P(3)(4)\n  P(5) P (6, a)", SCHEMA)
    events: list[tuple[int, list[Event]]] = [(0, [("T",)]), (0, [("T",)] * 3), (1, []), (1, [])]
    assert as_lists(log) == expected([*events, (2, [("P/1", 3), ("P/1", 4), ("P/1", 5), ("P/2", 6, "a")])])


@pytest.mark.parametrize(
    ("text", "kind", "line", "message"),
    [
        ("@1 P(1)\n@2 Q(1);", SignatureBreak, 2, "no event type 'Q'; it has Flight_no, P, T"),
        ("@1 P(1)\n\n P(1,2,3);", SignatureBreak, 3, "'P' with 3 arguments: the signature has 1 or 2"),
        ("@1 T P T", SignatureBreak, 1, "'P' with 0 arguments"),
        ("@1 P(1) @2 P(x) @3 P(y)", SignatureBreak, 1, "'x' is no int: argument 1 of 'P/1'"),
        ("@1 P(9223372036854775808)", SignatureBreak, 1, "is no int"),
        ("@1 P(1.0)", SignatureBreak, 1, "'1.0' is no int"),
        ('@1 P("")', SignatureBreak, 1, "'' is no int"),
        ("@1 Flight_no(1,a)(x1,b)", SignatureBreak, 1, "'x1' is no float: argument 1 of 'Flight_no'"),
        ("@1 Ü(2)", SignatureBreak, 1, "'2' is no bool"),
        ("@5 T;\n@5 T;\n@4 T;\n@3 T", TimeStepsBack, 3, "a stamp before 5, the one before it: time steps back"),
        ("@1.5 T", LogError, 1, "a stamp is needed"),
        ("@99999999999999999999", LogError, 1, "a stamp is needed"),
        ("T @1", LogError, 1, "'T' stands before a time-point"),
        ("@1 T; T", LogError, 1, "'T' stands before a time-point"),
        ("@1 T;\n>save_state file<", LogError, 2, "'>save_state': commands to MonPoly are not supported"),
        ("@1 P(1", LogError, 1, "ends within an event"),
        ('@1 P(1,"a)', LogError, 1, "ends within an event"),
        ("@1 P(1,,2)", LogError, 1, "unexpected ','"),
        ("@1 P(1 2)", LogError, 1, "unexpected '2'"),
        ("@1 (1)", LogError, 1, "unexpected '('"),
        ("@1 T;;", LogError, 1, "unexpected ';'"),
        ("@1 P(1, {a})", LogError, 1, "unexpected '{'"),
        # the first fault counts, whichever is found first
        ("@1 P(x)\n@0 Q(1)", SignatureBreak, 1, "'x' is no int"),
        ("@1 P(1, b)(c) P(d, b)", SignatureBreak, 1, "'c' is no int"),
    ],
)
def test_faults(text: str, kind: type[LogError], line: int, message: str) -> None:
    with pytest.raises(LogError) as caught:
        monpoly.read(text, SCHEMA)
    assert type(caught.value) is kind
    assert message in caught.value.message
    assert (caught.value.line, caught.value.text) == (line, text.splitlines()[line - 1])
    for size in (1, 3, 10):
        with pytest.raises(kind) as again:
            list(monpoly.stream(text.encode(), SCHEMA, block=size))
        assert (again.value.message, again.value.line) == (caught.value.message, line)
        assert text.splitlines()[line - 1].startswith(again.value.text)


@pytest.mark.parametrize("fault", ["P(x)", "Q", "@0", "P(1,2,3)", "("])
def test_points_before_a_fault_are_given(fault: str, tmp_path: Path) -> None:
    path = tmp_path / "day.log"
    path.write_text(f"@1 T;\n@2 P(7);\n@3 {fault} T\n@4 T")
    blocks: list[PointLog] = []
    with pytest.raises(LogError) as caught:
        blocks.extend(monpoly.stream(path, SCHEMA))
    events: list[tuple[int, list[Event]]] = [(1, [("T",)]), (2, [("P/1", 7)])]
    assert as_lists(joined(blocks))[0][:2] == [1, 2]  # type: ignore[index]
    if fault != "@0":
        assert as_lists(joined(blocks)) == expected(events)
    assert str(caught.value).startswith(f"{path}:3: ")


def test_a_point_is_given_as_soon_as_it_ends() -> None:
    """A writer may pause: what it has closed is read while the pipe stays open."""
    reading, writing = os.pipe()
    with open(reading, "rb") as source, open(writing, "wb", buffering=0) as sink:
        blocks = monpoly.stream(source, SCHEMA)
        sink.write(b"@1 T; @2 P(1)")
        assert as_lists(next(blocks)) == expected([(1, [("T",)])])
        sink.write(b"(2) @2")
        assert as_lists(next(blocks)) == expected([(2, [("P/1", 1), ("P/1", 2)])])
        sink.write(b" T")
        threading.Timer(0.01, sink.close).start()
        assert as_lists(next(blocks)) == expected([(2, [("T",)])])
        assert list(blocks) == []


def test_a_point_may_be_longer_than_a_block() -> None:
    schema = parse_signature("P(int) T()")
    log = monpoly.read("@1 " + " ".join(f"P({i})" for i in range(3000)) + " T" * 3000, schema)
    assert as_lists(log) == as_lists(log_of([(1, [("P", i) for i in range(3000)] + [("T",)] * 3000)], schema))
    blocks = list(monpoly.stream(b"@1 T" + b" T" * 3000 + b"@2 T;" * 3000, schema, block=64))
    assert joined(blocks).points == 3001


def test_of_a_long_line_the_part_around_the_fault_is_shown() -> None:
    with pytest.raises(SignatureBreak) as caught:
        monpoly.read("@1" + " P(7)" * 5000 + " P(x)" + " P(8)" * 5000, SCHEMA)
    shown = str(caught.value).splitlines()[1]
    assert shown.startswith("    ...")
    assert shown.endswith("...")
    assert "P(7) P(x) P(8)" in shown


def test_many_event_types() -> None:
    names = [f"type{i}" for i in range(300)]
    schema = parse_signature(" ".join(f"{name}(int)" for name in names))
    log = monpoly.read("".join(f"@{i} {name}({i});" for i, name in enumerate(names)), schema)
    assert as_lists(log) == as_lists(log_of([(i, [(name, i)]) for i, name in enumerate(names)], schema))


def test_text_that_is_no_utf8_is_a_fault() -> None:
    with pytest.raises(SignatureBreak, match="is no string"):
        monpoly.read(b"@1 P(1,\xff\xfe)", SCHEMA)
