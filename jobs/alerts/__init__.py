"""Telling people what a night found: conditions, messages, what was sent, and the ways to send."""
