"""Event logs for paper 01's synthetic experiments: star, linear and triangle (sections 7.1 and 7.2).

Three event types P, Q, R join on shared variables. A few P start a whole match: a matching Q follows within the window,
and a matching R within the window after it. Every other P is followed by a matching Q only. Q and R events that are not
meant to match get fresh values. Values are uniform, or Zipf-distributed for chosen variables. A shift is added to R's
fresh Zipf values, to separate them from those of P and Q, so that frequent values do not flood the result.

Cost: O(events) array operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.language.evaluator import Atom

Numbers = npt.NDArray[np.int64]

FORMULAS: dict[str, tuple[Atom, ...]] = {
    name: tuple(Atom(kind, (("first", own[0]), ("second", own[1]))) for kind, own in zip("PQR", atoms, strict=True))
    for name, atoms in {
        "star": ("ab", "ac", "ad"),
        "linear": ("ab", "bc", "cd"),
        "triangle": ("ab", "bc", "ca"),
    }.items()
}
"""The atoms of the three formulas: P(a,b), Q(a,c), R(a,d) for the star, and so on."""


@dataclass(frozen=True)
class JoinStream:
    """What to generate; the defaults are the paper's."""

    formula: str
    seed: int
    event_rate: int = 20_000
    """Events per unit of time."""
    index_rate: int = 1
    """Time-points per unit of time."""
    duration: int = 60
    window: int = 10
    rate_p: float = 0.01
    """Share of P among the events. `rate_q`: share of Q; the rest are R."""
    rate_q: float = 0.495
    matches: float = 0.01
    """Whole matches started per unit of time."""
    domain: int = 10**9
    zipf: Mapping[str, float] = field(default_factory=dict)
    """Zipf exponent (greater than 1) by variable."""
    shift: int = 10**6
    """Added to R's fresh Zipf values."""


def generate(stream: JoinStream) -> pa.Table:
    """The log in time order: `event_type`, `ts`, `seq`, `point` (number of the time-point), and `first`, `second`.

    >>> log = generate(JoinStream("star", seed=1, event_rate=100, duration=3))
    >>> log.num_rows, log["ts"][-1].as_py(), log.column_names
    (300, 2, ['event_type', 'ts', 'seq', 'point', 'first', 'second'])
    """
    random = np.random.default_rng(stream.seed)
    count = stream.event_rate * stream.duration
    place = np.arange(count)
    ts = place // stream.event_rate
    kind = np.searchsorted(np.cumsum([stream.rate_p, stream.rate_q]), random.random(count), side="right")
    atoms = FORMULAS[stream.formula]
    values = {
        (letter, variable): _fresh(random, stream, variable, count, moved=letter == 2)
        for letter, atom in enumerate(atoms)
        for _, variable in atom.variables
    }
    started = np.flatnonzero(kind == 0)
    whole = random.random(len(started)) < stream.matches * stream.duration / max(1, len(started))
    after_p = started, ts[started] + random.integers(0, stream.window, len(started))
    sources, slots, due = _serve(*after_p, np.flatnonzero(kind == 1), ts)
    _copy(values, atoms, (0, 1), sources, slots)
    goes_on = np.isin(sources, started[whole])
    sources, slots, due = sources[goes_on], slots[goes_on], due[goes_on]
    later = due + random.integers(0, stream.window, len(due))
    origins = dict(zip(slots.tolist(), sources.tolist(), strict=True))
    middles, slots, _ = _serve(slots, later, np.flatnonzero(kind == 2), ts)
    _copy(values, atoms, (1, 2), middles, slots)
    _copy(values, atoms, (0, 2), np.array([origins[middle] for middle in middles.tolist()], np.int64), slots)
    columns = {
        name: np.choose(kind, [values[letter, atom.variables[index][1]] for letter, atom in enumerate(atoms)])
        for index, name in enumerate(("first", "second"))
    }
    within = place % stream.event_rate * stream.index_rate // stream.event_rate
    names = pa.DictionaryArray.from_arrays(pa.array(kind, pa.int8()), pa.array(["P", "Q", "R"])).dictionary_decode()
    return pa.table({"event_type": names, "ts": ts, "seq": place, "point": ts * stream.index_rate + within, **columns})


def _fresh(random: np.random.Generator, stream: JoinStream, variable: str, count: int, *, moved: bool) -> Numbers:
    """Random values, which match others only by chance."""
    exponent = stream.zipf.get(variable)
    if exponent is None:
        return random.integers(0, stream.domain, count)
    drawn = random.zipf(exponent, count)
    while (beyond := np.flatnonzero(drawn > stream.domain)).size:
        drawn[beyond] = random.zipf(exponent, beyond.size)
    return drawn + stream.shift if moved else drawn


def _serve(sources: Numbers, due: Numbers, slots: Numbers, ts: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Which event answers each source: the first free one of `slots` after it and not before its due time.

    Sources are served in the order of the earliest slot that each could take. Those that get no slot are left out.
    """
    earliest = np.searchsorted(slots, np.maximum(sources, np.searchsorted(ts, due)))
    order = np.argsort(earliest, kind="stable")
    turn = np.arange(len(order))
    chosen = turn + np.maximum.accumulate(earliest[order] - turn) if len(order) else order
    served = chosen < len(slots)
    return sources[order][served], slots[chosen[served]], due[order][served]


def _copy(
    values: dict[tuple[int, str], Numbers],
    atoms: tuple[Atom, ...],
    pair: tuple[int, int],
    rows: Numbers,
    slots: Numbers,
) -> None:
    """Copies the values of shared variables from the events in `rows` to the events in `slots`."""
    source, target = pair
    for _, variable in atoms[source].variables:
        if (target, variable) in values:
            values[target, variable][slots] = values[source, variable][rows]
