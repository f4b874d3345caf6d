"""Finding and redacting secrets in texts."""
