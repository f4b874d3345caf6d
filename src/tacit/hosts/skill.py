"""The skill that tells an agent when and how to propose memories, and where each host reads it.

A host sends the description of a skill with every request and the body when the skill is used. The MCP prompt
`remember` is the same guidance. The last line of the file has a hash of the text above it, so that a file that a person
changed, or wrote themselves, is recognised without a receipt and left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from hashlib import sha256

from tacit.install import (
    FileChange,
    InstallContext,
    Receipt,
    content_hash,
    missing_folders,
    read_content,
    read_receipts,
)

NAME = "tacit"
DESCRIPTION = (
    "Propose what to remember for later sessions. Use when a piece of work ends and the person stated a lasting rule, "
    "decision, preference or fact, or corrected you in a way that generalises."
)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "skill.md"), encoding="utf-8") as _file:
    GUIDANCE = _file.read()
_MARK = re.compile(rb"<!-- From Tacit; tacit uninstall removes it unless it was changed\. ([0-9a-f]{16}) -->\n")
# Hosts that read a skill of the user; the order of `tacit install`.
_HOSTS = ("claude", "codex", "gemini", "opencode", "copilot")


def render_skill() -> bytes:
    """Return the content of SKILL.md."""
    text = f"---\nname: {NAME}\ndescription: {DESCRIPTION}\n---\n\n{GUIDANCE}".encode()
    return b"%s<!-- From Tacit; tacit uninstall removes it unless it was changed. %s -->\n" % (text, _digest(text))


def is_unchanged_skill(content: bytes) -> bool:
    """Return whether a version of Tacit wrote this file, and nobody changed it since."""
    text, newline, last = content.rstrip(b"\n").rpartition(b"\n")
    mark = _MARK.fullmatch(last + b"\n")
    return mark is not None and mark[1] == _digest(text + newline)


def skill_path(host: str, context: InstallContext) -> str | None:
    """Return where a host reads the skill; None if it reads none. Codex, Gemini, OpenCode and Copilot share a file."""
    if host not in _HOSTS:
        return None
    if host == "claude":
        folder = context.config_folder("CLAUDE_CONFIG_DIR", ".claude")
    else:
        variable = "GEMINI_CLI_HOME" if host == "gemini" else "HOME"
        folder = os.path.join(context.config_folder(variable, ""), ".agents")
    return os.path.join(folder, "skills", NAME, "SKILL.md")


def plan_skill_install(host: str, context: InstallContext) -> tuple[FileChange, ...]:
    """Return the change that writes the skill of a host; () if it reads none."""
    path = skill_path(host, context)
    if path is None:
        return ()
    before, after = read_content(path), render_skill()
    if before is not None and not is_unchanged_skill(before):
        note = f"{path} is not as Tacit wrote it, so it was left alone. For Tacit's own skill, move it away."
        return (FileChange(path, before, before, is_auxiliary=True, note=note),)
    folders = missing_folders(path) if before is None else _created_folders(path, context)
    receipt = Receipt(path, content_hash(before), content_hash(after), folders=folders)
    return (FileChange(path, before, after, receipt, is_auxiliary=True),)


def plan_skill_removal(
    host: str, context: InstallContext, is_installed: Callable[[str], bool]
) -> tuple[FileChange, ...]:
    """Return the change that deletes the skill of a host. It stays if it was changed, or another host reads it."""
    path = skill_path(host, context)
    if path is None:
        return ()
    before, note = read_content(path), ""
    if before is not None and not is_unchanged_skill(before):
        note = f"{path} is not as Tacit wrote it, so it stays."
    elif before is not None:
        paths = {other: skill_path(other, context) for other in _HOSTS if other != host}
        same_file = (other for other, its in paths.items() if os.path.realpath(its or "") == os.path.realpath(path))
        if users := [other for other in same_file if is_installed(other)]:  # they may read it by a link
            note = f"{path} stays: {', '.join(users)} reads it, too."
    after = before if note else None
    return (FileChange(path, before, after, None, _created_folders(path, context), is_auxiliary=True, note=note),)


def _created_folders(path: str, context: InstallContext) -> tuple[str, ...]:
    """Return the folders that were created for the file, whichever host it was installed for."""
    real_path = os.path.realpath(path)
    receipts = (receipt for host in _HOSTS for receipt in read_receipts(context.home, host).values())
    same_file = (receipt for receipt in receipts if os.path.realpath(receipt.path) == real_path)
    return next((receipt.folders for receipt in same_file if receipt.folders), ())


def _digest(text: bytes) -> bytes:
    return sha256(text).hexdigest()[:16].encode()
