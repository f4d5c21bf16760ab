"""Sentiment of figurative texts: systems, harvest, submissions of the shared task."""
