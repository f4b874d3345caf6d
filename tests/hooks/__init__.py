"""Hooks of agents, run as agents run them."""
