-- What became of each raw row: the days of its events, or the rule that refused it and the day that records it.
-- A row refused by a rule, or one of whose events lacks what its type must have, gives no event on any day. It is
-- recorded on the day of its first event; without one on its file's day, else on the log's first day.
WITH given AS (
    SELECT
        _row.rank AS rank,
        _row.id AS id,
        array_sort(collect_set(day)) AS days,
        min(ts) AS first_ts,
        min_by(event_type, ts) AS first_type,
        min(_flaw) AS flaw
    FROM candidate_events
    GROUP BY _row.rank, _row.id
)

SELECT
    r._row.source AS source,
    r._row.rank AS rank,
    r._row.id AS id,
    r._row.number AS number,
    coalesce(g.days, CAST(array() AS ARRAY<DATE>)) AS days,
    g.first_ts,
    g.first_type,
    coalesce(r._row.rule, IF(g.flaw IS NULL, NULL, 'event')) AS rule,
    coalesce(r._row.reason, g.flaw) AS reason,
    coalesce(array_min(g.days), r._row.day, :start) AS recorded_on,
    array_min(g.days) IS NULL AND r._row.day IS NULL AS undated
FROM raw_rows r
LEFT JOIN given g ON g.rank = r._row.rank AND g.id = r._row.id
