"""`trendmill monitor` of an `.mtl` policy: a text log of named points, or a table, and what the engine tells of it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import pyarrow as pa

from cep_core.compile import parse_text
from cep_core.events.logs.time_points import POINT
from cep_core.events.schema import LogSchema, NamedCondition
from cep_core.language.explanation import Explanation
from cep_core.language.propositional.bind.assumed_schema import schema_mentioned_by
from cep_core.language.propositional.propositional_language import PROPOSITIONAL
from cep_core.progress.meter import Meter
from cep_core.propositional_on_log import PropositionalOnLog, propositional_policy_of
from cep_core.stream_settings import StreamSettings, Tally
from jobs.exits import WrongWorkload
from jobs.log_files.arguments import query_text, reading_of, refuse_options_of_tables
from jobs.log_files.log import Wanted, read_log
from jobs.log_files.monitored.opening import STANDARD_INPUT, TABLES
from jobs.log_files.monitored.text_log import open_text
from jobs.log_files.reading.named_files import form_suffix
from jobs.log_files.remarks import remark
from jobs.log_files.times.log_clock import LogClock

if TYPE_CHECKING:
    from cep_core.monitoring.shared.why.verdict_causes import Causes

_NO_EVENTS = pa.table({"event_type": pa.array([], pa.string()), "ts": pa.array([], pa.int64())})
_NOT_FOR_TRUTHS = (("sig", "--sig"), ("no_rewrite", "--no-rewrite"), ("negate", "--negate"))


class AskedTruths:
    """A propositional policy and the log of a command line."""

    def __init__(self, options: argparse.Namespace, meter: Meter) -> None:
        _refuse(options)
        self._options = options
        self._meter = meter
        self._settings = StreamSettings(
            options.mode or "local",
            options.resolved or options.form == "hydra",
            options.end,
            options.points,
            options.for_each,
            options.skip_bad is not None,
            with_causes=options.why is not None or options.why_not is not None,
            at_once=options.log == STANDARD_INPUT,
        )
        query_text(options.query)
        self._conditions = _named_conditions(options.atom)
        self.clock = LogClock(None)
        self._asked = self._of_log() if options.log is not None else self._explained()
        if options.form and self._asked.policy.for_each:
            raise WrongWorkload(
                f"--as {options.form} has no place for sub-logs: --csv and --json have a column for each"
            )

    @property
    def tally(self) -> Tally:
        """What was seen and told."""
        return self._asked.tally

    def stream(self) -> pa.RecordBatchReader:
        """The verdicts as they become known."""
        mode = self._asked.monitor.mode
        if mode != self._settings.mode:
            remark(f"mode {mode}: an UNTIL without upper bound may stay open for ever")
        return self._asked.stream()

    def explain(self) -> Explanation:
        """How the policy is understood, and how it is monitored while a log is read."""
        return self._asked.explain()

    def causes(self, at: tuple[int, int], valuation: Mapping[str, int | float | str]) -> Causes:
        """Why the policy is violated, or is not, at (ts, offset) of the sub-log of some values."""
        return self._asked.causes(at, valuation)

    def causes_of_verdict(self, row: Sequence[int | float | str]) -> Causes:
        """The causes of a violation, whose values are in the order of the columns."""
        return self._asked.causes_of_verdict(row)

    def _explained(self) -> PropositionalOnLog:
        if self._conditions:
            raise WrongWorkload("--atom: without a log the types of its attributes are unknown; name the log, too")
        return PropositionalOnLog(self._options.query, _NO_EVENTS, self._settings, self._of_names())

    def _of_names(self) -> LogSchema:
        """The schema of a log in which every name may be an atom; its times are in the unit that the user says."""
        written = parse_text(query_text(self._options.query), str(self._options.query), PROPOSITIONAL).written
        written = replace(written, for_each=tuple(self._options.for_each or written.for_each))
        return replace(schema_mentioned_by(written), unit=self._options.unit or "s")

    def _of_log(self) -> PropositionalOnLog:
        options = self._options
        if not self._is_table():
            refuse_options_of_tables(options)
            is_input = options.log == STANDARD_INPUT
            source = cast(BinaryIO, sys.stdin.buffer) if is_input else open_text(options.log, self._meter)
            if self._conditions:
                raise WrongWorkload("--atom: the atoms of a text log are its names, which have no attributes")
            try:
                return PropositionalOnLog(options.query, source, self._settings, self._of_names())
            except ValueError as error:
                raise WrongWorkload(f"{options.query}: {error}") from error
        log = read_log(options.logs, self._wanted(), reading_of(options), self._tick)
        remark(*log.notes)
        if taken := sorted(self._conditions.keys() & log.schema.types.keys()):
            raise WrongWorkload(f"--atom: '{taken[0]}' is an event type, which is an atom already")
        self.clock = log.clock
        try:
            return PropositionalOnLog(options.query, log.events, self._settings, self._with_conditions(log.schema))
        except ValueError as error:
            raise WrongWorkload(str(error)) from error

    def _is_table(self) -> bool:
        """Whether the log is a table: as the user says, else unless its text begins with @."""
        options = self._options
        if options.log == STANDARD_INPUT:
            return options.format in TABLES
        if options.format is not None:
            return options.format in TABLES
        with open_text(options.log, Meter()) as file:
            begin = file.read(1 << 16).lstrip()
        if not begin.startswith(b"@") and (self._conditions or options.for_each):
            return True
        return bool(begin) and not begin.startswith(b"@") and form_suffix(options.log) not in ("", ".log", ".txt")

    def _tick(self, done: int, total: int) -> None:
        self._meter.tell("reading", done, total)

    def _wanted(self) -> Wanted:
        """What the policy wants of a table. Raises QueryError."""
        written = parse_text(query_text(self._options.query), str(self._options.query), PROPOSITIONAL)
        types = dict(written.mentioned.types)
        for name, condition in self._conditions.items():
            if name in types:
                types[condition.event_type] = types.pop(name)
        settings = self._settings
        for_each = written.written.for_each if settings.for_each is None else settings.for_each
        own = (for_each,) if isinstance(for_each, str) else tuple(for_each)
        columns = () if settings.points in ("by_timestamp", "by_event") else (settings.points,)

        def fits(schema: LogSchema) -> object:
            return propositional_policy_of(self._options.query, _NO_EVENTS, settings, self._with_conditions(schema))

        mentioned = replace(written.mentioned, types=types)
        further, every_column = (POINT, *columns, *own), bool(self._conditions)
        return Wanted(mentioned, fits, further, every_column=every_column, bare_spans=written.spans_without_unit)

    def _with_conditions(self, schema: LogSchema) -> LogSchema:
        return replace(schema, conditions={**schema.conditions, **self._conditions})


def _refuse(options: argparse.Namespace) -> None:
    """Options that only policies of the first-order language have."""
    for name, option in _NOT_FOR_TRUTHS:
        if getattr(options, name):
            raise WrongWorkload(f"{option} is for .mfotl policies: a propositional policy says what must hold")
    if options.form == "monpoly":
        raise WrongWorkload("--as monpoly is for .mfotl policies; .mtl policies are printed as aerial or hydra does")
    if options.format in ("monpoly", "dejavu", "rv"):
        raise WrongWorkload(f"--format {options.format}: an .mtl policy reads names, csv, json or parquet")


def _named_conditions(texts: Sequence[str]) -> dict[str, NamedCondition]:
    """The atoms of a command line, by name. Raises WrongWorkload for two of one name."""
    named = [_named_condition(text) for text in texts]
    for place, (name, _) in enumerate(named):
        if name in dict(named[:place]):
            raise WrongWorkload(f"--atom: two conditions for '{name}'")
    return dict(named)


def _named_condition(text: str) -> tuple[str, NamedCondition]:
    """The atom of `name: EventType condition`. Raises WrongWorkload.

    >>> _named_condition("late: Departure delay_min >= 60")
    ('late', NamedCondition(event_type='Departure', condition='delay_min >= 60'))
    """
    name, colon, rest = text.partition(":")
    event_type, _, condition = rest.strip().partition(" ")
    if not (colon and name.strip() and condition.strip()):
        raise WrongWorkload(f"--atom takes 'name: EventType condition', such as 'late: Departure x > 1', not '{text}'")
    return name.strip(), NamedCondition(event_type, condition.strip())


def is_propositional(path: Path) -> bool:
    """Whether a policy's file is in the propositional language."""
    return path.suffix == PROPOSITIONAL.suffix
