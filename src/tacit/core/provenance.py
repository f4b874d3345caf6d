"""Where content came from: computed by us, never read from the content. The derived has the least of its sources."""

from __future__ import annotations

from enum import IntEnum


class Provenance(IntEnum):
    """From what nobody vouches for to what the person typed."""

    EXTERNAL = 0
    TOOL_LOCAL = 1
    MODEL = 2
    USER_FILE = 3
    USER_DIRECT = 4
