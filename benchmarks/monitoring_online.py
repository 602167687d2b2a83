"""Monitoring while a log comes in, measured: `python benchmarks/monitoring_online.py [--rates 20000] [--into FILE]`.

Paper 01's star, linear and triangle and their past forms on its generated log (section 7: throughput, maximum latency,
peak memory; verdicts discarded, means of three runs). Each run is a process of its own that gets the text of the log
second by second, the next one when it asks for it. The latency of a second is the time until then: all its verdicts
have been told. If the largest is below one second, the monitor bears the rate on this machine. Memory is what the
process has more than before the log. With `--into`, runs are stored as lines of JSON, with seed and device. No
assertion on time.
"""

from __future__ import annotations

import argparse
import io
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean

from three_atoms.formulas import ATOMS, PAST, formula_of

import cep_core as cep
from cep_core.experiments.generators.joins import JoinStream, generate

SIGNATURE = "P(first: int, second: int) Q(first: int, second: int) R(first: int, second: int)"
SECONDS = 30
SEED = 1
RUNS = 3


def text_of(formula: str, rate: int) -> list[str]:
    """The text of each second of a log, one time-point."""
    log = generate(JoinStream(formula.removesuffix(PAST), SEED, event_rate=rate, duration=SECONDS))
    seconds: dict[int, list[str]] = {}
    for ts, kind, first, second in zip(
        *(log[name].to_pylist() for name in ("ts", "event_type", "first", "second")), strict=True
    ):
        seconds.setdefault(ts, []).append(f"{kind}({first},{second})")
    return [f"@{ts} {' '.join(events)};\n" for ts, events in seconds.items()]


class PacedLog(io.RawIOBase):
    """A log that is given second by second; it notes when each was asked for, as `seekable` as a pipe."""

    name = "log"

    def __init__(self, seconds: list[bytes]) -> None:
        self.waiting = seconds[::-1]
        self.left = memoryview(b"")
        self.asked: list[float] = []
        self.most = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self.left:
            self.asked.append(time.perf_counter())
            self.most = max(self.most, memory())
            self.left = memoryview(self.waiting.pop() if self.waiting else b"")
        given = self.left[: len(buffer)]
        buffer[: len(given)] = given
        self.left = self.left[len(given) :]
        return len(given)


def monitor_once(formula: str, path: Path) -> None:
    """One run, told on standard output. A short log comes first, so that kernels are loaded."""
    asked = formula_of(formula)
    cep.monitor(asked, SIGNATURE, "@1 P(1,2) Q(1,3) R(1,4); @2 P(1,2);")
    with path.open("rb") as file:
        log = PacedLog(file.readlines())
    before, begin = memory(), time.process_time()
    verdicts = sum(batch.num_rows for batch in cep.monitor(asked, SIGNATURE, log, batches=True))
    spent = time.process_time() - begin
    latencies = [later - earlier for earlier, later in zip(log.asked, log.asked[1:], strict=False)]
    more = (max(log.most, memory()) - before) / 1e6
    print(json.dumps({"verdicts": verdicts, "seconds": spent, "latency": max(latencies), "megabytes": more}))


def memory() -> int:
    """Bytes that this process has in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def device() -> dict[str, str]:
    """The processor, and what runs on it."""
    models = [
        line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    return {"processor": models[0] if models else platform.machine(), "python": platform.python_version()}


def measured(rates: list[int], into: Path | None) -> None:
    print(f"seed {SEED}, {', '.join(device().values())}, {SECONDS} seconds of log, means of {RUNS} runs")
    print("| formula | events a second | M events by CPU-second | largest latency, s | MB more at most |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.log"
        for formula in (*ATOMS, *(name + PAST for name in ATOMS)):
            for rate in rates:
                path.write_text("".join(text_of(formula, rate)))
                command = [sys.executable, __file__, "--one", formula, str(path)]
                runs = [
                    json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(RUNS)
                ]
                means = {name: mean(run[name] for run in runs) for name in runs[0]}
                throughput = rate * SECONDS / means["seconds"] / 1e6
                print(
                    f"| {formula} | {rate:,} | {throughput:.1f} | {means['latency']:.3f} | {means['megabytes']:.0f} |",
                    flush=True,
                )
                if into is not None:
                    with into.open("a") as lines:
                        lines.write(json.dumps({"formula": formula, "rate": rate, "seed": SEED, **device(), **means}))
                        lines.write("\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", default="20000,100000", help="events a second of the log")
    parser.add_argument("--into", type=Path, help="a file to which each case is added as a line of JSON")
    parser.add_argument("--one", nargs=2, metavar=("FORMULA", "LOG"), help="one run, as a child process")
    options = parser.parse_args()
    if options.one:
        monitor_once(options.one[0], Path(options.one[1]))
        return
    measured([int(rate) for rate in options.rates.split(",")], options.into)


if __name__ == "__main__":
    main()
