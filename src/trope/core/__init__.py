"""What every layer uses: records, errors, settings, files, JSON, progress."""
