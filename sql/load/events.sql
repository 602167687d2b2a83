-- The days' events that passed, without what only the gate needs.
SELECT * EXCEPT (_source, _file, _raw, _rule, _reason, _undated)
FROM staged
WHERE _rule IS NULL
