"""The truth: append-only files of one JSON object a line. Specified in docs/FORMAT.md."""
