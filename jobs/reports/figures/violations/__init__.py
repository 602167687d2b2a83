"""Figures of the violations of policies, whatever their language."""
