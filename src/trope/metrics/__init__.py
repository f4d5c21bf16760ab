"""Scores, intervals, tests of significance, agreement and aggregation."""
