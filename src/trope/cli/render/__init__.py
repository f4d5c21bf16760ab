"""Plots that commands draw into files."""
