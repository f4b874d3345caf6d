"""The clients: one module each, with a `CLIENT` of the same shape."""
