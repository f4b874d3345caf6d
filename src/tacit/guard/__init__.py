"""The guard: rules that the person switched on, and the check of an agent's tool call against them."""
