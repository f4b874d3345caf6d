"""The search view: one SQLite file that can be deleted at any time and is rebuilt from the log."""
