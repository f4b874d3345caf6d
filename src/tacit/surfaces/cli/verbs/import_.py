"""tacit import."""

from __future__ import annotations

from tacit.core.errors import WrongUse
from tacit.surfaces.cli import histories
from tacit.surfaces.cli.command import Call, Command, Option
from tacit.surfaces.cli.words import counted, say
from tacit.vault.exchange import Imported


def run(call: Call) -> int:
    mine = call.flag("--mine")
    of_history = [option.name for option in histories.OPTIONS if call.flag(option.name)]
    if call.one_word() == "history":
        if mine:
            raise WrongUse("--mine is about homes; a history is your own", "tacit import history")
        return histories.run(call)
    if of_history:
        raise WrongUse(f"{of_history[0]} is about histories", "tacit import history --file FILE")
    done = call.vault.exchange.import_(call.one_word(), mine=mine)
    if mine:
        say(f"Imported {counted(done.events, 'event')} of your own; {done.known} were here already.")
    else:
        say(f"{counted(done.candidates, 'candidate')} to decide on: tacit review. {done.known} were known already.")
    for line in _not_taken(done):
        say(f"  not taken: {line}")
    if not mine and done.candidates:
        say("  If this is a home of your own, take it as it stands: tacit import DIR --mine")
    return 0


def _not_taken(done: Imported) -> list[str]:
    reasons = (
        (done.damaged, "that cannot be read"),
        (done.refused, "with a secret, too long, or from a clock that is far ahead"),
        (done.purged, "that you have purged"),
    )
    return [f"{count} {why}" for count, why in reasons if count]


COMMAND = Command(
    name="import",
    words="DIR | history",
    help=(
        "Take in another home, an export, or a fact file. What somebody else remembers becomes candidates for you to\n"
        "decide on. With --mine you say that it is your own home, from another machine or a backup: its lines are\n"
        "taken as they stand, each once. What you purged does not come back, and what was purged there goes here too.\n"
        "\n"
        "The word history takes in the commands that bash, zsh, fish and Atuin have kept, each once however often you\n"
        "ask; their files are only read. Lines that begin with a blank, or have more than 8,000 characters, are left\n"
        "out, and secrets are hidden. (A folder of that name is ./history.)"
    ),
    example="tacit import tacit-backup --mine",
    run=run,
    options=(Option("--mine", help="it is a home of my own: believe it as it stands"), *histories.OPTIONS),
)
