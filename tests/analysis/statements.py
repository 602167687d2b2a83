"""SELECTs over two small tables: some that Spark reads, some with one mistake, and where it is."""

from __future__ import annotations

from jobs.analysis.columns import columns_of

TRIPS = {
    "line": "STRING",
    "Gate": "STRING",
    "late": "BIGINT",
    "at": "TIMESTAMP",
    "on_day": "DATE",
    "speed": "DOUBLE",
    "tags": "ARRAY<STRING>",
    "halts": "ARRAY<STRUCT<name: STRING, minutes: BIGINT>>",
    "notes": "MAP<STRING, STRING>",
    "doc": "STRING",
    "_row": "STRUCT<id: BIGINT, raw: STRING>",
}
LINES = {"line": "STRING", "length": "BIGINT", "open": "BOOLEAN", "_row": "STRUCT<id: BIGINT, raw: STRING>"}
SCHEMAS = {"trips": TRIPS, "lines": LINES}
TABLES = {name: columns_of(schema) for name, schema in SCHEMAS.items()}

GOOD = """
SELECT line, LATE FROM trips
SELECT t.line, Trips.late FROM trips t JOIN trips ON t.line = trips.line
SELECT line, tag FROM trips LATERAL VIEW explode(tags) x AS tag WHERE tag > 'a'
SELECT line, x.tag, place FROM trips LATERAL VIEW OUTER posexplode(tags) x AS place, tag
SELECT line, tag FROM trips, LATERAL explode(trips.tags) AS x(tag)
SELECT line, explode(tags) AS tag FROM trips
SELECT line, explode(tags) FROM trips
SELECT line, col FROM (SELECT line, explode(tags) FROM trips)
SELECT line, inline(halts) AS (name, minutes) FROM trips
SELECT line, name FROM (SELECT line, inline(halts) FROM trips)
SELECT stack(2, 'a', late, 'b', late + 1) AS (what, amount) FROM trips
SELECT * FROM (SELECT line, Gate, late FROM trips) PIVOT (sum(late) FOR Gate IN ('a' AS a, 'b' AS b)) WHERE a > 1
SELECT what, amount FROM (SELECT line, late, late + 1 AS later FROM trips) UNPIVOT (amount FOR what IN (late, later))
SELECT * EXCEPT (tags, _row) FROM trips
SELECT trips.* EXCEPT (_row), length FROM trips JOIN lines USING (line) WHERE line > 'a'
SELECT line, length FROM trips NATURAL JOIN (SELECT line, length FROM lines)
SELECT late + 1 AS more, more * 2 AS twice FROM trips
SELECT Gate AS g, count(*) FROM trips GROUP BY g HAVING count(*) > 1 ORDER BY g
SELECT line, max(late) AS worst FROM trips GROUP BY line HAVING worst > 3 ORDER BY worst, max(speed)
SELECT line, row_number() OVER w AS n FROM trips WINDOW w AS (PARTITION BY line ORDER BY late)
SELECT number FROM VALUES (1), (2) AS v(number)
SELECT id FROM range(5)
SELECT * FROM range(1, 5) r WHERE r.id > 2
TABLE trips
FROM trips SELECT line WHERE late > 1
FROM trips |> WHERE late > 1 |> SELECT line
SELECT /*+ BROADCAST(l) */ t.line FROM trips t JOIN lines l ON t.line = l.line
SELECT line FROM trips TABLESAMPLE (10 PERCENT)
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r
WITH late_ones AS (SELECT * FROM trips WHERE late > 5), few(l) AS (SELECT line FROM late_ones) SELECT l FROM few
SELECT line FROM trips WHERE EXISTS (SELECT 1 FROM lines WHERE lines.line = trips.line AND open)
SELECT (SELECT max(length) FROM lines l WHERE l.line = t.line) AS longest FROM trips t
SELECT (SELECT max(length) FROM lines l WHERE l.line = Gate) AS longest FROM trips t
SELECT line FROM trips WHERE (line, late) IN (SELECT line, length FROM lines)
SELECT x.line FROM (SELECT line FROM trips) x
SELECT line, late FROM trips LEFT SEMI JOIN lines ON trips.line = lines.line
SELECT line, late FROM trips LEFT ANTI JOIN lines USING (line)
SELECT t.line, q.m FROM trips t JOIN LATERAL (SELECT max(length) AS m FROM lines WHERE lines.line = t.line) q
SELECT transform(tags, tag -> concat(tag, line)) AS tagged FROM trips
SELECT transform(halts, h -> h.minutes + late) AS waits, filter(halts, h -> h.name = line) AS here FROM trips
SELECT aggregate(halts, 0L, (sum, h) -> sum + h.minutes, sum -> sum * 10) AS all_minutes FROM trips
SELECT array_sort(tags, (l, r) -> CASE WHEN l < r THEN -1 ELSE 1 END) AS sorted FROM trips
SELECT exists(tags, x -> x > line) AS any, map_filter(notes, (k, v) -> k > v) AS some FROM trips
SELECT halts[0].name, notes['k'], notes.k, _row.raw, trips._row.id, halts.minutes FROM trips
SELECT named_struct('a', late).a, struct(line, late).late, from_json(doc, 'a INT').a FROM trips
SELECT s.* FROM (SELECT struct(line, late) AS s FROM trips)
SELECT cast(late AS decimal(10, 2)) x, late::int, try_cast(line AS int) FROM trips
SELECT `line`, `Gate` AS `the gate` FROM `trips`
SELECT year(at), extract(dow FROM at), dateadd(HOUR, 1, at), timestampadd(HOUR, 1, at) FROM trips
SELECT timestampdiff(SECOND, at, at), date_trunc('MONTH', at) FROM trips
SELECT current_date, current_timestamp(), now(), user, current_user FROM trips
SELECT date '2013-01-01', timestamp '2013-01-01 00:00:00', interval '1' day, INTERVAL '1-2' YEAR TO MONTH FROM trips
SELECT make_timestamp(2013, 1, 1, 0, 0, 0) + make_dt_interval(0, late div 100, late % 100) FROM trips
SELECT unix_seconds(to_utc_timestamp(at, 'America/New_York')), date_from_unix_date(3) FROM trips
SELECT if(late > 1, 1, 2), nvl(line, 'x'), CASE late WHEN 1 THEN 2 ELSE 3 END, late <=> 1 FROM trips
SELECT !(late > 1), late == 1 FROM trips
SELECT count(*) FILTER (WHERE late > 1), any_value(line), first(line, true), max_by(line, late) FROM trips
SELECT listagg(line, ',') WITHIN GROUP (ORDER BY late), percentile_cont(0.5) WITHIN GROUP (ORDER BY late) FROM trips
SELECT line FROM trips UNION SELECT line FROM lines EXCEPT SELECT Gate FROM trips
SELECT line FROM trips UNION ALL SELECT line FROM lines ORDER BY line LIMIT 3
SELECT lead(late, 1) IGNORE NULLS OVER (ORDER BY at) FROM trips
SELECT window.start, count(*) FROM trips GROUP BY window(at, '5 minutes')
SELECT line, count(*) FROM trips GROUP BY ALL ORDER BY ALL
SELECT line FROM trips GROUP BY GROUPING SETS ((line), ())
SELECT "text", 'a' 'b', r'\\d', 1e3, 1.5D, 2BD, 3L, X'1F' FROM trips
SELECT line FROM trips WHERE line RLIKE '^x' AND late BETWEEN 1 AND 2 AND Gate ILIKE 'x' AND line LIKE ANY ('a', 'b')
SELECT line -- a comment; not a second statement
 , late /* another ; */ FROM trips;
""".strip().split("\n")
GOOD = [line if not line.startswith(" ,") else "" for line in GOOD]
GOOD = [line for line in GOOD if line and "not a second" not in line] + [
    "SELECT line -- a comment; not a second statement\n , late /* another ; */ FROM trips;",
]

BAD = [
    ("SELECT ^lin FROM trips", "did you mean 'line'?"),
    ("SELECT line, ^trips.lat FROM trips", "did you mean 'late'?"),
    ("SELECT line FROM ^trps", "did you mean 'trips'?"),
    ("SELECT line FROM trips WHERE ^lte > 1", "did you mean 'late'?"),
    ("SELECT t.line FROM trips t JOIN lines l ON t.line = ^l.lines", "did you mean 'line'?"),
    ("SELECT ^x.line FROM trips t", ""),
    ("SELECT late + 1 AS more FROM trips WHERE ^more > 2", ""),
    ("WITH few AS (SELECT line FROM trips) SELECT ^late FROM few", ""),
    ("WITH few(l) AS (SELECT line FROM trips) SELECT ^line FROM few", ""),
    ("SELECT line FROM (SELECT ^lne FROM trips)", "did you mean 'line'?"),
    ("SELECT ^_row FROM trips t JOIN lines l ON t.line = l.line", "write t._row or l._row"),
    ("SELECT upper(concat(line, ^gte)) FROM trips", "did you mean 'Gate'?"),
    ("SELECT transform(tags, tag -> concat(tag, ^lne)) FROM trips", "did you mean 'line'?"),
    ("SELECT line FROM trips WHERE EXISTS (SELECT 1 FROM lines WHERE lines.line = ^trips.lne)", "did you mean 'line'?"),
    ("SELECT line FROM trips UNION ALL SELECT ^lin FROM lines", "did you mean 'line'?"),
    ("SELECT line FROM trips WHERE late >=^> 0", ""),
    ("SELECT line FROM trips WHER ^late", ""),
    ("SELECT (line ^FROM trips", ""),
    ("^SELEC line FROM trips", ""),
    ("SELECT count(line ^FROM trips", ""),
    ("SELECT line FROM trips WHERE late = ^= 1", ""),
    ("SELECT ^'line FROM trips", ""),
]
"""SELECTs with one mistake, which follows the `^`, and a part of the hint."""
