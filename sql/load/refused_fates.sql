-- The days of each refused row's events, and the day that records it: that of its first event, unless that is too far
-- from the row's own day; else its own day, else the log's first day. It gives no event on any day.
WITH given AS (
    SELECT /*+ BROADCAST(r) */
        r.rank,
        r.id,
        array_sort(collect_set(e.day)) AS days,
        min(IF(e.ts IS NULL, NULL, struct(e.ts, e.event_type))) AS first
    FROM candidate_events e
    JOIN refused_rows r ON r.rank = e._row.rank AND r.id = e._row.id
    GROUP BY r.rank, r.id
)

SELECT
    r.*,
    coalesce(g.days, CAST(array() AS ARRAY<DATE>)) AS days,
    g.first.ts AS first_ts,
    g.first.event_type AS first_type,
    coalesce(
        IF(abs(datediff(array_min(g.days), r.own_day)) > r.keeps, r.own_day, array_min(g.days)),
        r.own_day,
        :start
    ) AS recorded_on,
    array_min(g.days) IS NULL AND r.own_day IS NULL AS undated
FROM refused_rows r
LEFT JOIN given g ON g.rank = r.rank AND g.id = r.id
