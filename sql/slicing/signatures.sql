-- Reads the views `matched_events` (day, event_type, signature: one character for each atom, 1 where it matches the event)
-- and `spans` (span, day). How many events of each span match exactly these atoms; no query has many atoms, so there are
-- few signatures.
SELECT span, event_type, signature, count(*) AS events
FROM matched_events JOIN spans USING (day)
GROUP BY span, event_type, signature
