"""Publishable data sets from finished runs of recipes."""
