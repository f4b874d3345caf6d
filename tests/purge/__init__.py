"""Tests of purging."""
