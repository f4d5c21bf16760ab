"""Metaphoric analogies: systems, controls, cross-validation, distractors, checks."""
