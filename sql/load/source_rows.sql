-- The equation of rows, for each day and source: read = gave_event + refused + other_days + without_event.
-- The right side counts the fates of rows, the left the rows themselves (source_counts); validate compares them.
WITH fates AS (
    SELECT source, days, rule IS NOT NULL AS refused, recorded_on, COUNT(*) AS rows
    FROM row_fates
    GROUP BY source, days, rule IS NOT NULL, recorded_on
),

told AS (
    SELECT
        d.day,
        f.source,
        f.rows,
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
    :run_id AS run_id,
    c.source,
    c.files,
    c.read,
    coalesce(SUM(t.rows) FILTER (WHERE t.fate = 'gave event'), 0) AS gave_event,
    coalesce(SUM(t.rows) FILTER (WHERE t.fate = 'refused'), 0) AS refused,
    coalesce(SUM(t.rows) FILTER (WHERE t.fate = 'other day'), 0) AS other_days,
    coalesce(SUM(t.rows) FILTER (WHERE t.fate = 'no event'), 0) AS without_event
FROM run_days d
CROSS JOIN source_counts c
LEFT JOIN told t ON t.day = d.day AND t.source = c.source
GROUP BY d.day, c.source, c.files, c.read
