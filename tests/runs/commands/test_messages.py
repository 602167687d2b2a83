"""The one line that an error leaves, from whatever Java or Python printed."""

from __future__ import annotations

import errno
import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.causes import cause
from jobs.exits import SourceMissing, exit_code, message
from jobs.signals import Terminated, terminable


class JavaError(Exception):
    """As Py4J's: its text is what Java prints."""

    java_exception = None


def trace(links: list[tuple[str, list[str]]]) -> str:
    """A stack trace as Java prints it, of exceptions from the outermost to the deepest."""
    lines = ["An error occurred while calling o70.sql."]
    for number, (kind, text) in enumerate(links):
        lines.append(f"{'Caused by' if number else ''}: {kind}: {text[0]}")
        lines += text[1:]
        lines += ["\tat java.base/java.lang.Thread.run(Thread.java:840)", "\tat scala.Option.foreach(Option.scala:437)"]
        lines += [f"\t... {number} more"] if number else []
    return "\n".join(lines)


words = (
    st.text("abcdefghijklmnopqrstuvwxyz ./[]_=", min_size=1, max_size=30)
    .map(str.strip)
    .filter(lambda text: text and not text.startswith("at "))
)
kinds = st.sampled_from(["java.io.IOException", "org.apache.spark.SparkException", "a.b.Inner$Failure"])


@given(st.lists(st.tuples(kinds, st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=6))
def test_the_deepest_cause_is_told_whole(links: list[tuple[str, list[str]]]) -> None:
    """Its class without the package, all lines of its message in one, and nothing of the stack."""
    text_shown = cause(JavaError(trace(links)))
    kind, text = links[-1]
    assert text_shown.startswith(f"{kind.rpartition('.')[2]}: {' '.join(text)}")
    assert "\n" not in text_shown
    assert "Thread.run" not in text_shown
    assert "An error occurred" not in text_shown


def test_the_file_is_that_of_the_nearest_exception_that_names_one() -> None:
    """A truncated commit: JSON's parser does not know which file it read."""
    links = [
        (
            "org.apache.spark.SparkException",
            ["[FAILED_READ_FILE.NO_HINT] while reading file file:///l/w/_delta_log/1.json."],
        ),
        (
            "org.apache.spark.SparkException",
            ["[MALFORMED_RECORD] Malformed records", "Parse Mode: FAILFAST.  SQLSTATE: 22023"],
        ),
        (
            "com.fasterxml.jackson.core.io.JsonEOFException",
            ["Unexpected end-of-input", " at [Source: REDACTED; line: 1]"],
        ),
    ]
    text = cause(JavaError(trace(links)))
    assert text.startswith(
        "JsonEOFException: Unexpected end-of-input (/l/w/_delta_log/1.json); `trendmill verify NAME`"
    )


def test_an_error_on_the_way_out_does_not_hide_the_first() -> None:
    """What fails while something is let go comes last, and is not the cause."""
    later = JavaError(trace([("java.lang.IllegalStateException", ["SparkContext was shut down"])]))
    later.__context__ = JavaError(trace([("java.io.IOException", ["No space left on device"])]))
    assert "No space left on device; make room" in cause(later)


@pytest.mark.parametrize(
    ("number", "remedy"),
    [(errno.ENOSPC, "make room on that disk"), (errno.EACCES, "the right to it"), (errno.ENOENT, "is gone")],
)
def test_an_error_of_the_system_names_its_file(number: int, remedy: str) -> None:
    """As Python raises it, without Java."""
    text = message(OSError(number, os.strerror(number), "/lake/w/_work/lease.json"))
    assert f"{os.strerror(number)} (/lake/w/_work/lease.json); " in text
    assert remedy in text


def terminate_and_fail() -> None:
    with terminable():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            raise ConnectionRefusedError


def test_an_interruption_is_one_whatever_fails_on_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGTERM is raised once where the program is; its code and message outlive what `finally` raises."""
    monkeypatch.setattr("jobs.signals.jvm", lambda: None)  # the other tests' JVM stays
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(ConnectionRefusedError) as caught:
        terminate_and_fail()
    assert signal.getsignal(signal.SIGTERM) == before
    assert exit_code(caught.value) == 143
    assert message(caught.value) == (
        "trendmill: ended by SIGTERM; tables hold whole days only, run the same command again"
    )
    assert (exit_code(KeyboardInterrupt()), exit_code(Terminated())) == (130, 143)


def test_an_expected_error_says_all_itself() -> None:
    """No cause is looked for behind it."""
    error = SourceMissing("weather", "w.csv")
    error.__cause__ = OSError(errno.ENOSPC, "No space")
    assert message(error) == f"trendmill: {error}"
