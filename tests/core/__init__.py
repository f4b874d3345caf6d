"""Values and functions of the pure core."""
