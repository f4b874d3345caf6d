"""The model APIs that clients speak: one module each, with `read`, `whole` and `stream` of the same shape."""
