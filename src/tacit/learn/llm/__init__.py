"""Learning with a language model, which is optional."""
