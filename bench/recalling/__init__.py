"""Public sets of questions, asked of the same index and the same ranking that `tacit recall` uses."""
