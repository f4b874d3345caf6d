"""Asking a language model: what it may cost, when it is left alone, and how it is called."""
