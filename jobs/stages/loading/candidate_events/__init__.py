"""The events that events.sql gives, before anything judges their rows."""
