"""SHA-256 as Python itself has it. The module that is meant for it loads all of OpenSSL, and hooks wait for that."""

from __future__ import annotations

try:
    from _sha2 import sha256  # type: ignore[import-not-found]  # from Python 3.12 on
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:  # another Python may have neither
        from hashlib import sha256

__all__ = ["sha256"]
