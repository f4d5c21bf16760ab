"""Pure rules of annotation: assignment, agreement, aggregation, quality; no Django, no HTTP."""
