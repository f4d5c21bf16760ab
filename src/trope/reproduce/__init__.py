"""Published tables of five papers beside our figures."""
