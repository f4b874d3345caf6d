"""The vault: a home and its parts, and every verb as one call."""
