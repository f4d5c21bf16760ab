"""A corpus that `trope detect` wrote: its index in DuckDB, and the views of it."""
