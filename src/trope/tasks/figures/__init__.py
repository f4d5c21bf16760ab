"""Figures of speech: what a reader would call figurative."""
