"""Multiple-choice models of analogies."""
