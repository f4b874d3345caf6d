"""Paths that hooks were registered under before version 0.2."""
