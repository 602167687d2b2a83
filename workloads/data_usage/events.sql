-- The log is one of events already: their time and type are columns.
SELECT
    event AS event_type,
    ts,
    _row,
    user, db, participant, data, script
FROM usage
