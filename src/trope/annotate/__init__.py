"""Annotation: projects, the rules of quality, the store of judgments, and the web service."""
