"""Data sets of papers, end to end: the engine, and a package per recipe."""
