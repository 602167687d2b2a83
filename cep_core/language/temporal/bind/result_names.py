"""The columns that every result of a policy has, so that no variable or attribute can be called like them."""

from __future__ import annotations

OF_RESULTS = ("ts", "offset", "certain")
OF_THE_LAKE = ("day", "run_id")
OF_EPISODES = ("first_ts", "first_offset", "last_ts", "last_offset", "points", "touches_begin", "touches_end", "share")
OF_JUDGED = ("is_cut",)
OF_CAUSES = ("node", "parent", "leaf", "claim", "at_ts", "at_offset", "holds", "seq", "valuation")
OF_EXPLAINED_EPISODES = ("same_for", "compared")
"""Of propositional policies alone."""
RESERVED = frozenset((*OF_RESULTS, *OF_THE_LAKE, *OF_EPISODES, *OF_JUDGED, *OF_CAUSES))
