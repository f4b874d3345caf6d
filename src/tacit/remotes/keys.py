"""Keys of a remote: the ring that all machines of a person share, and a key of each machine's own.

Files on a remote are encrypted with age (the extra `remotes`): to the ring's X25519 key, so that a machine that joins
can read what others wrote while those are switched off. age does not say who encrypted a file, and the ring's public
key would do for anybody who learns it. So what counts is also authenticated with the ring's second key, by a keyed
BLAKE2b inside the encryption.

Two more files carry the ring itself: one is encrypted to a key that follows from the recovery phrase, for machines that
join; after a change of keys, the other is encrypted to the machines that stay, with their own keys. A ring names the
rings before it, so whoever had any of these can tell that it takes their place (ADR 99).

The recovery phrase is 128 random bits as proquints: five letters, consonant and vowel in turn, stand for 16 bits. They
can be read aloud in any language and need no list of words. A ninth group is a checksum, so that a typing mistake is
told from a wrong phrase.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from hmac import compare_digest
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.errors import StoreError, UsageError
from tacit.record import Record

if TYPE_CHECKING:
    from types import ModuleType

_MAC_KEY_BYTES = 32
_MAC_BYTES = 32
_MACHINE_BYTES = 16
_NAME_PURPOSE, _FILE_PURPOSE, _RING_PURPOSE = b"tacit segment", b"tacit file", b"tacit ring"
_PHRASE_PURPOSE, _PHRASE_CHECK_PURPOSE = b"tacit phrase key", b"tacit phrase"
_BECH32_ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_TERMS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_DAMAGE_ERRORS = (ValueError, KeyError, TypeError, AttributeError)
MANIFEST_KIND, HANDOVER_KIND = b"manifest", b"handover"
PHRASE_BYTES, _CHECK_BYTES = 16, 2
_GROUPS, _GROUPS_PER_LINE = (PHRASE_BYTES + _CHECK_BYTES) // 2, 3
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"
# The letters of a group, and where in its 16 bits the number of each stands.
_GROUP_LETTERS = ((_CONSONANTS, 12), (_VOWELS, 10), (_CONSONANTS, 6), (_VOWELS, 4), (_CONSONANTS, 0))
_GROUP = re.compile("".join(f"[{letters}]" for letters, _ in _GROUP_LETTERS))


class Member(Record):
    """A machine that stays when keys are changed: its id, its public key, and what it is called."""

    id: str
    recipient: str
    name: str


class Ring(Record):
    """The secret that all machines of a remote share. `epoch` counts the changes of keys.

    What belongs to the last change is part of it, so that whoever has the ring knows it: `formers` are the second keys
    of the rings before, the first one first. `members` are the machines that it is handed to, `forgotten` those that
    were removed. All are empty in rings that version 0.2 made before it had them.
    """

    epoch: int
    identity: str
    mac_key: str
    formers: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    forgotten: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Ten digits that are equal on all machines with the same ring, and reveal nothing of it."""
        return blake2b(bytes.fromhex(self.mac_key), digest_size=5, person=_RING_PURPOSE).hexdigest()

    @property
    def line(self) -> tuple[str, ...]:
        """The second keys of the rings before it, and its own."""
        return (*self.formers, self.mac_key)


class MachineKeys(Record):
    """A machine: its id on all remotes, its secret key, and the ids that this home had before.

    `name` is what the person calls it, "" for its host name.
    """

    id: str
    identity: str
    former: tuple[str, ...] = ()
    name: str = ""

    def as_another(self) -> MachineKeys:
        """Return the same machine under a new id, with new keys."""
        return make_machine((*self.former, self.id))._replace(name=self.name)

    @property
    def recipient(self) -> str:
        """The public key."""
        return str(_age().x25519.Identity.from_str(self.identity).to_public())


def make_ring(epoch: int = 1) -> Ring:
    return Ring(epoch, str(_age().x25519.Identity.generate()), os.urandom(_MAC_KEY_BYTES).hex())


def make_machine(former: tuple[str, ...] = ()) -> MachineKeys:
    return MachineKeys(os.urandom(_MACHINE_BYTES).hex(), str(_age().x25519.Identity.generate()), former)


# What is encrypted to the ring


def encrypt(ring: Ring, data: bytes) -> bytes:
    age = _age()
    return bytes(age.encrypt(data, [age.x25519.Identity.from_str(ring.identity).to_public()]))


def decrypt(keys: Ring | MachineKeys, data: bytes) -> bytes | None:
    """Return the content; None if the file is torn, or is not encrypted to this ring or machine."""
    age = _age()
    try:
        return bytes(age.decrypt(data, [age.x25519.Identity.from_str(keys.identity)]))
    except (age.DecryptError, ValueError):
        return None


def segment_name(ring: Ring, machine: str, content: bytes) -> str:
    """Return the name of a segment on the remote: a keyed hash of who wrote it and of what is in it.

    It proves both to whoever has the ring, and tells nothing to anybody else.
    """
    return _mac(ring, _NAME_PURPOSE, machine.encode("ascii"), content)[:32]


def seal(ring: Ring, kind: bytes, content: bytes) -> bytes:
    """Return a file for the remote: authenticated, then encrypted."""
    return encrypt(ring, _authenticate(ring, kind, content))


def unseal(ring: Ring, kind: bytes, data: bytes) -> bytes | None:
    """Return the content of such a file; None if it is not encrypted to this ring, torn, or not authentic."""
    return _verified(ring, kind, decrypt(ring, data))


def _authenticate(ring: Ring, kind: bytes, content: bytes) -> bytes:
    return _mac(ring, _FILE_PURPOSE, kind, content).encode("ascii") + b"\n" + content


def _verified(ring: Ring, kind: bytes, data: bytes | None) -> bytes | None:
    mac, _, content = (data or b"").partition(b"\n")
    return content if compare_digest(mac, _mac(ring, _FILE_PURPOSE, kind, content).encode("ascii")) else None


def _mac(ring: Ring, purpose: bytes, context: bytes, content: bytes) -> str:
    """Return a keyed hash. The length of the context is hashed too, so that nothing moves from one to the other."""
    key = bytes.fromhex(ring.mac_key)
    data = len(context).to_bytes(4, "big") + context + content
    return blake2b(data, key=key, person=purpose, digest_size=_MAC_BYTES).hexdigest()


# The ring itself


def lock_ring(ring: Ring, phrase: str) -> bytes:
    """Return the file from which a machine that has the phrase gets the ring."""
    return encrypt(_phrase_ring(phrase), _ring_json(ring))


def unlock_ring(data: bytes, phrase: str) -> Ring | None:
    """Return the ring; None if it is another phrase or no such file."""
    return _parse_ring(decrypt(_phrase_ring(phrase), data))


def _phrase_ring(phrase: str) -> Ring:
    """Return a ring with the key that follows from a phrase.

    A phrase has 128 random bits, so the key needs no slow derivation, which a busy machine would refuse to repeat: age
    takes a file with a passphrase for an attack if it costs much more time than its own would (ADR 64).
    """
    key = blake2b(phrase.encode("ascii"), digest_size=32, person=_PHRASE_PURPOSE).digest()
    return Ring(0, _bech32("age-secret-key-", key).upper(), key.hex())


def _bech32(prefix: str, data: bytes) -> str:
    """Return bytes as age writes a secret key: five bits a character, and six characters of checksum (BIP 173)."""
    bits = "".join(f"{byte:08b}" for byte in data)
    values = [int(bits[at : at + 5].ljust(5, "0"), 2) for at in range(0, len(bits), 5)]
    expanded = [*(ord(char) >> 5 for char in prefix), 0, *(ord(char) & 31 for char in prefix), *values]
    checksum = 1
    for value in [*expanded, *[0] * 6]:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, term in enumerate(_BECH32_TERMS):
            checksum ^= term if top >> bit & 1 else 0
    checksum ^= 1
    values += [checksum >> 5 * (5 - at) & 31 for at in range(6)]
    return f"{prefix}1{''.join(_BECH32_ALPHABET[value] for value in values)}"


class Handover(Record):
    """A ring that a machine hands over, the file for machines that join, and the file that it came in.

    `locked_ring` is empty if it was written before hand-overs had it: then it lies beside the file.
    """

    ring: Ring
    locked_ring: bytes
    data: bytes


def next_ring(ring: Ring, members: Iterable[Member], forgotten: Iterable[str]) -> Ring:
    """Return new keys in the place of a ring."""
    made = make_ring(ring.epoch + 1)
    return made._replace(formers=ring.line, members=tuple(members), forgotten=tuple(forgotten))


def hand_over(ring: Ring, locked_ring: bytes) -> bytes:
    """Return a file from which the members get a ring. Whoever had one of its formers can tell that it follows."""
    age, recipients = _age(), []
    for member in ring.members:
        with suppress(age.RecipientError):
            recipients.append(age.x25519.Recipient.from_str(member.recipient))
    fields = {**ring_fields(ring), "locked": b64encode(locked_ring).decode("ascii")}
    content = json.dumps(fields, sort_keys=True).encode("ascii")
    return bytes(age.encrypt(_authenticate(_voucher(ring.formers[-1]), HANDOVER_KIND, content), recipients))


def take_over(data: bytes, ring: Ring, machine: MachineKeys) -> Handover | None:
    """Return what is handed over to a machine by one that had its ring, or one before it.

    None if it is torn, not for this machine, or if nobody with such a ring vouches for it. Whoever names the second
    key of a former ring had that ring: it is a secret, and the file is encrypted.
    """
    plain = decrypt(machine, data) or b""
    content = plain.partition(b"\n")[2]
    try:
        fields = json.loads(content)
        new, locked_ring = ring_from_fields(fields), b64decode(str(fields.get("locked", "")))
    except _DAMAGE_ERRORS:
        return None
    # A machine of a version without formers vouches with the ring it had alone.
    vouchers = [new.formers[-1]] if set(new.formers) & set(ring.line) else [] if new.formers else [*ring.line]
    vouched = [key for key in vouchers if _verified(_voucher(key), HANDOVER_KIND, plain) is not None]
    if not vouched:
        return None
    if not new.formers:
        new = new._replace(formers=ring.line[: ring.line.index(vouched[0]) + 1])
    return Handover(new, locked_ring, data)


def _voucher(mac_key: str) -> Ring:
    """Return a ring of which only the second key is known."""
    return Ring(0, "", mac_key)


def ring_fields(ring: Ring) -> dict[str, object]:
    return {**ring._asdict(), "v": 1}


def ring_from_fields(fields: Any) -> Ring:
    """Return a ring from JSON. Raise ValueError, KeyError or TypeError if it is none."""
    ring = Ring(
        int(fields["epoch"]),
        str(fields["identity"]),
        str(fields["mac_key"]),
        tuple(map(str, fields.get("formers", ()))),
        tuple(Member(*map(str, member)) for member in fields.get("members", ())),
        tuple(map(str, fields.get("forgotten", ()))),
    )
    if any(len(bytes.fromhex(key)) != _MAC_KEY_BYTES for key in ring.line):
        raise ValueError("mac_key")
    return ring


def _ring_json(ring: Ring) -> bytes:
    return json.dumps(ring_fields(ring), sort_keys=True).encode("ascii")


def _parse_ring(data: bytes | None) -> Ring | None:
    try:
        return ring_from_fields(json.loads(data or b""))
    except _DAMAGE_ERRORS:
        return None


# The recovery phrase


def make_phrase(entropy: bytes) -> str:
    """Return the phrase of 16 random bytes: nine groups, joined by dashes."""
    data = entropy[:PHRASE_BYTES] + _checksum(entropy[:PHRASE_BYTES])
    numbers = (int.from_bytes(data[start : start + 2], "big") for start in range(0, len(data), 2))
    return "-".join(
        "".join(letters[number >> shift & len(letters) - 1] for letters, shift in _GROUP_LETTERS) for number in numbers
    )


def parse_phrase(text: str) -> str:
    """Return a phrase as it was made. Case, line breaks, blanks and dashes do not matter.

    Raise UsageError that names the group that cannot be right, or says that one is missing or mistyped.
    """
    groups = re.split(r"[\s\-]+", text.strip().lower())
    if groups == [""]:
        raise UsageError("the recovery phrase is needed", "type it, or name a file that has it: --phrase-file FILE")
    for number, group in enumerate(groups, 1):
        if not _GROUP.fullmatch(group):
            raise UsageError(f"group {number} of the recovery phrase has a typing mistake", "each has five letters")
    if len(groups) != _GROUPS:
        raise UsageError(f"a recovery phrase has {_GROUPS} groups of five letters, not {len(groups)}")
    data = b""
    for group in groups:
        numbers = (letters.index(char) << shift for char, (letters, shift) in zip(group, _GROUP_LETTERS, strict=True))
        data += sum(numbers).to_bytes(2, "big")
    if _checksum(data[:PHRASE_BYTES]) != data[PHRASE_BYTES:]:
        raise UsageError("the recovery phrase has a typing mistake in one of its groups", "compare it letter by letter")
    return "-".join(groups)


def phrase_lines(phrase: str) -> list[str]:
    """Return a phrase in short lines, to be written down."""
    groups = phrase.split("-")
    return [" ".join(groups[start : start + _GROUPS_PER_LINE]) for start in range(0, _GROUPS, _GROUPS_PER_LINE)]


def _checksum(data: bytes) -> bytes:
    return blake2b(data, digest_size=_CHECK_BYTES, person=_PHRASE_CHECK_PURPOSE).digest()


def _age() -> ModuleType:
    """Return the library that encrypts. It is imported only when a remote is used."""
    try:
        return import_module("pyrage")
    except ImportError as error:
        raise StoreError(
            f"remotes need pyrage (age encryption), which cannot be used here: {error}",
            "pip install 'tacit-memory[remotes]', or with uv: uv tool install 'tacit-memory[remotes]'",
        ) from None
