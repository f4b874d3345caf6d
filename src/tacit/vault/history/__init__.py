"""Taking in the histories that shells have kept."""
