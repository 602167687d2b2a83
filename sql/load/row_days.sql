-- Which rows have events when, as bitmaps of 32,768 rows: `kind` is a day of the run, or `later` (another day of the
-- log), `before` it, `outside` the calendar, `timeless` (no ts). A bitmap never holds rows of two files.
SELECT
    _row.rank AS rank,
    bitmap_bucket_number(_row.id + 1) AS bucket,
    CASE
        WHEN ts IS NULL THEN 'timeless'
        WHEN day IS NULL THEN 'outside'
        WHEN day < :start THEN 'before'
        WHEN day IN (SELECT day FROM run_days) THEN CAST(day AS STRING)
        ELSE 'later'
    END AS kind,
    bitmap_construct_agg(bitmap_bit_position(_row.id + 1)) AS rows,
    max(ts) AS last_ts
FROM candidate_events
GROUP BY 1, 2, 3
