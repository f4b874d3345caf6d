"""Learning with a language model, which nobody needs."""
