-- Refused rows of each file, for each day of the run: all that a run of this one day sees, those of them with a day,
-- those that would have given an event on it, those that belong to its record, and those of them that were erased.
SELECT
    d.day,
    f.source,
    f.number,
    COUNT(*) FILTER (WHERE coalesce(abs(datediff(f.own_day, d.day)) <= f.slack, TRUE)) AS all_days,
    COUNT(*) FILTER (
        WHERE cardinality(f.days) > 0 AND coalesce(abs(datediff(f.own_day, d.day)) <= f.slack, TRUE)
    ) AS dated,
    COUNT(*) FILTER (WHERE array_contains(f.days, d.day)) AS with_event,
    COUNT(*) FILTER (WHERE f.recorded_on = d.day) AS recorded,
    COUNT(*) FILTER (WHERE f.recorded_on = d.day AND f.suppressed) AS hidden
FROM run_days d
CROSS JOIN refused_fates f
GROUP BY d.day, f.source, f.number
