"""Storms of kills, crowds of writers, cuts of power: what the log promises, each beside a mutant that must break it."""
