"""Monitoring propositional policies while their log is read: `python benchmarks/mtl.py [--rates 100,1000]` (X12, X13).

The formulas f1 to f4 of paper 02, figure 5, on generated text logs of 100 stamps with so many points a stamp. Each run
is a process of its own that reads the log from disk and discards the verdicts. It tells how much more memory it had
after a block than before the log, open points, and process time for a point; means of `--runs` runs. Before that the
engine alone, on columns of bits, beside `numpy.bitwise_and` over as many bytes. No assertion on time.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import numpy as np

from cep_core.monitoring.propositional.stream.monitor import BLOCK
from cep_core.propositional_on_log import PropositionalOnLog
from cep_core.stream_settings import StreamSettings

FORMULAS = {
    "f1": "EVENTUALLY[0,5] q",
    "f2": "p UNTIL[0,5] q",
    "f3": "p UNTIL[0,5] (q SINCE[2,6] r)",
    "f4": "p UNTIL[0,5] (q UNTIL[2,6] r)",
}
STAMPS = 100
NAIVE_MOST = 10_000
"""The most points a stamp that the naive mode is given: it keeps them all."""
LEAST_OF = 3


def shares(formula: str, rate: int) -> dict[str, float]:
    """How likely each atom is at a point: as the paper's generator has it for f1 and f2; the others' is not known."""
    rare, often = (10 / 1010, 1000 / 1010) if rate <= 1000 else (1 / 1001, 1000 / 1001)
    return {"p": often, "q": rare, "r": 0.0} if formula in ("f1", "f2") else {"p": often, "q": often, "r": rare}


def columns(formula: str, rate: int, stamps: int) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
    """Each stamp with the atoms of its points."""
    random = np.random.default_rng(1)
    for stamp in range(stamps):
        yield stamp, {name: random.random(rate) < share for name, share in shares(formula, rate).items()}


def write_log(path: Path, formula: str, rate: int) -> None:
    """A text log: a line for each point."""
    names = [" ".join(["", *(name for bit, name in enumerate("pqr") if letter >> bit & 1)]) for letter in range(8)]
    with path.open("w") as file:
        for stamp, atoms in columns(formula, rate, STAMPS):
            lines = np.array([f"@{stamp}{own}\n" for own in names], object)
            file.write("".join(lines[atoms["p"] + 2 * atoms["q"] + 4 * atoms["r"]]))


def monitor_once(formula: str, mode: str, path: Path) -> None:
    """One run, told on standard output. A short log comes first, so that kernels are loaded."""
    PropositionalOnLog(FORMULAS[formula], "@1 p\n@1 q\n@2 p\n@9\n", StreamSettings(mode)).table()
    asked = PropositionalOnLog(FORMULAS[formula], path, StreamSettings(mode))
    given, most, peak, begin = memory(), 0, 0, time.process_time()
    for _ in asked.stream():
        most, peak = max(most, asked.monitor.open_records), max(peak, memory())
    seconds = time.process_time() - begin
    print(json.dumps({"points": asked.tally.points, "seconds": seconds, "more": (peak - given) / 1e6, "open": most}))


def memory() -> int:
    """Bytes that this process has in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def measured(formula: str, mode: str, path: Path, runs: int) -> dict[str, float]:
    """The mean of some runs, each in a process of its own."""
    command = [sys.executable, __file__, "--one", formula, mode, str(path)]
    told = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(runs)]
    return {name: mean(run[name] for run in told) for name in told[0]}


def from_text(rates: list[int], runs: int) -> None:
    """Prints a row for each formula, mode and rate."""
    print("| formula | mode | points a stamp | MB more at most | open points | ns a point | M points/s |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.log"
        for formula in FORMULAS:
            for rate in rates:
                write_log(path, formula, rate)
                for mode in ("local", "global", "naive"):
                    if mode == "naive" and rate > NAIVE_MOST:
                        continue
                    run = measured(formula, mode, path, runs)
                    time_of_point = 1e9 * run["seconds"] / run["points"]
                    print(
                        f"| {formula} | {mode} | {rate:,} | {run['more']:.0f} | "
                        f"{run['open']:,.0f} | {time_of_point:.0f} | {1e3 / time_of_point:.1f} |",
                        flush=True,
                    )


def from_columns(rate: int) -> None:
    """Prints the rates of the engine on columns of bits."""
    ones = np.ones(1 << 24, np.uint8)
    plain = min(_seconds(lambda: np.bitwise_and(ones, ones)) for _ in range(LEAST_OF)) / len(ones)
    print(f"\nnumpy.bitwise_and: {1e-6 / plain:,.0f} M bytes/s\n")
    print("| formula | M points/s | times as long as numpy.bitwise_and |\n|---|---|---|")
    for formula, text in FORMULAS.items():
        parts = list(columns(formula, rate, 20))
        stamps = np.repeat(np.arange(len(parts)), rate)
        atoms = {name: np.concatenate([part[name] for _, part in parts]) for name in "pqr"}
        best = min(_seconds(lambda: _monitored(text, stamps, atoms)) for _ in range(LEAST_OF)) / len(stamps)  # noqa: B023
        print(f"| {formula} | {1e-6 / best:.0f} | {best / plain:.0f} |")


def _monitored(text: str, stamps: np.ndarray, atoms: dict[str, np.ndarray]) -> None:
    monitor = PropositionalOnLog(text, "", StreamSettings()).monitor
    for begin in range(0, len(stamps), BLOCK):
        piece = slice(begin, begin + BLOCK)
        monitor.take(stamps[piece], {name: column[piece] for name, column in atoms.items()})


def _seconds(run: object) -> float:
    begin = time.process_time()
    run()  # type: ignore[operator]
    return time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rates", default="100,1000,10000,100000", help="points a stamp; 1000000 takes long")
    parser.add_argument("--one", nargs=3, metavar=("FORMULA", "MODE", "LOG"), help="one run, as a child process")
    parser.add_argument("--runs", type=int, default=3, help="of each formula, mode and rate (default 3)")
    options = parser.parse_args()
    if options.one:
        formula, mode, path = options.one
        monitor_once(formula, mode, Path(path))
        return
    from_columns(100_000)
    print()
    from_text([int(rate) for rate in options.rates.split(",")], options.runs)


if __name__ == "__main__":
    main()
