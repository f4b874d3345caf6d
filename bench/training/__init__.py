"""Training of the table of token vectors: text, teacher, fit and file. Run by `python -m bench.train_meaning`."""
