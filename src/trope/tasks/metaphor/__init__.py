"""Metaphor detection: detectors, silver training sets, rates of a corpus."""
