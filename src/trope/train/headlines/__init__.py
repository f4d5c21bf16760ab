"""The metaphor heads: whole headlines in the tier `base`, lower layers in `small`."""
