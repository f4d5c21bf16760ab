"""Sentiment of figurative tweets, after SemEval-2015 Task 11."""
