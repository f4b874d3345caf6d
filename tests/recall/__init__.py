"""What is chosen to be said, and how it is said."""
