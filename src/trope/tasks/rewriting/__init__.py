"""Rewriting: candidates for verbs in place, their ranker and its measures."""
