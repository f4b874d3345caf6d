"""Whether two statements say the same, or one is against the other (S13)."""
