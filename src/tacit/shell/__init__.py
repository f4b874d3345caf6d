"""The recorder, the import of histories, snippets and start files of shells."""
