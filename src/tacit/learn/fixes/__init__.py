"""Learning from what failed and then worked: from the difference of two commands, never from what was said about it."""
