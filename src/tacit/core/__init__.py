"""Pure values and functions: no I/O, no clock, no randomness. Time and entropy are arguments."""
