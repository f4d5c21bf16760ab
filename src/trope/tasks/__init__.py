"""Tasks: metaphor, metonymy, sentiment, rewriting and analogy, one package each."""
