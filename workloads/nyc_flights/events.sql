-- A flight leaves the gate, reaches the gate, is cancelled or is diverted; an hour of weather is an event at its start.
--
-- `time_hour` is the scheduled hour in UTC. The scheduled arrival is a wall-clock time of the destination on the row's
-- local date, or on the next date where that would not be after the departure: 2013-03-08, JFK 23:59 to SJU 04:20 is
-- an arrival on 9 March. Airports that the table of airports lacks are all in Puerto Rico.
WITH scheduled AS (
    SELECT
        f.*,
        unix_seconds(f.time_hour) + f.minute * 60 AS sched,
        make_timestamp(f.year, f.month, f.day, 0, 0, 0)
            + make_dt_interval(0, f.sched_arr_time div 100, f.sched_arr_time % 100) AS arrival_clock,
        coalesce(a.tzone, 'America/Puerto_Rico') AS zone
    FROM flights f
    LEFT JOIN airports a ON a.faa = f.dest
),

timed AS (
    SELECT
        *,
        IF(
            unix_seconds(to_utc_timestamp(arrival_clock, zone)) > sched,
            unix_seconds(to_utc_timestamp(arrival_clock, zone)),
            unix_seconds(to_utc_timestamp(arrival_clock + INTERVAL 1 DAY, zone))
        ) AS sched_arr,
        concat(carrier, flight) AS number
    FROM scheduled
)

SELECT
    'Departure' AS event_type,
    sched + dep_delay * 60 AS ts,
    _row,
    number AS flight, carrier, tailnum, origin, dest,
    dep_delay AS delay_min,
    NULL AS air_min,
    NULL AS visib_mi, NULL AS gust_mph, NULL AS precip_in, NULL AS wind_mph, NULL AS temp_f
FROM timed
WHERE dep_time IS NOT NULL

UNION ALL

SELECT
    'Arrival', sched_arr + arr_delay * 60, _row,
    number, carrier, tailnum, origin, dest, arr_delay, air_time,
    NULL, NULL, NULL, NULL, NULL
FROM timed
WHERE arr_delay IS NOT NULL

UNION ALL

SELECT
    'Cancellation', sched, _row,
    number, carrier, tailnum, origin, dest, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL
FROM timed
WHERE dep_time IS NULL

UNION ALL

-- Known to be diverted when it should have arrived.
SELECT
    'Diversion', sched_arr + dep_delay * 60, _row,
    number, carrier, tailnum, origin, dest, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL
FROM timed
WHERE dep_time IS NOT NULL AND arr_delay IS NULL

UNION ALL

-- No gust was reported because there was none.
SELECT
    'Weather', unix_seconds(time_hour), _row,
    NULL, NULL, NULL, origin, NULL, NULL, NULL,
    visib, coalesce(wind_gust, 0), precip, wind_speed, temp
FROM weather
