"""A page on one's own machine that shows the figurative language of a text or a corpus."""
