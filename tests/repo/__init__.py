"""The shape of the repository: its documents are true, its names are documented."""
