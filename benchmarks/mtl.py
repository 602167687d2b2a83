"""Monitoring propositional policies while their log is read: `python benchmarks/mtl.py [--rates 100,1000]` (X12, X13).

The formulas f1 to f4 of paper 02, figure 5, on generated text logs of 100 stamps with so many points a stamp. Each run
is a process of its own that reads the log from disk and discards the verdicts. It tells the process's peak memory while
the log was read and how much more that is than before, the most open points after a block, and process time for a
point. With `--kept FILE` runs are appended to a file, and the table and the figures (`docs/pictures`) are of all runs
in it, so that a long series can be measured in pieces. Without it follows the engine alone, on columns of bits: how
many open points it keeps, and its rates beside `numpy.bitwise_and` over as many bytes. No assertion on time.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean

import numpy as np
from event_rates.logs import FORMULAS, STAMPS, columns, write_log
from event_rates.series import MODES, Run, as_line, draw_figures, kept_runs, rates_table, run_once

from cep_core.monitoring.propositional.stream.monitor import BLOCK
from cep_core.propositional_on_log import PropositionalOnLog
from cep_core.stream_settings import StreamSettings

MOST_MEMORY = 8 << 30
"""Bytes of data that a run may have. The naive mode keeps every open point: at some rate it may need more."""
TOO_MUCH = 3
"""The exit code of a run that would need more."""
LEAST_OF = 3
PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def from_text(formulas: list[str], modes: list[str], rates: list[int], runs: int, kept: Path | None) -> None:
    """Runs each formula, mode and rate, and prints a row for each."""
    measured = [] if kept is None else kept_runs(kept)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.log"
        for formula in formulas:
            for rate in rates:
                write_log(path, formula, rate)
                for mode in modes:
                    for _ in range(runs):
                        run = in_own_process(formula, mode, rate, path)
                        if run is None:
                            print(f"{formula}, {mode}, {rate:,} points a stamp: more than {MOST_MEMORY >> 30} GB")
                            break
                        measured.append(run)
                        if kept is not None:
                            with kept.open("a") as file:
                                file.write(as_line(run) + "\n")
    print(rates_table(measured))
    draw_figures(PICTURES, measured)


def in_own_process(formula: str, mode: str, rate: int, path: Path) -> Run | None:
    """None: it needs more memory than it may have."""
    command = [sys.executable, __file__, "--one", formula, mode, str(rate), str(path)]
    child = subprocess.run(command, check=False, capture_output=True)
    if child.returncode == TOO_MUCH:
        return None
    child.check_returncode()
    return Run(**json.loads(child.stdout))


def as_child(formula: str, mode: str, rate: int, path: Path) -> None:
    """Prints one run, or ends with the code that says that it would need too much memory."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    try:
        print(as_line(run_once(formula, mode, rate, path)))
    except MemoryError:
        sys.exit(TOO_MUCH)


def open_by_rate(rates: list[int]) -> None:
    """Prints the open points that are kept: the most after a stamp; the mean and the most after its twentieths."""
    print("| formula | mode |" + "".join(f" {rate:,} |" for rate in rates))
    print("|---|---|" + "---|" * len(rates))
    for formula, text in FORMULAS.items():
        for mode in ("local", "global"):
            cells = []
            for rate in rates:
                numbers = _open_records(formula, text, mode, rate)
                ends = [own[-1] for own in numbers]
                within = [number for own in numbers for number in own]
                cells.append(f" {max(ends)} ({mean(within):.2f}, {max(within)}) |")
            print(f"| {formula} | {mode} |" + "".join(cells), flush=True)


def _open_records(formula: str, text: str, mode: str, rate: int) -> list[list[int]]:
    """By stamp: how many open points are kept after each twentieth of it."""
    monitor = PropositionalOnLog(text, "", StreamSettings(mode)).monitor
    numbers: list[list[int]] = []
    for stamp, atoms in columns(formula, rate, STAMPS):
        stamps, step = np.full(rate, stamp), max(1, rate // 20)
        numbers.append([])
        for begin in range(0, rate, step):
            piece = slice(begin, begin + step)
            monitor.take(stamps[piece], {name: column[piece] for name, column in atoms.items()})
            numbers[-1].append(monitor.open_records)
    return numbers


def from_columns(rate: int) -> None:
    """Prints the rates of the engine on columns of bits."""
    letters = np.ones(1 << 24, np.uint8)
    plain = min(_seconds(lambda: np.bitwise_and(letters, letters)) for _ in range(LEAST_OF)) / len(letters)
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
    parser.add_argument("--formulas", default=",".join(FORMULAS))
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument(
        "--rates",
        default="100,1000,10000,100000",
        help="points a stamp; 1000000 takes some seconds a run, naive two minutes",
    )
    parser.add_argument("--runs", type=int, default=3, help="of each formula, mode and rate (default 3)")
    parser.add_argument("--kept", type=Path, help="a file of runs, to which these are appended; nothing else runs")
    parser.add_argument("--one", nargs=4, metavar=("FORMULA", "MODE", "RATE", "LOG"), help="one run, as a child")
    options = parser.parse_args()
    if options.one:
        formula, mode, rate, path = options.one
        as_child(formula, mode, int(rate), Path(path))
        return
    formulas, modes, rates = (text.split(",") for text in (options.formulas, options.modes, options.rates))
    if options.runs:
        from_text(formulas, modes, [int(rate) for rate in rates], options.runs, options.kept)
    if options.kept is None:
        print()
        open_by_rate([int(rate) for rate in rates])
        from_columns(100_000)


if __name__ == "__main__":
    main()
