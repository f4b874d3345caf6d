"""The only place that prints, parses arguments or serves."""
