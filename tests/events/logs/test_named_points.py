"""Logs of lines `@ts name name ...`: what is read, in any blocks, and what is refused with its line."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs.errors import LogError, TimeStepsBack
from cep_core.events.logs.named_points import NamedPointReader

LOG = "@0 p1 p2\n\n@0 p0\tp2\r\n@1\n  @4 p0 other p1\n@4 p0_ p00 é-1:a/b.c p0"


def points(source: str | bytes, *, size: int = 1 << 20, skip_bad: bool = False) -> list[tuple[int, str]]:
    """Stamp and the wanted names of each point."""
    names = ["p0", "p1", "p2", "é-1:a/b.c"]
    reader = NamedPointReader(source, names, skip_bad=skip_bad)
    return [
        (stamp, " ".join(name for name in names if atoms[name][point]))
        for stamps, atoms in reader.blocks(size)
        for point, stamp in enumerate(stamps.tolist())
    ]


def test_each_line_is_a_point() -> None:
    assert points(LOG) == [(0, "p1 p2"), (0, "p0 p2"), (1, ""), (4, "p0 p1"), (4, "p0 é-1:a/b.c")]


@given(size=st.integers(1, 40))
def test_blocks_of_any_size_give_the_same_points(size: int) -> None:
    assert points(LOG, size=size) == points(LOG)


def test_stamps_have_64_bits() -> None:
    ends = "@-9223372036854775808\n@-0\n@0009223372036854775807"
    assert [stamp for stamp, _ in points(ends)] == [-(2**63), 0, 2**63 - 1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("@2 p0", "a stamp before 3, the one before it: time steps back"),
        ("p0", "a line begins with @ and the stamp of its time-point"),
        ("@ p0", "'@' is no stamp: @ and a whole number of 64 bits are expected"),
        ("@3.5 p0", "'@3.5' is no stamp: @ and a whole number of 64 bits are expected"),
        ("@9223372036854775808", "'@9223372036854775808' is no stamp: @ and a whole number of 64 bits are expected"),
        ("@-9223372036854775809", "'@-9223372036854775809' is no stamp: @ and a whole number of 64 bits are expected"),
        ("@18446744073709551617", "'@18446744073709551617' is no stamp: @ and a whole number of 64 bits are expected"),
        ("@4 p0(3)", "unexpected '(': names of atoms are expected, with blanks between them"),
        ("@4 p0 \xff", "bytes that are no text: UTF-8 is expected"),
        ("@4 p0 \xed\xa0\x80", "bytes that are no text: UTF-8 is expected"),
    ],
)
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_what_is_no_point_is_told_with_its_line(line: str, message: str, size: int) -> None:
    text = b"@1 p1\n@3 p0\n" + line.encode("latin1") + b"\n@9 p2\n"
    reader = NamedPointReader(text, ["p0"])
    blocks = []
    with pytest.raises(LogError) as caught:
        blocks.extend(reader.blocks(size))
    assert (caught.value.line, caught.value.message) == (3, message)
    assert caught.value.text == line.encode("latin1").decode(errors="replace")
    assert [stamp for stamps, _ in blocks for stamp in stamps.tolist()] == [1, 3]
    assert points(text, size=size, skip_bad=True) == [(1, "p1"), (3, "p0"), (9, "p2")]


def test_lines_that_are_left_out_are_counted() -> None:
    reader = NamedPointReader(io.BytesIO(b"@3 p\n@1\nx\n@4 p ((\n@5 p\n"), ["p"], skip_bad=True)
    assert [(stamps.tolist(), atoms["p"].tolist()) for stamps, atoms in reader.blocks()] == [([3, 5], [True, True])]
    assert reader.skipped == 3


def test_time_that_steps_back_has_an_error_of_its_own() -> None:
    with pytest.raises(TimeStepsBack):
        points("@3\n@1\n", size=1)


@given(text=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    try:
        points(text)
    except LogError as error:
        line = error.line
    else:
        line = 1
    assert 1 <= line <= text.count(b"\n") + 1
    points(text, skip_bad=True)
