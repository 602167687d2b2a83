-- The equation of rows, for each day and file: read = gave_event + refused + other_days + without_event.
-- `number`: of a file of the source; -1 stands for all files that Spark's readers read. Rows with events are counted
-- in the bitmaps of row_days, and refused rows are taken off; `read` is what the readers gave (file_counts).
-- `missed`: rows whose events lie before the log's first day or outside the calendar, `missed_ts` the last of them.
WITH numbered AS (
    SELECT
        s.source,
        IF(s.strict, shiftright((d.bucket - 1) * 32768, 40), -1) AS number,
        d.*,
        d.kind IN ('before', 'outside') AS missing,
        d.kind IN ('outside', 'timeless') AS dayless
    FROM row_days d
    JOIN strict_sources s ON s.rank = d.rank
),

counted AS (
    SELECT
        source,
        number,
        SUM(dated) AS dated,
        SUM(timed - present) AS missed,
        max(missed_ts) AS missed_ts
    FROM (
        SELECT
            source,
            number,
            coalesce(bitmap_count(bitmap_or_agg(rows) FILTER (WHERE NOT dayless)), 0) AS dated,
            coalesce(bitmap_count(bitmap_or_agg(rows) FILTER (WHERE kind <> 'timeless')), 0) AS timed,
            coalesce(bitmap_count(bitmap_or_agg(rows) FILTER (WHERE NOT missing AND kind <> 'timeless')), 0) AS present,
            max(last_ts) FILTER (WHERE missing) AS missed_ts
        FROM numbered
        GROUP BY rank, bucket, source, number
    )
    GROUP BY source, number
),

on_day AS (
    SELECT source, number, kind, SUM(bitmap_count(rows)) AS rows
    FROM numbered
    GROUP BY source, number, kind
),

refused AS (
    SELECT
        d.day,
        f.source,
        f.number,
        COUNT(*) AS all_days,
        COUNT(*) FILTER (WHERE cardinality(f.days) > 0) AS dated,
        COUNT(*) FILTER (WHERE array_contains(f.days, d.day)) AS with_event,
        COUNT(*) FILTER (WHERE f.recorded_on = d.day) AS recorded
    FROM run_days d
    CROSS JOIN refused_fates f
    GROUP BY d.day, f.source, f.number
),

terms AS (
    SELECT
        d.day,
        c.source,
        c.number,
        c.read,
        coalesce(o.rows, 0) - coalesce(r.with_event, 0) AS gave_event,
        coalesce(r.recorded, 0) AS refused,
        coalesce(r.all_days, 0) AS all_refused,
        coalesce(n.dated, 0) - coalesce(r.dated, 0) AS dated,
        coalesce(n.missed, 0) AS missed,
        n.missed_ts
    FROM run_days d
    CROSS JOIN file_counts c
    LEFT JOIN counted n ON n.source = c.source AND n.number = c.number
    LEFT JOIN on_day o ON o.source = c.source AND o.number = c.number AND o.kind = CAST(d.day AS STRING)
    LEFT JOIN refused r ON r.day = d.day AND r.source = c.source AND r.number = c.number
)

SELECT
    day,
    source,
    number,
    read,
    gave_event,
    refused,
    dated - gave_event + all_refused - refused AS other_days,
    read - dated - all_refused AS without_event,
    missed,
    missed_ts
FROM terms
