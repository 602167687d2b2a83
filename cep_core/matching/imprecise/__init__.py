"""Matching over events whose time is an interval: possible matches and their confidence (SASE++, 2.3, 5.3, appendix A).

`intervals` says when each event may have happened, `worlds` sums the probability of possible worlds by dynamic
programming, `search` enumerates possible matches and gives up what can no longer reach the threshold, `orders` tells
apart the orders in which the events of one match may come, `evaluator` is the face. `reference` tries all worlds.
"""
