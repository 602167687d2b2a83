"""Counts for the planner of the events that a plan will slice: exact, by type, atom and value, computed by Spark.

One aggregation counts the signatures of events (`signatures.py`; what an atom matches is said in SQL). For each slicing
attribute of each relation (`relation_of`) the most frequent values are counted one by one, the rest together. Cost: two
aggregations for any number of sets of days.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.language.evaluator import Atom
from cep_core.slicing import Frequencies, Statistics
from cep_core.slicing.statistics import counted_places
from jobs.lake.statements import statement
from jobs.runs.run import Run
from jobs.stages.held_rows import frame_of
from jobs.stages.slicing.counting.attribute_values import OF_TYPE, attribute_values, matches
from jobs.stages.slicing.counting.signatures import Signatures
from jobs.stages.slicing.stamps import ascending_stamps

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from jobs.workload.compiled import WorkloadQuery

LISTED = 10_000
"""The most values of an attribute that are counted one by one."""

Days = tuple[date, ...]


class EventCounts:
    """Counts of the events of sets of days, for all atoms of the workload. Each set is counted once."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._atoms = atoms_counted(run.compiled)
        self._places = counted_places(self._atoms)
        self._frequencies: dict[Days, dict[tuple[Atom, str], Frequencies]] = {}
        self._signatures: dict[Days, Signatures] = {}
        self._stamps: dict[Days, npt.NDArray[np.int64]] = {}

    def count(self, spans: Iterable[tuple[Days, Sequence[Atom]]]) -> None:
        """Count the events of these sets of days that were not counted yet, for all atoms of the workload."""
        missing = [days for days in dict.fromkeys(days for days, _ in spans) if days not in self._signatures]
        if not missing:
            return
        spark = self._run.spark
        whole = [(relation.event_type, attribute) for relation, attribute in self._places if is_type(relation)]
        others = [place for place in self._places if not is_type(place[0])]
        days_of_spans = pa.table(
            {
                "span": pa.array([number for number, days in enumerate(missing) for _ in days], pa.int32()),
                "day": pa.array([day for days in missing for day in days], pa.date32()),
            }
        )
        spark.createDataFrame(days_of_spans).createOrReplaceTempView("spans")
        events = frame_of(self._run, "events", {day for days in missing for day in days})
        attribute_values(events, whole, others).createOrReplaceTempView("attribute_values")
        self._matched(events).createOrReplaceTempView("matched_events")
        frequencies = spark.sql(statement("slicing", "frequencies"), args={"listed": LISTED}).toArrow()
        signatures = spark.sql(statement("slicing", "signatures")).toArrow().to_pylist()
        for number, days in enumerate(missing):
            of_span = frequencies.filter(pc.equal(frequencies["span"], number))
            self._frequencies[days] = {
                place: self._frequencies_of(of_span, place, OF_TYPE if is_type(place[0]) else others.index(place))
                for place in self._places
            }
            own = Signatures.over(self._atoms)
            for row in signatures:
                if row["span"] == number:
                    own.counts[row["event_type"], int(row["signature"][::-1] or "0", 2)] += row["events"]
            self._signatures[days] = own

    def statistics(self, days: Days, atoms: Sequence[Atom]) -> Statistics:
        """The statistics of these days' events that the planner needs for plans over these atoms."""
        span = len(days) * self._run.workload.operating_days.length
        return self._signatures[days].statistics(atoms, self._frequencies[days], span)

    def stamps(self, days: Days) -> npt.NDArray[np.int64]:
        """The ascending time-stamps of all events of these ascending days."""
        if days not in self._stamps:
            folder = self._run.lake / self._run.workload.name / "events"
            self._stamps[days] = ascending_stamps(folder, days)
        return self._stamps[days]

    def total(self, days: Days) -> int:
        """How many events these days have."""
        return self._signatures[days].total

    def _matched(self, events: DataFrame) -> DataFrame:
        """Each event with its signature: which atoms and relations match it."""
        from pyspark.sql import functions as f

        conditions = [f.when(matches(atom), "1").otherwise("0") for atom in Signatures.over(self._atoms).atoms]
        return events.select("day", "event_type", f.concat(f.lit(""), *conditions).alias("signature"))

    def _frequencies_of(self, of_span: pa.Table, place: tuple[Atom, str], number: int) -> Frequencies:
        relation, attribute = place
        wanted = {"event_type": relation.event_type, "relation": number, "attribute": attribute}
        of_place = of_span
        for column, value in wanted.items():
            of_place = of_place.filter(pc.equal(of_place[column], value))
        values = of_place["value"].combine_chunks().cast(ARROW_TYPES[self._run.workload.attributes[attribute]])
        counts = of_place["frequency"].to_numpy().astype(np.int64)
        rest = int(of_place["total"][0].as_py() - counts.sum()) if of_place.num_rows else 0
        return Frequencies(values, counts, rest)


def atoms_counted(compiled: Mapping[str, WorkloadQuery]) -> list[Atom]:
    """The atoms of all queries, also of those that may be sliced before they project."""
    evaluators = [query.evaluator for query in compiled.values()]
    opened = [form for form in (getattr(evaluator, "opened", None) for evaluator in evaluators) if form is not None]
    return list(dict.fromkeys(atom for form in (*evaluators, *opened) for atom in form.atoms))


def is_type(relation: Atom) -> bool:
    """Whether a relation is all events of its type."""
    return not relation.variables and not relation.constants
