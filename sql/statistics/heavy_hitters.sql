-- Reads the views `counted_events` and `attribute_values`, as stream_statistics does. A value is heavy on a day if strictly
-- more events of its type carry it than an even slice would hold (paper 01, section 5.2): with 4 slices, a carrier of
-- more than a quarter of the departures.
WITH totals AS (
    SELECT day, run_id, event_type, count(*) AS events
    FROM counted_events
    GROUP BY day, run_id, event_type
),
frequencies AS (
    SELECT day, event_type, attribute, value, count(*) AS frequency
    FROM attribute_values
    GROUP BY day, event_type, attribute, value
)
SELECT day, run_id, event_type, attribute, value, frequency,
    events / CAST(:slices AS DOUBLE) AS threshold, CAST(0 AS BIGINT) AS error_bound
FROM frequencies JOIN totals USING (day, event_type)
WHERE frequency * :slices > events
