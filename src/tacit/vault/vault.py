"""The vault: one home, and every verb of the command line as one call.

    with tacit.open("~/.agents") as vault:
        vault.add("never run the build repeatedly because it is heavy")
        vault.recall("build")

The verbs come in groups, one file each; here they are all together.
"""

from __future__ import annotations

from tacit.vault.configuring import Configuring
from tacit.vault.contexts import Contexts
from tacit.vault.conversations.capturing import Transcripts
from tacit.vault.conversations.concluding import Concluding
from tacit.vault.doctor import Doctoring
from tacit.vault.exchange import Exchanging
from tacit.vault.history.importing import Histories
from tacit.vault.judging import Judging
from tacit.vault.meanings import Meanings
from tacit.vault.modelling import Modelling
from tacit.vault.repository.trusting import Trusting
from tacit.vault.setup import Setup
from tacit.vault.statistics import Counting
from tacit.vault.syncing import Syncing
from tacit.vault.tending import Tending
from tacit.vault.undoing import Undoing
from tacit.vault.vouching import Vouching
from tacit.vault.workflows import Workflows


class Vault(
    Counting,
    Contexts,
    Judging,
    Undoing,
    Tending,
    Doctoring,
    Setup,
    Trusting,
    Syncing,
    Exchanging,
    Vouching,
    Workflows,
    Histories,
    Transcripts,
    Concluding,
    Modelling,
    Meanings,
    Configuring,
):
    """An open home."""
