"""Learning from what people say in sessions."""
