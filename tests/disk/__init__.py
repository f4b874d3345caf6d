"""Files, locks and readers of files that others wrote, on a real disk."""
