"""Purging a text or a memory from the log and from every file of the home, for good."""
