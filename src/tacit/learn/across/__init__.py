"""What only many sessions show."""
