"""The rankers of substitutes, and the vectors that they read."""
