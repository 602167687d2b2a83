"""From an Arrow table to an Arrow table: what a query costs beside its kernel, in one run.

`python benchmarks/table_to_table.py [--events 1000000] [--text codes|plain] [--only WORD] [--without WORD] [--share 1]
[--calls 30] [--rounds 1] [--profile | --memory]`.

Each line is one query over one log, of which 1, 12 or 100 % of the events are of types that the query names. It prints
nanoseconds of CPU time for each event of the log: of the whole call (`cep.aggregate`, `cep.match`, `cep.detect`, the
query's text included), of the kernels in it, and of the way from the table to arrays and back, which is the rest. The
budget of a way is what its kernels take, and 10 ns more; 20 with a key of numbers, 30 with a key of texts; or kernels
take half of the call. The last line tells on how much faster a machine all keep it, whatever this one is. Times of a
call and of its kernels come from the same call, the least of some calls, so that their ratio holds on a busy machine.
`--rounds` goes round all lines so often and keeps the least of all rounds: on a machine whose speed changes for seconds
at a time, each line then meets a quiet moment. No assertion on time.

`--memory` prints peaks as multiples of what the query reads in Arrow: of a call, which are that, the arrays and the
result; and of the same log as a slice of a run, whose rows leave batch by batch and are not kept. Each in a process of
its own, which has answered the query before: code that is loaded is no memory of the slice. The system gives these
processes pages of 4 KB alone; otherwise Arrow's allocator gets some of 2 MB, one of which is more than a small slice.
"""

from __future__ import annotations

import argparse
import cProfile
import ctypes
import functools
import gc
import importlib
import multiprocessing
import pstats
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from tables.cases import CASES, Case

import cep_core as cep
from cep_core.bound_log import bind_to_log
from cep_core.frames import NamedColumns, read_frame
from cep_core.language.evaluator import Evaluator
from cep_core.language.evaluator import answered as result_of
from cep_core.language.settings import Settings
from cep_core.progress.meter import Meter

KERNELS = (
    ("cep_core.trends.choice.aggregation", "count"),
    ("cep_core.trends.choice.aggregation", "count_exactly"),
    ("cep_core.matching.choice.any_match", "count_matches"),
    ("cep_core.matching.choice.any_match", "list_matches"),
    ("cep_core.matching.choice.any_match", "match_nodes"),
    ("cep_core.matching.choice.listings", "list_closures"),
    ("cep_core.matching.choice.next_match", "grow_forest"),
    ("cep_core.matching.choice.next_match", "finish_runs"),
    ("cep_core.matching.detecting", "latest_beginnings"),
)
"""The calls that are kernels: where they are looked up, and their names."""
SHARES = (0.01, 0.12, 1.0)
HALF = 0.5
"""The share of a call that kernels take where no budget counts."""
TIMES, IN_ALL = 5, 3_000_000
"""The fewest calls, and the events of all calls of a case together: those of small logs vary more."""
KEYS = 1_000
DISABLE_LARGE_PAGES = 41
"""`PR_SET_THP_DISABLE` of Linux's `prctl`."""

Asked = Sequence[tuple[Case, float]]
"""A case, and the share of relevant events."""
Spent = tuple[float, float]
"""The seconds of a call, and of the kernels in it."""
LONGEST: Spent = (float("inf"), 0.0)


def log(events: int, relevant: float, text: str) -> pa.Table:
    """Events one unit apart, in order: A, B and C in equal shares of the relevant ones, X and Y the others."""
    random = np.random.default_rng(17)
    kinds = random.choice(5, events, p=[*[relevant / 3] * 3, *[(1 - relevant) / 2] * 2]).astype(np.int8)
    key = random.integers(0, KEYS, events)
    types = pa.DictionaryArray.from_arrays(pa.array(kinds), pa.array(list("ABCXY")))
    names = pa.DictionaryArray.from_arrays(
        pa.array(key.astype(np.int16)), pa.array([f"company {number:05}" for number in range(KEYS)])
    )
    coded = text == "codes"
    return pa.table(
        {
            "event_type": types if coded else types.dictionary_decode(),
            "ts": np.arange(events),
            "seq": np.arange(events),
            "x": random.integers(0, 1000, events),
            "k": key,
            "name": names if coded else names.dictionary_decode(),
        }
    )


def watch_kernels() -> list[float]:
    """Times every call of KERNELS from now on; returns the one number to which their seconds are added."""
    spent = [0.0]

    def timed(kernel: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(kernel)
        def call(*arguments: Any, **named: Any) -> Any:
            begin = time.process_time()
            answer = kernel(*arguments, **named)
            spent[0] += time.process_time() - begin
            return steps(answer) if isinstance(answer, Iterator) else answer

        return call

    def steps(batches: Iterator[Any]) -> Iterator[Any]:
        while True:
            begin = time.process_time()
            batch = next(batches, None)
            spent[0] += time.process_time() - begin
            if batch is None:
                return
            yield batch

    for module, name in KERNELS:
        where = importlib.import_module(module)
        setattr(where, name, timed(getattr(where, name)))
    return spent


def bound_evaluator(query: str, events: pa.Table, settings: Settings) -> tuple[Evaluator, pa.Table]:
    """The evaluator of a query, as `cep.match` binds it, and the events in order."""
    bound, ordered = bind_to_log(query, read_frame(events, NamedColumns(None, None, None), None), None, "concurrent")
    return bound.evaluator(settings), ordered


def listed_at_most(query: str, events: pa.Table, most: int) -> pa.Table:
    """The matches of a query, of which so many are listed."""
    evaluator, ordered = bound_evaluator(query, events, Settings(max_matches=most))
    return result_of(evaluator, ordered)


def answered(case: Case, events: pa.Table) -> pa.Table:
    """The answer of a case."""
    settings = dict(case.settings)
    if "most" in settings:
        return listed_at_most(case.query, events, settings["most"])
    return case.call(case.query, events, **settings)


def measured(case: Case, events: pa.Table, kernels: list[float], calls: int) -> Spent:
    """CPU-seconds of a call and of its kernels: those of the least of some calls, after a first one that compiles."""
    answered(case, events)
    best = LONGEST
    for _ in range(calls):
        kernels[0] = 0.0
        begin = time.process_time()
        answered(case, events)
        best = min(best, (time.process_time() - begin, kernels[0]))
    return best


def measured_in_rounds(asked: Asked, logs: Mapping[float, pa.Table], rounds: int, calls: int) -> list[Spent]:
    """The least of all rounds, of each case that is asked for."""
    kernels, meter = watch_kernels(), Meter()
    least = [LONGEST] * len(asked)
    for done in range(rounds * len(asked)):
        place = done % len(asked)
        case, share = asked[place]
        meter.tell("measuring", done, rounds * len(asked))
        least[place] = min(least[place], measured(case, logs[share], kernels, calls))
    meter.clear()
    return least


def streamed(case: Case, events: pa.Table) -> int:
    """Evaluates the log as a run does a slice: each batch of rows leaves when it is made. Returns their bytes."""
    settings = dict(case.settings)
    chosen = Settings(max_matches=settings.get("most"), collapsed="collapsed" in settings)
    evaluator, ordered = bound_evaluator(case.query, events, chosen)
    return sum(batch.nbytes for batch in evaluator.evaluate(ordered))


def profile(case: Case, events: pa.Table) -> None:
    """Prints where a call spends its time."""
    answered(case, events)
    profiler = cProfile.Profile()
    profiler.runcall(answered, case, events)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(22)


def memory(case: Case, events: int, share: float, is_streamed: bool) -> None:
    """Prints the peak memory of a case. In a process of its own: what others left would count, or be used again."""
    read = ["event_type", "ts", "seq", *(n for n in ("x", "k", "name") if re.search(rf"\b{n}\b", case.query))]
    bytes_of = streamed if is_streamed else lambda case, events: answered(case, events).nbytes
    for _ in range(2):  # imports, kernels
        bytes_of(case, log(events, share, "codes").select(read))
    _give_back_memory()  # what these left is not there for the next
    before = _status("VmRSS")
    table = log(events, share, "codes").select(read)
    _give_back_memory()
    Path("/proc/self/clear_refs").write_text("5")  # the peak is now what is in use
    result = bytes_of(case, table)
    peak = _status("VmHWM") - before
    way = "slice" if is_streamed else "call"
    times = [f"{of / table.nbytes:>8.2f}" for of in (result, peak)]
    print(f"{case.name:<28} {share:>6.0%} {way:<6} {table.nbytes / 1e6:>8.0f} {' '.join(times)}", flush=True)


def _give_back_memory() -> None:
    """All memory that is not in use, to the system."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)


def _use_small_pages() -> None:
    """From now on no page of this process and of those that it starts is a large one. Linux alone knows the option."""
    if ctypes.CDLL(None, use_errno=True).prctl(DISABLE_LARGE_PAGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the system does not let a process do without large pages")


def _status(name: str) -> int:
    """A number of bytes that the system knows of this process."""
    line = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert line is not None
    return 1024 * int(line[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--text", choices=("codes", "plain"), default="codes")
    parser.add_argument("--only", default="")
    parser.add_argument("--share", type=float)
    parser.add_argument("--without", default="-", help="a word that no name has")
    parser.add_argument("--calls", type=int, help="of each case, of which the least counts")
    parser.add_argument("--rounds", type=int, default=1, help="over all lines, of which the least counts")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--memory", action="store_true")
    chosen = parser.parse_args()
    shares = SHARES if chosen.share is None else (chosen.share,)
    asked = [
        (case, share)
        for case in CASES
        for share in shares
        if chosen.only in case.name and chosen.without not in case.name
    ]
    if chosen.memory:
        _use_small_pages()
        print(f"{chosen.events:,} events; MB that the query reads, and the result and the peak as multiples of these")
        context = multiprocessing.get_context("spawn")
        for case, share in asked:
            for is_streamed in (False,) if case.call is cep.detect else (False, True):
                alone = context.Process(target=memory, args=(case, chosen.events, share, is_streamed))
                alone.start()
                alone.join()
        return
    logs = {share: log(chosen.events, share, chosen.text) for share in shares}
    if chosen.profile:
        for case, share in asked:
            print(f"{case.name}, {share:.0%}")
            profile(case, logs[share])
        return
    calls = chosen.calls or max(TIMES, IN_ALL // chosen.events)
    least = measured_in_rounds(asked, logs, chosen.rounds, calls)
    print(f"{chosen.events:,} events, texts as {chosen.text}; ns of CPU time for each event of the log")
    print(f"{'query':<28} {'share':>6} {'call':>8} {'kernels':>8} {'way':>8} {'budget':>8} {'kernels / call':>15}")
    slower: list[float] = []
    for (case, share), seconds in zip(asked, least, strict=True):
        call, kernel = (1e9 * each / chosen.events for each in seconds)
        budget = kernel + case.budget
        print(
            f"{case.name:<28} {share:>6.0%} {call:>8.1f} {kernel:>8.1f} {call - kernel:>8.1f} {budget:>8.1f} "
            f"{kernel / call:>15.2f}"
        )
        slower.append(1.0 if kernel / call >= HALF else (call - 2 * kernel) / case.budget)
    if slower:
        kept = sum(each <= 1 for each in slower)
        print(
            f"{kept} of {len(slower)} keep the budget; all do if it is one of a machine {max(slower):.2f} times as fast"
        )


if __name__ == "__main__":
    main()
