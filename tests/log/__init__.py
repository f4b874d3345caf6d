"""Lines of the log: codec and reader."""
