"""Measured figures. `python -m bench` prints them all; README.md says what each one is."""
