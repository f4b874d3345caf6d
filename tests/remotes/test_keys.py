"""What a ring encrypts only its machines read, and nobody else can write in their name."""

from __future__ import annotations

import json
import os

import pytest

from tacit.errors import StoreError, UsageError
from tacit.remotes import keys
from tacit.remotes.keys import (
    MANIFEST_KIND,
    MachineKeys,
    Member,
    hand_over,
    lock_ring,
    make_machine,
    make_phrase,
    make_ring,
    next_ring,
    parse_phrase,
    phrase_lines,
    seal,
    segment_name,
    take_over,
    unlock_ring,
    unseal,
)


def test_a_sealed_file_is_read_with_its_ring_alone() -> None:
    ring, other = make_ring(), make_ring()
    data = seal(ring, MANIFEST_KIND, b"text")
    assert b"text" not in data
    assert unseal(ring, MANIFEST_KIND, data) == b"text"
    assert unseal(other, MANIFEST_KIND, data) is None
    assert unseal(ring, b"another kind", data) is None


@pytest.mark.parametrize("cut", [0, 1, 20, 100, -1])
def test_a_torn_file_is_none(cut: int) -> None:
    ring = make_ring()
    assert unseal(ring, MANIFEST_KIND, seal(ring, MANIFEST_KIND, b"text")[:cut]) is None


def test_a_file_that_was_encrypted_to_the_ring_without_its_second_key_is_not_believed() -> None:
    """Whoever learns the public key can encrypt to it, and age does not say who did."""
    ring = make_ring()
    forger = make_ring()._replace(identity=ring.identity)
    assert unseal(ring, MANIFEST_KIND, seal(forger, MANIFEST_KIND, b"text")) is None


def test_the_name_of_a_segment_depends_on_machine_and_content() -> None:
    ring = make_ring()
    names = {segment_name(ring, machine, content) for machine in ("ab", "b") for content in (b"x", b"ax")}
    assert len(names) == 4
    assert segment_name(ring, "ab", b"x") != segment_name(make_ring(), "ab", b"x")


def test_the_phrase_opens_the_ring_and_another_does_not() -> None:
    ring = make_ring(3)
    locked = lock_ring(ring, "one phrase")
    assert unlock_ring(locked, "one phrase") == ring
    assert unlock_ring(locked, "another phrase") is None
    assert unlock_ring(b"no such file", "one phrase") is None


def test_the_key_of_a_phrase_is_one_that_age_reads() -> None:
    """Bech32 with the prefix of age; compared with keys that age itself wrote."""
    age = keys._age()
    for _ in range(20):
        text = str(age.x25519.Identity.generate())
        assert keys._bech32("age-secret-key-", _bech32_data(text)).upper() == text


def _bech32_data(text: str) -> bytes:
    """The 32 bytes of a secret key of age, without its checksum."""
    alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    values = [alphabet.index(char) for char in text.lower().rpartition("1")[2][:-6]]
    bits = "".join(f"{value:05b}" for value in values)
    return bytes(int(bits[at : at + 8], 2) for at in range(0, 256, 8))


def test_new_keys_are_for_the_machines_that_stay_and_come_from_who_had_the_old_ones() -> None:
    former, stays, lost = make_ring(1), make_machine(), make_machine()
    ring = next_ring(former, [member(stays)], [lost.id])
    data = hand_over(ring, b"for who joins")
    taken = take_over(data, former, stays)
    assert taken is not None and (taken.ring, taken.locked_ring) == (ring, b"for who joins")
    assert take_over(data, former, lost) is None
    assert take_over(data[:-1], former, stays) is None
    assert take_over(data, make_ring(), stays) is None, "of who had no old keys"


def test_whoever_missed_any_number_of_changes_gets_the_last_keys() -> None:
    first, stays = make_ring(1), make_machine()
    third = next_ring(next_ring(first, [], []), [member(stays)], [])
    taken = take_over(hand_over(third, b""), first, stays)
    assert taken is not None and taken.ring == third
    forged = third._replace(mac_key="ab" * 32, formers=(make_ring().mac_key,))
    assert take_over(hand_over(forged, b""), first, stays) is None, "names none of the keys before"


def test_keys_that_a_version_without_members_hands_over_are_taken() -> None:
    """As version 0.2 wrote them first: vouched for by the keys just before, with nothing else in them."""
    first, stays = make_ring(1), make_machine()
    second, ring = next_ring(first, [], []), make_ring(3)
    age = keys._age()
    content = json.dumps({"epoch": 3, "identity": ring.identity, "mac_key": ring.mac_key, "v": 1}).encode()
    recipient = age.x25519.Recipient.from_str(stays.recipient)
    data = age.encrypt(keys._authenticate(second, keys.HANDOVER_KIND, content), [recipient])
    taken = take_over(data, second, stays)
    assert taken is not None and (taken.ring.mac_key, taken.ring.formers) == (ring.mac_key, second.line)
    assert take_over(data, first, stays) is None


def member(machine: MachineKeys) -> Member:
    return Member(machine.id, machine.recipient, "a name")


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(keys, "import_module", missing)
    with pytest.raises(StoreError) as caught:
        make_ring()
    assert "tacit-memory[remotes]" in caught.value.hint


# Recovery phrases


def test_a_phrase_has_nine_groups_of_five_letters() -> None:
    phrase = make_phrase(bytes(range(16)))
    assert [len(group) for group in phrase.split("-")] == [5] * 9
    assert make_phrase(bytes(range(16))) == phrase != make_phrase(bytes(range(1, 17)))


def test_case_blanks_dashes_and_lines_do_not_matter() -> None:
    for _ in range(50):
        phrase = make_phrase(os.urandom(16))
        assert parse_phrase("\n".join(phrase_lines(phrase)).upper()) == phrase
        assert parse_phrase(f"  {phrase.replace('-', ' - ')}\n") == phrase


def test_a_mistake_is_found_and_its_group_is_named() -> None:
    groups = make_phrase(bytes(16)).split("-")
    with pytest.raises(UsageError, match="group 3"):
        parse_phrase("-".join([*groups[:2], "bxbab", *groups[3:]]))
    with pytest.raises(UsageError, match="9 groups"):
        parse_phrase("-".join(groups[:8]))
    with pytest.raises(UsageError, match="typing mistake"):
        parse_phrase("-".join(["bababdabab"[5:], *groups[1:]]))
    with pytest.raises(UsageError, match="is needed"):
        parse_phrase(" \n")


def test_a_wrong_letter_is_found_nearly_always() -> None:
    phrase = make_phrase(os.urandom(16))
    letters = [(at, letter) for at in range(0, 10, 2) for letter in "bdfgz" if letter != phrase[at]]
    wrong = [phrase[:at] + letter + phrase[at + 1 :] for at, letter in letters]
    accepted = 0
    for text in wrong:
        try:
            parse_phrase(text)
            accepted += 1
        except UsageError:
            pass
    assert accepted <= 1
