"""The pages of the annotation service, its downloads, and its server."""
