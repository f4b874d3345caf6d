"""Learning from conversations: what a person said that should hold on, and what mended what failed."""
