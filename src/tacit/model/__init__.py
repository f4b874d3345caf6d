"""Values and pure functions: events, claims, the fold, decisions, conflicts. No I/O, no clock, no randomness."""
