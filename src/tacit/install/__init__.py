"""Byte-exact edits of other programs' files, with receipts for an exact undo."""
