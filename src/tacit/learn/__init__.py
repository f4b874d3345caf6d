"""Learners: from history to proposals. Pure; they see a `History`, never a database."""
