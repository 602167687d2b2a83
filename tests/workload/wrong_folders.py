"""A small workload folder that uses every section, and the ways to get one wrong: a generator of wrong folders."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.dags.bad_folders import bomb, merge_bomb

FILES = {
    "workload.yaml": """title: Machines
owner: tests
sources:
  steps:
    format: csv
    path: data/{day}.csv
    options: {sep: ";"}
    header: true
    missing: NA
    must_exist: false
    slack: 1
    order: [row]
    columns: {row: int, kind: string, moment: int, machine: string, load: int}
time: {unit: s, zone: UTC, ties: concurrent, points: by_timestamp, imprecise: {Start: {before: 1, after: 2}}}
schedule: "0 8 * * *"
start: 2013-01-01
events:
  Start: {machine: {type: string, title: machine tool}, load: int}
  Stop: {machine: string, load: "int?"}
unique: {Start: [ts, machine]}
atoms: {heavy: {event: Start, where: load > 3}}
limits: {max_reach: 3d, slice_rows: 40}
slicing: {slices: 3}
queries:
  climbs: {max_matches: 100, shedding: {weight: 2, costs: [5, 6, 7]}}
  chains: {exact_counts: true}
shedding:
  bound: 200ns
  buffer: 10ns
  costs: {event: 20, lookup: 1, draw: 1}
  loads: [1.5, 2]
  seeds: [3, 4]
  training_days: 1
alerts:
  places: {ops: {webhook: "${env:OPS:-}"}}
  when: [climbs.total > 1000, {late: 06:00, to: [ops]}]
""",
    "events.sql": """-- One event for each step.
SELECT 'Start' AS event_type, moment AS ts, machine, load, _row FROM steps WHERE kind = 'Start'
UNION ALL
SELECT 'Stop', moment, machine, load, _row FROM steps WHERE kind = 'Stop'
""",
    "expectations.yaml": """rows:
  - {name: load_known, source: steps, holds: load >= 0, reason: a load is never negative}
gate:
  - name: load_plausible
    type: expect_column_values_to_be_between
    arguments: {column: load, max_value: 1000}
    severity: warn
    reason: no machine carries more than a thousand
  - name: some_machines
    over: >-
      SELECT d.day, count(e.machine) AS machines
      FROM days d LEFT JOIN events e ON e.day = d.day GROUP BY d.day
    type: expect_column_values_to_be_between
    arguments: {column: machines, min_value: 1}
    reason: a day without machines is a day without a delivery
""",
    "queries/chains.cep": """-- How many chains does each machine have?
RETURN machine, COUNT(*)
PATTERN (SEQ(Start S, Stop T))+
GROUP-BY machine WITHIN 12 hours SLIDE 6 hours
""",
    "queries/climbs.cep": """-- Which machine started ever heavier?
PATTERN SEQ(Start a, Start+ b[], Stop c)
WHERE skip_till_next_match { [machine] AND b[i].load > b[i-1].load } WITHIN 20 hours
""",
    "experiments/rates.yaml": """title: How the load matters
log: {generate: quotes, quotes: 900}
queries: {Q1: {}}
axes: {window: [50, 90], load: [1.2]}
strategies: [pSPICE]
seeds: 2
bound_ms: 5
costs: {state: 1000, event: 500}
""",
}
TEXT_AS_NUMBER = FILES["events.sql"].replace("machine, load", "machine, kind AS load")
YAML_FILES = ("workload.yaml", "expectations.yaml", "experiments/rates.yaml")


@dataclass(frozen=True)
class Wrong:
    """A way to get the folder wrong. `messages`: what is printed holds them."""

    name: str
    change: Callable[[Path], None]
    messages: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name


def write_folder(folder: Path) -> Path:
    """The folder as it should be."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def replaced(file: str, old: str, new: str, *messages: str) -> Wrong:
    """One text for another in a file."""
    assert FILES[file].count(old) >= 1, old

    def change(folder: Path) -> None:
        (folder / file).write_text(FILES[file].replace(old, new, 1))

    return Wrong(f"{file}: {old[:30]} -> {new[:30]}", change, messages)


def holding(file: str, name: str, content: str | bytes, *messages: str) -> Wrong:
    """Another content of a file."""

    def change(folder: Path) -> None:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())

    return Wrong(f"{file}: {name}", change, messages)


def instead(file: str, name: str, make: Callable[[Path], None], *messages: str) -> Wrong:
    """Something else in a file's place."""

    def change(folder: Path) -> None:
        (folder / file).unlink(missing_ok=True)
        make(folder / file)

    return Wrong(f"{file}: {name}", change, messages)


NAMED = [
    replaced(
        "workload.yaml", "2013-01-01", "2013-02-31", "start: expected a date such as 2013-01-01, found '2013-02-31'"
    ),
    replaced("workload.yaml", "2013-01-01", "2013-01-01 08:00:00", "expected a date", "found '2013-01-01 08:00:00'"),
    replaced("workload.yaml", "2013-01-01", "0001-01-01", "expected a date from 1700-01-01"),
    replaced("workload.yaml", "2013-01-01", "20130101", "expected a date"),
    replaced("workload.yaml", "format: csv", "format: cvs", "unknown format 'cvs'; did you mean 'csv'?"),
    replaced("workload.yaml", "owner: tests", "owner: tests\nowner: others", "'owner' is given twice, first on line 2"),
    replaced("workload.yaml", "load: int}", "load: int, Load: int}", "is 'load' in another case"),
    replaced("workload.yaml", "Stop: {machine: string, load:", "Stop: {machine: string, Load:", "another case"),
    replaced("workload.yaml", 'load: "int?"', 'TS: "int?"', "cannot name an attribute"),
    replaced(
        "workload.yaml", "title: machine tool", "titel: machine tool", "unknown key 'titel'; did you mean 'title'?"
    ),
    replaced("workload.yaml", "title: machine tool", "title: 7", "workload.yaml:", "title: expected text, found 7"),
    replaced("workload.yaml", "title: machine tool", 'title: " "', "expected a line of text of at most 60 characters"),
    replaced("workload.yaml", "type: string, title", "title", "machine: 'type' is missing"),
    replaced("workload.yaml", "type: string, title", "type: text, title", "machine.type: unknown type 'text'"),
    replaced("workload.yaml", "title: machine tool", "title: Load", "title: 'Load' is what 'load' is called"),
    replaced(
        "workload.yaml",
        "Stop: {machine: string,",
        "Stop: {machine: {type: string, title: lathe},",
        "Stop.machine.title: is 'lathe' here and 'machine tool' in another event type; give one title",
    ),
    replaced("workload.yaml", "slices: 3", "slices: 1000000000", "expected a whole number from 1 to 4,096"),
    replaced("workload.yaml", "slices: 3", "slices: 0", "expected a whole number from 1 to 4,096"),
    replaced("workload.yaml", "Start: [ts, machine]", "Start: &loop [ts, *loop]", "'loop' is inside of itself"),
    replaced("workload.yaml", "Stop: {machine: string,", "Stop: &loop {machine: *loop,", "'loop' is inside of itself"),
    replaced("workload.yaml", "columns: {row: int,", "columns: {row: [int],", "unknown type ['int']"),
    replaced("workload.yaml", "slice_rows: 40", "slice_rows: 0", "from 1 to"),
    replaced("workload.yaml", "max_reach: 3d", "max_reach: 999999999999d", "at most a hundred years"),
    replaced("workload.yaml", "loads: [1.5, 2]", "loads: [1.5, .inf]", "numbers above 0"),
    replaced("workload.yaml", "loads: [1.5, 2]", "loads: [.nan]", "numbers above 0"),
    replaced("workload.yaml", "weight: 2", "weight: .nan", "expected a number above 0"),
    replaced("workload.yaml", "training_days: 1", "training_days: 1000000000000", "from 0 to 3,660"),
    replaced("workload.yaml", "slack: 1", "slack: 1000000000", "from 0 to 366"),
    replaced("workload.yaml", "slack: 1", "time: moment", "'path' has {day}, which says it already"),
    replaced("workload.yaml", "slack: 1", "time: momnet", "unknown column 'momnet'; did you mean 'moment'?"),
    replaced("workload.yaml", "slack: 1", "time: kind", "timestamp or date, found kind"),
    replaced("workload.yaml", "data/{day}.csv", "data/*.csv", "no 'time' says which day a row belongs to"),
    replaced(
        "workload.yaml", "data/{day}.csv", "data/{date}.csv", "unknown placeholder '{date}'; the only one is {day}"
    ),
    replaced("workload.yaml", "points: by_timestamp", "points: by_timestam", "did you mean 'by_timestamp'?"),
    replaced("workload.yaml", "points: by_timestamp", "points: load", "Stop may have no 'load', so no time-point"),
    replaced("workload.yaml", "where: load > 3", "where: load >> 3", "atoms.heavy.where"),
    replaced("workload.yaml", "where: load > 3", "where: laod > 3", "atoms.heavy.where", "did you mean 'load'?"),
    replaced("workload.yaml", "where: load > 3", "where: load > 'x'", "a number cannot be compared with text"),
    replaced("workload.yaml", "where: load > 3", "where: 1 = 1", "looks at no attribute"),
    replaced("workload.yaml", "event: Start, where", "event: Strat, where", "did you mean 'Start'?"),
    replaced("workload.yaml", "atoms: {heavy:", "atoms: {Stop:", "is an event type, which is an atom already"),
    replaced("workload.yaml", "[ts, machine]", "[]", "expected what tells its events apart"),
    replaced("workload.yaml", "  steps:", "  staged:", "a run's own views"),
    replaced("workload.yaml", "title: Machines", 'title: ""', "title: expected a line of text"),
    replaced("workload.yaml", "title: Machines", "title: [Machines]", "expected text, found ['Machines']"),
    replaced("workload.yaml", "title: Machines", "<<: {title: Machines}", "cannot read merged keys at its top"),
    replaced("events.sql", "moment AS ts", "moment + rand() AS ts", "events.sql:2:40: rand is drawn anew", "a hash"),
    replaced(
        "events.sql", "'Stop', moment", "'Stop', unix_timestamp()", "4:16: unix_timestamp is the moment of the load"
    ),
    replaced("events.sql", "moment AS ts", "CAST(Current_Date AS INT) AS ts", "2:36: Current_Date is the moment of"),
    replaced("events.sql", "FROM steps WHERE kind = 'Stop'", "FROM steps TABLESAMPLE (5 ROWS)", "TABLESAMPLE is drawn"),
    replaced("events.sql", "'Stop', moment", "'Stop', monotonically_increasing_id()", "how Spark divides the rows"),
    replaced("expectations.yaml", "load >= 0", "uuid() != machine", "rows[0].holds: uuid is drawn anew each time"),
    replaced(
        "events.sql", "moment AS ts", "momnt AS ts", "events.sql:2:31: unknown column 'momnt'", "did you mean 'moment'?"
    ),
    replaced("events.sql", "FROM steps", "FROM step", "unknown table 'step'", "did you mean 'steps'?"),
    replaced("events.sql", "machine, load, _row FROM", "machine, _row FROM", "gives no column 'load'"),
    replaced("events.sql", "load, _row FROM", "load FROM", "gives no column '_row'"),
    replaced("events.sql", "moment AS ts", "moment", "gives no column 'ts'"),
    replaced("events.sql", "machine, load", "machine, load AS weight", "gives the column 'weight'"),
    replaced(
        "events.sql", "machine, load", "machine, machine, load", "gives the column 'machine' twice", "SELECT gives 6"
    ),
    replaced("events.sql", "'Stop', moment", "'Stopp', moment", "unknown event type 'Stopp'", "did you mean 'Stop'?"),
    replaced(
        "events.sql",
        "SELECT 'Stop', moment, machine",
        "SELECT 'Stop', moment",
        "gives 4 columns, the first SELECT gives 5",
    ),
    holding("events.sql", "text as a number", TEXT_AS_NUMBER, "events.sql:2:54: 'load' is STRING, declared is BIGINT"),
    replaced("events.sql", "kind = 'Start'", "kind => 'Start'", "events.sql:2:"),
    replaced(
        "events.sql", "_row FROM steps WHERE kind = 'Stop'", "_row FROM steps; DROP TABLE x", "a second statement"
    ),
    holding("events.sql", "a change", "DROP TABLE x", "a statement that changes something"),
    holding("events.sql", "empty", "", "is empty"),
    replaced(
        "expectations.yaml",
        "load >= 0",
        "load >=> 0",
        "expectations.yaml:2:",
        "rows[0].holds: syntax error at or near '>'",
    ),
    replaced(
        "expectations.yaml",
        "load >= 0",
        "lod >= 0",
        "expectations.yaml:2:46: rows[0].holds: unknown column 'lod'",
        "'load'",
    ),
    replaced("expectations.yaml", "load >= 0", "load > 0 kilos", "rows[0].holds: syntax error"),
    replaced("expectations.yaml", "column: load", "colum: load", "unknown argument 'colum'", "did you mean 'column'?"),
    replaced("expectations.yaml", "column: load", "column: lod", "unknown column 'lod'; did you mean 'load'?"),
    replaced("expectations.yaml", "column: machines", "column: machine", "unknown column 'machine'"),
    replaced("expectations.yaml", "max_value: 1000", "max_value: [1000]", "max_value: expected a number"),
    replaced("expectations.yaml", "SELECT d.day, ", "SELECT ", "gives no column 'day'"),
    replaced(
        "expectations.yaml",
        "count(e.machine)",
        "count(e.machin)",
        "expectations.yaml:11:27",
        "unknown column 'e.machin'",
    ),
    replaced("expectations.yaml", "FROM days d", "FROM day d", "unknown table 'day'", "did you mean 'days'?"),
    replaced("expectations.yaml", "between", "betwen", "did you mean 'expect_column_values_to_be_between'?"),
    replaced("queries/chains.cep", "Start S", "Strt S", "queries/chains.cep:3:"),
    replaced("queries/chains.cep", "-- How many chains does each machine have?\n", "", "begins with no comment"),
    replaced(
        "queries/chains.cep",
        "COUNT(*)",
        "COUNT(*), MAX(S.load) AS Machine",
        "queries/chains.cep:2:42: the column 'Machine'",
    ),
    replaced("experiments/rates.yaml", "seeds: 2", "seeds: 1000000000", "more than 100,000 cells"),
    replaced("experiments/rates.yaml", "seeds: 2", "seeds: 2\nseeds: 3", "given twice"),
    replaced("experiments/rates.yaml", "bound_ms: 5", "bound_ms: .inf", "experiments/rates.yaml: "),
    replaced("experiments/rates.yaml", "bound_ms: 5", "bound_ms: .nan", "experiments/rates.yaml: "),
    replaced("experiments/rates.yaml", "queries: {Q1: {}}", "queries: [Q1]", "experiments/rates.yaml: "),
]
"""What was accepted, or ended in a traceback, before; each with what is told of it now."""


def contents(file: str) -> Iterator[Wrong]:
    """What any file may hold, or be, instead of its text."""
    text = FILES[file].encode()
    yield holding(file, "not UTF-8", text + b"\n# \xff\xfe", "not UTF-8")
    yield holding(file, "UTF-16", FILES[file].encode("utf-16"))
    yield holding(file, "huge", text + b"\n" + b"-- # x\n" * 100_000, "is larger than 262,144 bytes")
    yield holding(file, "binary", bytes(range(256)))
    yield instead(
        file, "dangling link", lambda path: path.symlink_to("nowhere"), "is a link to 'nowhere', which is no file"
    )
    yield instead(file, "loop of links", lambda path: path.symlink_to(path.name), "which is no file")
    yield instead(file, "folder", lambda path: path.mkdir(), "is a folder, not a file")
    yield instead(file, "pipe", os.mkfifo, "is no file")
    yield instead(file, "endless device", lambda path: path.symlink_to("/dev/zero"), "which is no file")


def yaml_contents(file: str) -> Iterator[Wrong]:
    """What only a YAML file may hold."""
    text = FILES[file]
    yield holding(file, "two documents", text + "---\n" + text, "not YAML")
    yield holding(file, "bomb", bomb() + text, "stands for more than 20,000 values")
    yield holding(file, "bomb of merges", merge_bomb() + text, "stands for more than 20,000 values")
    yield holding(file, "deep", text + "deep: " + "[" * 20_000 + "]" * 20_000, "is nested deeper than 40 levels")
    yield holding(
        file, "deep by indents", text + "deep:\n" + "".join(" " * n + "-\n" for n in range(1, 400)), "nested deeper"
    )
    yield holding(file, "unclosed", text + "x: [", "not YAML")
    yield holding(file, "tag", text + "x: !!python/object/apply:os.system [ls]\n", "not YAML")
    yield holding(file, "undefined alias", text + "x: *nowhere\n", "not YAML")
    yield holding(file, "key of a mapping", text + "? {a: b}\n: c\n", "not YAML")
    yield holding(file, "key of a number", text + "1: c\n")
    yield holding(file, "nul", text + "x: \x00\n", "not YAML: the character #x0000")
    yield holding(file, "text", "words\n")
    yield holding(file, "list", "- words\n")


def misspelt_keys() -> Iterator[Wrong]:
    """Every key of every YAML file with another last letter; those of `options` are the reader's."""
    for file in YAML_FILES:
        for path, key, _ in _pairs(yaml.compose(FILES[file]), ""):
            if ".options." not in path and not path.startswith(("queries.Q1", "atoms.heavy")) and path != "rows":
                yield _spliced(file, key, key.value[:-1] + "qq", f"key {path}")


def values_of_another_kind() -> Iterator[Wrong]:
    """Every value of every YAML file as a list, a mapping, a word, where it is none of that kind."""
    kinds = {yaml.ScalarNode: "word", yaml.SequenceNode: "[word]", yaml.MappingNode: "{word: word}"}
    for file in YAML_FILES:
        for path, _, value in _pairs(yaml.compose(FILES[file]), ""):
            for kind, text in kinds.items():
                if not isinstance(value, kind) and ".arguments." not in path and not path.endswith("axes.window"):
                    yield _spliced(file, value, text, f"{path} = {text}")


def _pairs(node: yaml.Node, path: str) -> Iterator[tuple[str, yaml.ScalarNode, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            own = f"{path}.{key.value}".lstrip(".")
            yield own, key, value
            yield from _pairs(value, own)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _pairs(item, path)


def _spliced(file: str, node: yaml.Node, text: str, name: str) -> Wrong:
    """Another text in the place of a node."""

    def change(folder: Path) -> None:
        whole = FILES[file]
        end = node.end_mark.index
        after = whole[end:] if whole[end - 1] != "\n" or isinstance(node, yaml.ScalarNode) else "\n" + whole[end:]
        (folder / file).write_text(whole[: node.start_mark.index] + text + after)

    return Wrong(f"{file}: {name}", change)


def emptied(folder: Path) -> None:
    """Remove the folder's content."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
