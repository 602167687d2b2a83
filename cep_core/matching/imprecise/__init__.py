"""Matching over events whose time is an interval: possible matches and their confidence (SASE++, 2.3, 5.3, appendix A).

`intervals` computes when each event may have happened. `passing` sums the probability of possible worlds by dynamic
programming. `search` enumerates possible matches and drops those that can no longer reach the threshold. `orders`
lists the orders in which the events of one match may come. `absent` computes the probability that negated events do
not happen between them. `joint` computes the probability that two matches occur together. `evaluator` and
`pair_evaluator` are the evaluators. `reference` tries all worlds.
"""
