"""The vault: a home and its parts, and every verb as one call."""

from tacit.vault.vault import Vault

__all__ = ["Vault"]
