"""A propositional policy and one log: what the streaming engine tells of it, and what it resolves to.

The public call is `cep.monitor_mtl` (`propositional_policies.py`); `trendmill monitor` asks the same. A text is read in
blocks while verdicts are told; where they are resolved, points wait for all before them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from cep_core.compile import UNNAMED
from cep_core.events.logs.named_points import NamedPointReader
from cep_core.events.logs.time_points import with_offset
from cep_core.events.schema import LogSchema
from cep_core.events.table import log_schema_of, order
from cep_core.language.explanation import Explanation
from cep_core.language.propositional.bind.assumed_schema import schema_mentioned_by
from cep_core.language.propositional.bind.binding import bind_written
from cep_core.language.propositional.explain.explaining import explain_policy
from cep_core.language.propositional.policy import PropositionalPolicy
from cep_core.language.propositional.text.parsing import parse
from cep_core.policy_on_log import TextLog
from cep_core.stream_settings import StreamSettings, Tally

if TYPE_CHECKING:
    from cep_core.arrays import Ints
    from cep_core.monitoring.propositional.arrays.points import SplitTrace
    from cep_core.monitoring.propositional.stream.kernels.state import Told
    from cep_core.monitoring.propositional.stream.monitor import StreamMonitor
    from cep_core.monitoring.propositional.stream.verdicts import Truths
    from cep_core.monitoring.propositional.why.causes import TraceCauses
    from cep_core.monitoring.shared.scalars import Value
    from cep_core.monitoring.shared.why.verdict_causes import Causes

# The engine is imported where it is used: loading its kernels takes time.


class PropositionalOnLog:
    """A bound policy and the log that it is asked of; `tally` counts while it is asked.

    Arguments as for `cep.monitor_mtl`. Raises QueryError for a wrong policy, ValueError for wrong settings.
    """

    def __init__(
        self,
        formula: str | Path,
        log: TextLog | pa.Table,
        settings: StreamSettings | None = None,
        schema: LogSchema | None = None,
    ) -> None:
        self.settings = settings or StreamSettings()
        self.tally = Tally()
        self._log = order(log) if isinstance(log, pa.Table) else log
        self.policy = propositional_policy_of(formula, self._log, self.settings, schema)

    @cached_property
    def monitor(self) -> StreamMonitor:
        """The monitor, whose `mode` is the one that is used."""
        return self._new_monitor()

    def _new_monitor(self) -> StreamMonitor:
        from cep_core.monitoring.propositional.stream.monitor import StreamMonitor

        return StreamMonitor(self.policy.core, self.settings.mode)

    def table(self) -> pa.Table:
        """All that is told. Raises LogError, TooManyExpressions."""
        batches = self._resolved() if self.settings.resolved else self._batches()
        return pa.Table.from_batches(batches, self.columns)

    def stream(self) -> pa.RecordBatchReader:
        """What is told, as it becomes known. Raises LogError, TooManyExpressions behind all that was told before."""
        return pa.RecordBatchReader.from_batches(self.columns, self._batches())

    def causes(self, at: tuple[int, int], values: Mapping[str, Value]) -> Causes:
        """Why the policy holds, or does not hold, at (ts, offset). Raises what `cep.why_mtl` raises."""
        return self._explaining.causes(at, values)

    def causes_of_verdict(self, row: Sequence[Value]) -> Causes:
        """The causes of a violation that was told, whose values are in the order of `columns`.

        >>> asked = PropositionalOnLog("a", "@1 a\\n@2\\n@2\\n", StreamSettings(with_causes=True))
        >>> rows = asked.table().to_pylist()
        >>> print(asked.causes_of_verdict(tuple(rows[1].values())))
        no a at 2, offset 0
        the same for 2 points, first at 2, last at 2
        """
        values = dict(zip(self.columns.names, row, strict=True))
        return self.causes(
            (int(values["ts"]), int(values["offset"])), {name: values[name] for name in self.policy.for_each}
        )

    @cached_property
    def _explaining(self) -> TraceCauses:
        from cep_core.monitoring.propositional.why.causes import TraceCauses

        decided = self._truths(self._new_monitor(), Tally())
        log = self._log if isinstance(self._log, pa.Table) else None
        events = None if log is None else with_offset(log, self.settings.points)
        return TraceCauses(self.policy, self._split, events, decided)

    def explain(self) -> Explanation:
        """How the policy is understood, and how it is monitored while a log is read."""
        from cep_core.monitoring.propositional.stream.account import streaming_section

        explanation = explain_policy(self.policy, ())
        section = streaming_section(self.policy.core, self.settings.mode)
        return replace(explanation, sections=(*explanation.sections, section))

    @property
    def columns(self) -> pa.Schema:
        """The columns of what is told; the schema's metadata has the mode."""
        from cep_core.monitoring.propositional.stream.verdicts import RESOLVED, VERDICTS

        own = RESOLVED if self.settings.resolved else VERDICTS
        if isinstance(self._log, pa.Table):
            for name in self.policy.for_each:
                own = own.append(pa.field(name, self._split.values.schema.field(name).type))
        return own.with_metadata({"mode": self.monitor.mode})

    def _batches(self) -> Iterator[pa.RecordBatch]:
        in_memory = isinstance(self._log, pa.Table) or self.settings.with_causes
        if self.settings.resolved:
            yield from self._resolved() if in_memory or self._is_whole else self._resolved_of_text()
        else:
            yield from self._verdicts_in_memory() if in_memory else self._verdicts_of_text()

    @property
    def _is_whole(self) -> bool:
        """Whether a text is closed and at hand: resolved as a whole, it has no expression that is too large."""
        at_once = self.settings.at_once
        if at_once is None:
            at_once = not isinstance(self._log, str | Path | pa.Table) and not self._log.seekable()
        return self.settings.end == "closed" and not at_once

    def _verdicts_of_text(self) -> Iterator[pa.RecordBatch]:
        from cep_core.monitoring.propositional.stream.verdicts import verdict_batch

        for stamps, verdicts in self._verdicts_of_blocks():
            counted = self.tally.counted(verdicts, len(stamps))
            yield verdict_batch(counted).replace_schema_metadata(self.columns.metadata)
        self._raise_failure()

    def _resolved_of_text(self) -> Iterator[pa.RecordBatch]:
        """The truth of each decided point, as soon as it and all before it are known."""
        from cep_core.monitoring.propositional.stream.in_order import TruthsInOrder

        def batches() -> Iterator[pa.RecordBatch]:
            in_order = TruthsInOrder()
            for stamps, verdicts in self._verdicts_of_blocks():
                self.tally.points += len(stamps)
                yield in_order.take(stamps, verdicts)
            yield in_order.rest()

        for batch in batches():
            self.tally.truths += batch.num_rows
            self.tally.violations += batch.num_rows - batch["verdict"].true_count
            yield batch.replace_schema_metadata(self.columns.metadata)
        self._raise_failure()

    def _verdicts_in_memory(self) -> Iterator[pa.RecordBatch]:
        from cep_core.monitoring.propositional.stream.verdicts import sub_logs_of, verdict_batch

        values, logs = self._split.values, 0
        for verdicts in self._verdicts_of_trace(self.monitor, self.tally):
            log = pa.array(sub_logs_of(verdicts, logs))
            logs += len(verdicts.begins)
            columns = [
                *verdict_batch(verdicts).columns,
                *(values[name].take(log).combine_chunks() for name in values.column_names),
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=self.columns)
        self._raise_failure()

    def _resolved(self) -> Iterator[pa.RecordBatch]:
        """The truth of each decided point."""
        trace = self._split.trace
        truths = self._truths(self.monitor, self.tally)
        self._raise_failure()
        self.tally.points = trace.points
        self.tally.truths, self.tally.equivalences = len(truths.place), 0
        self.tally.violations = int(np.count_nonzero(~truths.holds))
        log = np.searchsorted(trace.starts, truths.place, side="right") - 1
        columns = [
            pa.array(truths.place - trace.starts[log]),
            pa.array(trace.stamps[truths.place]),
            pa.array(truths.offset),
            pa.array(truths.holds),
        ]
        values = self._split.values
        columns += [values[name].take(pa.array(log)).combine_chunks() for name in values.column_names]
        yield pa.RecordBatch.from_arrays(columns, schema=self.columns)

    def _truths(self, monitor: StreamMonitor, tally: Tally) -> Truths:
        """The decided points, as far as a monitor gets, and their truths. It counts."""
        from cep_core.monitoring.propositional.arrays.points import offsets_in_trace
        from cep_core.monitoring.propositional.evaluation import truths
        from cep_core.monitoring.propositional.stream.verdicts import Truths, resolved_truths

        trace = self._split.trace
        if self.settings.end == "closed":
            return Truths(np.arange(trace.points), offsets_in_trace(trace), truths(self.policy.core, trace))
        return resolved_truths(self._verdicts_of_trace(monitor, tally), trace)

    def _verdicts_of_blocks(self) -> Iterator[tuple[Ints, Told]]:
        """The stamps of a text while it is read, and what is told at them."""
        assert not isinstance(self._log, pa.Table)
        reader = self._reader()
        last = None
        for stamps, atoms in reader.blocks():
            last = int(stamps[-1])
            yield stamps, self.monitor.take(stamps, atoms)
            self.tally.skipped = reader.skipped
            if self.monitor.failure is not None:
                return
        self.tally.skipped = reader.skipped
        if last is not None and self.settings.end == "closed":
            yield np.zeros(0, np.int64), self.monitor.close(last)

    def _verdicts_of_trace(self, monitor: StreamMonitor, tally: Tally) -> Iterator[Told]:
        """What a monitor tells of a log that is in memory."""
        from cep_core.monitoring.propositional.stream.closing import with_ends
        from cep_core.monitoring.propositional.stream.kernels.points import LAST_POINT
        from cep_core.monitoring.propositional.stream.monitor import BLOCK

        trace = self._split.trace
        stamps, atoms, flags = with_ends(trace, closed=self.settings.end == "closed")
        for begin in range(0, len(stamps), BLOCK):
            piece = slice(begin, begin + BLOCK)
            some = {name: column[piece] for name, column in atoms.items()}
            verdicts = monitor.take(stamps[piece], some, flags[piece])
            yield tally.counted(verdicts, len(stamps[piece]) - int(np.count_nonzero(flags[piece] == LAST_POINT)))
            if monitor.failure is not None:
                return

    def _raise_failure(self) -> None:
        if self.monitor.failure is not None:
            raise self.monitor.failure

    def _reader(self) -> NamedPointReader:
        assert not isinstance(self._log, pa.Table)
        log = self._log.encode() if isinstance(self._log, str) else self._log
        return NamedPointReader(log, list(self.policy.atoms), skip_bad=self.settings.skip_bad)

    @cached_property
    def _split(self) -> SplitTrace:
        """The whole log in memory."""
        from cep_core.monitoring.propositional.arrays.points import SplitTrace, split_trace_of
        from cep_core.monitoring.propositional.arrays.trace import Trace

        log = self._log
        if isinstance(log, pa.Table):
            return split_trace_of(self.policy, with_offset(log, self.settings.points))
        reader = self._reader()
        blocks = list(reader.blocks())
        self.tally.skipped = reader.skipped
        stamps = np.concatenate([np.zeros(0, np.int64), *(stamps for stamps, _ in blocks)])
        nowhere = np.zeros(0, np.bool_)
        atoms = {
            name: np.concatenate([nowhere, *(columns[name] for _, columns in blocks)]) for name in self.policy.atoms
        }
        return SplitTrace(Trace(stamps, atoms, np.array([0, len(stamps)])), pa.table({}))


def propositional_policy_of(
    formula: str | Path, log: TextLog | pa.Table, settings: StreamSettings, schema: LogSchema | None = None
) -> PropositionalPolicy:
    """The bound policy of a text or a file. In a text log, and in a table, every name may be an atom."""
    text, path = (
        (formula.read_text(encoding="utf-8"), str(formula)) if isinstance(formula, Path) else (formula, UNNAMED)
    )
    written = parse(text, path)
    if (names := settings.for_each) is not None:
        written = replace(written, for_each=(names,) if isinstance(names, str) else tuple(names))
    if not isinstance(log, pa.Table) and written.for_each:
        raise ValueError("the atoms of a text log have no attributes: sub-logs (for each) need a table")
    if schema is None:
        schema = log_schema_of(log) if isinstance(log, pa.Table) else schema_mentioned_by(written)
    return bind_written(written, schema, text, path)
