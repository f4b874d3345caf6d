"""What was decided about a memory last."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """The latest verdict. A suggestion is a memory that is PENDING."""

    PENDING = "pending"
    ACTIVE = "active"
    DISMISSED = "dismissed"
    RETIRED = "retired"
