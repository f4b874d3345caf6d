"""From a query to ranked answers. It knows the index, not the home."""
