"""Words: inflection, verbs, idioms, names and their readings, WordNet, polarity, vectors."""
