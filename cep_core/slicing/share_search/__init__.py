"""The search for the share vector that costs least."""
