"""The pages of the workbench and its HTTP API, served by Django."""
