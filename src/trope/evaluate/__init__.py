"""Figures of models on test sets, and the scorers of shared tasks."""
