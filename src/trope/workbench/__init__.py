"""The workbench: pages and an API on your machine for a text or a corpus."""
