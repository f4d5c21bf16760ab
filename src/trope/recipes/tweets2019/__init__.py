"""Metaphorical expressions in tweets, after Zayed, McCrae and Buitelaar (2019)."""
