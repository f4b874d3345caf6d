"""Training of the table of token vectors: which text, the teacher, the fit, the file. `python -m bench.train_meaning`."""
