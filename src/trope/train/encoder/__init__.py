"""The encoder: its tiers `small` and `base`, teachers, training sets, export."""
