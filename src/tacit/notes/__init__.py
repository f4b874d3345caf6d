"""Readable views: Markdown for people, NDJSON for people, git and other tools. All of it can be written again."""
