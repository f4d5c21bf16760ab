"""What every layer stands on: records, errors, settings, files, JSON, progress."""
