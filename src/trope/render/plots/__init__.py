"""Plots that commands write: rates of metaphor, and what evaluations measure."""
