"""Policies beside labels: `python benchmarks/labelled_sequences.py [--folder DIR]`.

Blocks of HDFS and containers of Hadoop are sequences of log templates that people labelled normal or abnormal (Xu et
al. 2009; Loghub). Six policies were written from what the templates mean; none was fitted to the labels. It prints
precision, recall and F1 of each and of their disjunction, where the first violation stands, and, for one of them, a
pattern query under partition contiguity beside it, with the same verdicts. The data is not redistributable: a file
that is missing below the folder of stand-ins (TRENDMILL_STAND_INS) is named, and its part is left out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from cep_core.compile import bind_text, compile_query
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.experiments.label_scores import LabelScore, score
from cep_core.experiments.labelled_sequences import LabelledSequences, read_sequences
from cep_core.language.evaluator import Evaluator
from cep_core.monitoring.propositional.arrays.trace import Trace
from cep_core.monitoring.propositional.evaluation import truths
from jobs.workload.sections.experiment_grids import stand_ins

FOLDER = "hdfs_hadoop_sequences"


@dataclass(frozen=True)
class Labelled:
    """One kind of sequence: its files, what its templates say, and the policies about it."""

    title: str
    normal: tuple[str, ...]
    abnormal: tuple[str, ...]
    atoms: Mapping[str, tuple[int, ...]]
    policies: Mapping[str, str]


BLOCKS = Labelled(
    "HDFS blocks",
    ("hdfs_train.gz",),
    ("hdfs_test_abnormal.gz",),
    atoms={
        "allocated": (22,),
        "receiving": (5,),
        "received": (9,),
        "ended": (11,),
        "stored": (26,),
        "deleted": (21,),
        "used": (2, 3, 5, 6, 9, 16, 18),
        "failed": (7, 8, 10, 12, 14, 17, 20, 29),
    },
    policies={
        "allocated is received": "allocated IMPLIES EVENTUALLY received",
        "receiving ends": "receiving IMPLIES EVENTUALLY ended",
        "stored three times": "allocated IMPLIES EVENTUALLY (stored AND NEXT "
        "EVENTUALLY (stored AND NEXT EVENTUALLY stored))",
        "unused after deletion": "used IMPLIES NOT ONCE deleted",
        "no failure": "NOT failed",
        "deleted is not used at once": "deleted IMPLIES NOT NEXT used",
    },
)
CONTAINERS = Labelled(
    "Hadoop containers",
    ("hadoop_train.gz", "hadoop_test_normal.gz"),
    ("hadoop_test_abnormal.gz",),
    atoms={
        "started": (128,),
        "stopped": (127,),
        "committing": (123,),
        "done": (124,),
        "failed": (30, 33, 38, 39, 44, 108, 172, 173, 175),
    },
    policies={
        "what starts stops": "started IMPLIES EVENTUALLY stopped",
        "what commits is done": "committing IMPLIES EVENTUALLY done",
        "no failure": "NOT failed",
    },
)
CONTIGUOUS = "PATTERN SEQ(deleted d, used u) WHERE partition_contiguity [sequence] WITHIN 1 RETURN d.seq AS at"
"""What `deleted is not used at once` forbids, as a pattern."""
PAIR = ("deleted", "used")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=stand_ins(), help="the folder that has " + FOLDER)
    folder = parser.parse_args().folder / FOLDER
    for labelled in (BLOCKS, CONTAINERS):
        missing = [name for name in (*labelled.normal, *labelled.abnormal) if not (folder / name).is_file()]
        if missing:
            print(f"{labelled.title}: left out, since {', '.join(missing)} is not in {folder}")
            continue
        report(labelled, read_sequences(*(paths(folder, names) for names in (labelled.normal, labelled.abnormal))))


def paths(folder: Path, names: Sequence[str]) -> list[Path]:
    return [folder / name for name in names]


def report(labelled: Labelled, sequences: LabelledSequences) -> None:
    """Print the scores of all policies on their sequences."""
    longest = int(np.diff(sequences.starts).max())
    abnormal = int(sequences.abnormal.sum())
    total = len(sequences.abnormal)
    print(f"{labelled.title}: {total:,} sequences, {abnormal:,} of them abnormal; {len(sequences.templates):,} events, "
          f"the longest sequence has {longest:,}")  # fmt: skip
    begin = time.process_time()
    trace = sequences.trace(labelled.atoms)
    violated = {name: violations(text, trace) for name, text in labelled.policies.items()}
    spent = time.process_time() - begin
    for name, points in violated.items():
        print_score(name, score(points, sequences))
    print_score("any of them", score(np.logical_or.reduce(list(violated.values())), sequences))
    print(f"  {spent:.2f} CPU-seconds, conditions included")
    if "deleted" in labelled.atoms:
        same = np.array_equal(matches(labelled, sequences), np.flatnonzero(violated["deleted is not used at once"]))
        print(f"  the pattern query beside `deleted is not used at once`: {'the same' if same else 'OTHER'} verdicts")


def print_score(name: str, scored: LabelScore) -> None:
    first = "-" if scored.first is None else f"{scored.first:.0f}"
    print(
        f"  {name:30} precision {scored.precision:.3f}  recall {scored.recall:.3f}  F1 {scored.f1:.3f}  "
        f"sequences {scored.pointed:6,}  first violation at position {first} (median)"
    )


def violations(text: str, trace: Trace) -> np.ndarray:
    """Where a policy is false; every sequence is a log of its own that has ended."""
    schema = LogSchema({name: {} for name in trace.atoms})
    return ~truths(bind_text(text, schema, "policy.mtl").query.core, trace)


def matches(labelled: Labelled, sequences: LabelledSequences) -> np.ndarray:
    """The events at which the pattern query's matches begin."""
    evaluator = contiguous()
    merged = evaluator.merge(evaluator.evaluate(sequences.events({name: labelled.atoms[name] for name in PAIR})))
    return np.sort(merged["at"].to_numpy())


@cache
def contiguous() -> Evaluator:
    """The evaluator of the pattern query."""
    column = {"sequence": Attribute("sequence", AttributeType.INT)}
    return compile_query(CONTIGUOUS, LogSchema(dict.fromkeys((*PAIR, "other"), column)))


if __name__ == "__main__":
    main()
