-- Reads the views `attribute_values` and `spans` (span, day: which days a plan reads). The most frequent values of each
-- slicing attribute in each span and relation; `total` is the number of events with any value, so that the rest is known by number.
WITH frequencies AS (
    SELECT span, event_type, relation, attribute, value, count(*) AS frequency
    FROM attribute_values JOIN spans USING (day)
    GROUP BY span, event_type, relation, attribute, value
),
ranked AS (
    SELECT *,
        sum(frequency) OVER (PARTITION BY span, event_type, relation, attribute) AS total,
        row_number() OVER (PARTITION BY span, event_type, relation, attribute ORDER BY frequency DESC, value) AS place
    FROM frequencies
)
SELECT span, event_type, relation, attribute, value, frequency, total
FROM ranked
WHERE place <= :listed
ORDER BY span, event_type, relation, attribute, place
