"""The person's decisions about a repository's fact file: inspect it, accept its lines, take that back."""

from __future__ import annotations

from tacit.errors import RefusedError
from tacit.home import trusted_files
from tacit.home.home import HomePart
from tacit.home.project import FACT_FILE
from tacit.home.repository import RepositoryFacts, inspect_repository, require_project
from tacit.index import reader
from tacit.log.codec import must_decode
from tacit.model.memory import Memory
from tacit.model.trust import distrust_drafts, trust_drafts


class Trust(HomePart):
    """Trust in the repository of the current folder. Every method raises RefusedError if there is none."""

    def inspect(self) -> RepositoryFacts:
        """Return what the repository brought. Nothing of it is believed by looking."""
        with self._store.snapshot() as connection:
            return inspect_repository(self._store, connection, self._home.settings.limits_text)[0]

    def trust(self, shown: RepositoryFacts) -> list[Memory]:
        """Accept the waiting lines of `shown`, the result of `inspect`, and return their memories.

        Raise RefusedError if the file has changed since, or if the actor is not a person.
        """
        self._store.actor.require_person("trusts a repository", "tacit trust")
        with self._store.change() as change:
            current, file = inspect_repository(self._store, change.connection, self._home.settings.limits_text)
            if current.waiting != shown.waiting or file is None:
                raise RefusedError(
                    "the fact file changed while you were reading it; nothing was accepted", "tacit trust"
                )
            if current.waiting:
                before = current.accepted.trusted if current.accepted else None
                change.record(trust_drafts(file, current.waiting, before, f"{FACT_FILE} of the repository"))
            claims = [line.claim.id for line in shown.waiting if line.claim]
            memories = (reader.load_memory(change.connection, claim, must_decode) for claim in claims)
            return [memory for memory in memories if memory]

    def distrust(self) -> int:
        """End the trust in the repository and return how many lines had been accepted.

        Raise RefusedError if none was, or if the actor is not a person.
        """
        self._store.actor.require_person("ends the trust in a repository", "tacit trust --revoke")
        with self._store.change() as change:
            trust = trusted_files.active_trust(change.connection).get(require_project(self._store).facts)
            if trust is None:
                raise RefusedError("nothing of this repository was accepted", "tacit trust --show")
            operations = trusted_files.trust_operations(change.connection, trust)
            change.record(distrust_drafts(trust, operations, "ended by the person"))
        return len(trust.trusted.lines)
