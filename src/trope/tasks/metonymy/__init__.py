"""Metonymy of names: systems, samples, review by people, validation."""
