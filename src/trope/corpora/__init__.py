"""Corpora: what trope knows of them, downloads, checks, and one reader module per family."""
