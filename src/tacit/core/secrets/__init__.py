"""Secrets, by format: tables of rows and what reads them. The rest of Tacit asks `tacit.core.redaction`."""
