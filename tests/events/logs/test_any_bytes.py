"""Whatever bytes are read, the answer is a log or an error of logs, the same for any size of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.logs import dejavu, monpoly, rv_csv
from cep_core.events.logs.errors import LogError
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.reading.text_blocks import joined
from cep_core.events.schema import LogSchema
from tests.events.logs.written_logs import SCHEMA, as_lists

Stream = Callable[..., Iterator[PointLog]]
PIECES = [
    b"@", b"1", b"2", b" ", b"\n", b"\r", b"P", b"P(1)", b"P,1", b"T", b"(", b")", b",", b";", b'"', b"#", b">a<", b"=",
    b", tp=", b", ts=", b"0", b"x=1", b"\xc3\x9c", b"\xff", b"-", b"9223372036854775808", b"@1 ", b"T, tp=0, ts=1\n",
]  # fmt: skip


def _answer(stream: Stream, text: bytes, schema: LogSchema, block: int) -> object:
    try:
        return as_lists(joined(list(stream(text, schema, block=block))))
    except LogError as error:
        return type(error), error.message, error.line


@pytest.mark.parametrize(
    "stream",
    [monpoly.stream, dejavu.stream, partial(dejavu.stream, timed=True), rv_csv.stream],
    ids=["monpoly", "dejavu", "timed", "rv"],
)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join) | st.binary(max_size=30), st.integers(1, 40))
def test_any_bytes_are_a_log_or_a_fault(stream: Stream, text: bytes, block: int) -> None:
    answer = _answer(stream, text, SCHEMA, 1 << 20)
    assert _answer(stream, text, SCHEMA, block) == answer
