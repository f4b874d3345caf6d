"""Agents' transcripts: one file a host, each with a `SOURCE` of the same shape."""
