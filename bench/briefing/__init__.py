"""What is told at prompts and at first edits, replayed with what was known before them, and judged by readers."""
