"""Wrong folders that are known by name, each with what is told of it."""

from __future__ import annotations

from tests.workload.machines_folder import FILES
from tests.workload.wrong_folders import holding, replaced

TEXT_AS_NUMBER = FILES["events.sql"].replace("machine, load", "machine, kind AS load")
NAMED = [
    replaced(
        "workload.yaml", "2013-01-01", "2013-02-31", "start: expected a date such as 2013-01-01, found '2013-02-31'"
    ),
    replaced("workload.yaml", "2013-01-01", "2013-01-01 08:00:00", "expected a date", "found '2013-01-01 08:00:00'"),
    replaced("workload.yaml", "2013-01-01", "0001-01-01", "expected a date from 1700-01-01"),
    replaced("workload.yaml", "2013-01-01", "20130101", "expected a date"),
    replaced("workload.yaml", "format: csv", "format: cvs", "unknown format 'cvs'; did you mean 'csv'?"),
    replaced("workload.yaml", "format: csv", "format: xml", "format 'xml' needs the option rowTag"),
    replaced("workload.yaml", "owner: tests", "owner: tests\nowner: others", "'owner' is given twice, first on line 2"),
    replaced("workload.yaml", "slices: 3", "slices: 3, slices: 4", "'slices' is given twice, first on line"),
    replaced(
        "workload.yaml", "max_reach: 3d", "max_reach: 2 fortnights", "expected a span such as 30d, 12h, 90m or 45s"
    ),
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
