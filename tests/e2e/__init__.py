"""The program as a person uses it, from the outside."""
