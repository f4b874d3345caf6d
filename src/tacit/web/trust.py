"""Trust in the facts that the current repository brought."""

from __future__ import annotations

from starlette.responses import Response

from tacit.errors import RefusedError, UsageError
from tacit.web.rendering import count_text
from tacit.web.request import Notice, PageRequest


def trust_page(call: PageRequest) -> Response:
    project = call.vault.home.store.project
    facts = call.vault.repository.inspect() if project else None
    return call.page(
        "trust.html", "Trust", {"facts": facts, "project": project.root if project else call.vault.home.cwd}
    )


def change_trust(call: PageRequest) -> Response:
    """Accept the lines that were shown, or end the trust in the file."""
    repository = call.vault.repository
    match call.field("action"):
        case "trust":
            facts = repository.inspect()
            if facts.fingerprint != call.field("fingerprint"):
                raise RefusedError(
                    "the fact file changed while you were reading it; nothing was accepted", "look again"
                )
            text = f"Accepted {count_text(len(repository.trust(facts)), 'fact')} of the repository."
        case "revoke":
            text = f"No longer trusted: {count_text(repository.distrust(), 'line')}."
        case action:
            raise UsageError(f"there is no action {action!r}")
    return call.redirect("/trust", Notice(text, can_undo=True))
