"""The database of a project: services that write in one short transaction, and reads."""
