"""Training of the models that ship, and of systems on public encoders."""
