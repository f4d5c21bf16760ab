"""trope inside other libraries: the spaCy component."""
