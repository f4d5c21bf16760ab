"""Metonymic readings of names, after SemEval-2007 Task 8."""
