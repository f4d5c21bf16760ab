"""Audits of data sets: how far controls get that do not read what is asked."""
