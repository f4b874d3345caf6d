"""Every prompt, one file each."""

from __future__ import annotations

from tacit.surfaces.mcp.prompt import Prompt
from tacit.surfaces.mcp.prompts.recap import RECAP
from tacit.surfaces.mcp.prompts.review import REVIEW
from tacit.surfaces.mcp.prompts.start import START

PROMPTS: dict[str, Prompt] = {prompt.name: prompt for prompt in (START, RECAP, REVIEW)}
