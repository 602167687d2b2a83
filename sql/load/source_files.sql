-- The equation of rows, for each day and file: read = gave_event + refused + other_days + without_event.
-- The right side counts the fates of rows, the left the rows themselves (file_counts); validate compares them.
-- `number`: of a file of the source; -1 stands for all files that Spark's readers read.
-- `missed`: rows whose events lie before the log's first day or outside the calendar, `missed_ts` the last of them.
WITH fates AS (
    SELECT
        source,
        number,
        days,
        rule IS NOT NULL AS refused,
        recorded_on,
        COUNT(*) AS rows,
        COUNT(*) FILTER (WHERE first_ts IS NOT NULL AND coalesce(array_max(days) < :start, TRUE)) AS missed,
        max(first_ts) FILTER (WHERE coalesce(array_max(days) < :start, TRUE)) AS missed_ts
    FROM row_fates
    GROUP BY source, number, days, rule IS NOT NULL, recorded_on
),

told AS (
    SELECT
        d.day,
        f.*,
        CASE
            WHEN f.refused AND f.recorded_on = d.day THEN 'refused'
            WHEN f.refused THEN 'other day'
            WHEN array_contains(f.days, d.day) THEN 'gave event'
            WHEN cardinality(f.days) = 0 THEN 'no event'
            ELSE 'other day'
        END AS fate
    FROM run_days d
    CROSS JOIN fates f
)

SELECT
    d.day,
    c.source,
    c.number,
    c.read,
    coalesce(SUM(t.rows) FILTER (WHERE t.fate = 'gave event'), 0) AS gave_event,
    coalesce(SUM(t.rows) FILTER (WHERE t.fate = 'refused'), 0) AS refused,
    coalesce(SUM(t.rows) FILTER (WHERE t.fate = 'other day'), 0) AS other_days,
    coalesce(SUM(t.rows) FILTER (WHERE t.fate = 'no event'), 0) AS without_event,
    coalesce(SUM(t.missed), 0) AS missed,
    max(t.missed_ts) AS missed_ts
FROM run_days d
CROSS JOIN file_counts c
LEFT JOIN told t ON t.day = d.day AND t.source = c.source AND t.number = c.number
GROUP BY d.day, c.source, c.number, c.read
