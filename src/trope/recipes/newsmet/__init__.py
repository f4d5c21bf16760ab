"""Metaphors in news headlines, after NewsMet (2023)."""
