-- What became of each raw row: the days of its events, or the rule that refused it and the day that records it.
-- A row refused by a rule, or one of whose events lacks what its type must have, gives no event on any day. It is
-- recorded on the day of its first event; without one on its file's day, else on the log's first day.
WITH given AS (
    SELECT
        _row.rank AS rank,
        _row.id AS id,
        array_sort(collect_set(day)) AS days,
        min(ts) AS first_ts,
        min(IF(ts IS NULL, NULL, struct(ts, event_type))).event_type AS first_type,
        min(_flaw) AS flaw
    FROM candidate_events
    GROUP BY _row.rank, _row.id
)

SELECT
    r.source,
    r.rank,
    r.id,
    r.number,
    coalesce(g.days, CAST(array() AS ARRAY<DATE>)) AS days,
    g.first_ts,
    g.first_type,
    coalesce(r.rule, IF(g.flaw IS NULL, NULL, 'event')) AS rule,
    coalesce(r.reason, g.flaw) AS reason,
    coalesce(array_min(g.days), r.day, :start) AS recorded_on,
    array_min(g.days) IS NULL AND r.day IS NULL AS undated
FROM raw_rows r
LEFT JOIN given g ON g.rank = r.rank AND g.id = r.id
