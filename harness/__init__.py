"""What tests and benches share: a person at a terminal, shells, transcripts, made-up words and secrets.

It imports only `tacit`. Tests and benches do not import each other.
"""
