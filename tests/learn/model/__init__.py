"""Learning with a model that misbehaves in every way, and one that does not."""
