-- Reads the views `counted_events` (the events of some days) and `attribute_values` (one row for each value of a slicing
-- attribute that they carry). A day has 24 periods of equal length: hours, where days have 24 of them.
-- Example: 1,834 events of five types on 8 March 2013 give at most 5 * 24 rows.
WITH placed AS (
    SELECT day, run_id, event_type, CAST(floor((ts - :offset) / :width) AS BIGINT) * :width + :offset AS period_start
    FROM counted_events
),
totals AS (
    SELECT day, run_id, event_type, period_start, count(*) AS events
    FROM placed
    GROUP BY day, run_id, event_type, period_start
),
-- an attribute that no event of the type carries in the period has no row here
distinct_values AS (
    SELECT day, event_type, CAST(floor((ts - :offset) / :width) AS BIGINT) * :width + :offset AS period_start,
        attribute, count(DISTINCT value) AS distinct_values
    FROM attribute_values
    GROUP BY day, event_type, period_start, attribute
),
packed AS (
    SELECT day, event_type, period_start,
        to_json(map_from_entries(array_sort(collect_list(struct(attribute, distinct_values))))) AS distinct_values
    FROM distinct_values
    GROUP BY day, event_type, period_start
)
SELECT day, run_id, event_type, period_start, events, events / CAST(:width AS DOUBLE) AS rate,
    coalesce(packed.distinct_values, '{}') AS distinct_values
FROM totals LEFT JOIN packed USING (day, event_type, period_start)
