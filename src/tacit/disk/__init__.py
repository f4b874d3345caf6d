"""The seam to the file system: a few calls, the two write protocols built on them, and locks."""
