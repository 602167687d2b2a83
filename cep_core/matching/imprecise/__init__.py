"""Matching over events whose time is an interval: possible matches and their confidence (SASE++, 2.3, 5.3, appendix A).

`intervals` says when each event may have happened, `passing` sums the probability of possible worlds by dynamic
programming, `search` enumerates possible matches and gives up what can no longer reach the threshold, `orders` tells
apart the orders in which the events of one match may come, `absent` weighs what must not happen between them, `joint`
says how likely two matches are together, `evaluator` and `pairs` are the faces. `reference` tries all worlds.
"""
