"""Runs over corpora of any size: inputs, shards, executors, resumable output folders."""
