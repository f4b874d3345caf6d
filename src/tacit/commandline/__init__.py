"""Command lines: what they execute and change, what they are called, and which of them a rule means."""
