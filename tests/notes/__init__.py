"""The readable views."""
