-- Reads the views `attribute_values` and `spans` (span, day: which days a plan reads). The most frequent values of each
-- slicing attribute in each span; `total` is the number of events with any value, so that the rest is known by number.
WITH frequencies AS (
    SELECT span, event_type, attribute, value, count(*) AS frequency
    FROM attribute_values JOIN spans USING (day)
    GROUP BY span, event_type, attribute, value
),
ranked AS (
    SELECT *,
        sum(frequency) OVER (PARTITION BY span, event_type, attribute) AS total,
        row_number() OVER (PARTITION BY span, event_type, attribute ORDER BY frequency DESC, value) AS place
    FROM frequencies
)
SELECT span, event_type, attribute, value, frequency, total
FROM ranked
WHERE place <= :listed
ORDER BY span, event_type, attribute, place
