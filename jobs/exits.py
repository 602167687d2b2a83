"""The ways in which a run can end: errors that a person can correct, with exit code and message.

0: ok. 2: a workload, query or header must be corrected. 3: the quality gate refused a day. 4: `trendmill monitor
--fail` found a violation. 130: Ctrl-C. 143: SIGTERM. 1: anything else. Airflow does not retry after 2 and 3, so an
error has these codes only if trying again cannot help (docs/operations.md).

A scheduler's programs (not `trendmill`) end with 5 if another run holds the lake: it looks again a minute later.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path

from cep_core.language.budget import WorkExhausted
from cep_core.language.errors import QueryError
from jobs.causes import cause
from jobs.signals import Terminated, interruption

OK = 0
FAILED = 1
WRONG_WORKLOAD = 2
GATE = 3
VIOLATED = 4
BUSY = 5
INTERRUPTED = 130
TERMINATED = 143

FINAL = frozenset({WRONG_WORKLOAD, GATE})
"""Codes after which trying again cannot help: a person must correct something first."""


class RunError(Exception):
    """An error with a message for a person; `code` is the process's exit code."""

    code = FAILED


class WrongWorkload(RunError):
    """The workload, a query or a source's header is wrong, and a person must edit it."""

    code = WRONG_WORKLOAD


class GateFailure(RunError):
    """Days that the quality gate refused, with the first reason for each. Their published tables did not change."""

    code = GATE

    def __init__(self, reasons: Mapping[date, str]) -> None:
        self.reasons = dict(sorted(reasons.items()))
        days = "; ".join(f"{day}: {reason}" for day, reason in self.reasons.items())
        super().__init__(f"quality gate failed on {len(self.reasons)} day(s), which keep their former tables: {days}")


class SourceMissing(RunError):
    """A source that must exist is absent; nothing was written.

    >>> str(SourceMissing("flights", "data/flights.csv"))
    "source missing: 'flights' (data/flights.csv) must exist; nothing was written"
    """

    def __init__(self, source: str, path: Path | str) -> None:
        super().__init__(f"source missing: '{source}' ({path}) must exist; nothing was written")


class UnreadableSource(RunError):
    """A source that cannot be read, with the file and the byte.

    >>> str(UnreadableSource("data/w.csv.gz", "the gzip stream ends early", offset=512))
    'cannot read data/w.csv.gz at byte 512: the gzip stream ends early; nothing was written'
    """

    def __init__(self, path: Path | str, reason: str, offset: int | None = None) -> None:
        where = "" if offset is None else f" at byte {offset}"
        super().__init__(f"cannot read {path}{where}: {reason}; nothing was written")


class WrongHeader(WrongWorkload):
    """A source whose header differs from its declaration."""


class SchemaChanged(WrongWorkload):
    """A query whose columns are not those of its table; the message ends with the command that rebuilds it."""


class LeaseHeld(RunError):
    """Another run holds the lake; the message names it. `note`: what is odd about its lease, if anything."""

    def __init__(self, holder: str, expires: datetime | None = None, note: str = "") -> None:
        self.holder = holder
        ends = f", whose lease ends at {expires:%Y-%m-%d %H:%M:%S}Z unless renewed" if expires else ""
        super().__init__(f"the lake is in use by {holder}{ends}{f' ({note})' if note else ''}")


class LeaseLost(RunError):
    """The run's lease ended, or another run took the lake. This run writes nothing more."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the lake's lease is lost: {reason}; this run writes nothing more, what it wrote before stays; "
            "run it again when the lake is free"
        )


class LeaseUnreadable(RunError):
    """The lease's file cannot be understood, so it is unknown which run holds the lake.

    >>> str(LeaseUnreadable("lake/w/_work/lease.json", "it is empty"))
    'cannot read lake/w/_work/lease.json: it is empty; if no run of the workload is at work, remove the file'
    """

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"cannot read {path}: {reason}; if no run of the workload is at work, remove the file")


def exit_code(error: BaseException) -> int:
    """The process's exit code for an error.

    >>> exit_code(GateFailure({})), exit_code(OSError("disk full")), exit_code(KeyboardInterrupt())
    (3, 1, 130)
    """
    if (interrupted := interruption(error)) is not None:
        return TERMINATED if isinstance(interrupted, Terminated) else INTERRUPTED
    if isinstance(error, RunError):
        return error.code
    return WRONG_WORKLOAD if isinstance(error, QueryError) else FAILED


def task_code(error: BaseException) -> int:
    """The exit code of a program that a scheduler started, which waits for the lake by looking again.

    >>> task_code(LeaseHeld("run 7")), exit_code(LeaseHeld("run 7"))
    (5, 1)
    """
    return BUSY if isinstance(error, LeaseHeld) else exit_code(error)


def is_expected(error: BaseException) -> bool:
    """Whether the error's own message says enough. Other errors are printed with a traceback."""
    return isinstance(error, RunError | QueryError | WorkExhausted) or interruption(error) is not None


def message(error: BaseException) -> str:
    """The text to print for an error: one clear message, with several lines only if the error itself has several.

    For an unexpected error, whose traceback has been printed: the deepest cause, the file, and what to do.

    >>> message(SourceMissing("weather", "w.csv"))
    "trendmill: source missing: 'weather' (w.csv) must exist; nothing was written"
    """
    if (interrupted := interruption(error)) is not None:
        how = "ended by SIGTERM" if isinstance(interrupted, Terminated) else "interrupted"
        return f"trendmill: {how}; tables hold whole days only, run the same command again"
    if isinstance(error, WorkExhausted):
        hint = "a shorter window, conditions on single events or neighbours, or a larger budget may help"
        return f"trendmill: {error}; {hint}"
    if is_expected(error):
        return f"trendmill: {str(error).strip() or type(error).__name__}"
    return f"trendmill: {cause(error)}"
