"""Metaphoric analogies, after MEAN (2023)."""
