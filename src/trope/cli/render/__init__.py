"""Plots and tables that commands write."""
