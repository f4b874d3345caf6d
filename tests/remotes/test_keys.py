"""What a ring encrypts only its machines read, and nobody else can write in their name."""

from __future__ import annotations

import os

import pytest

from tacit.errors import StoreError, UsageError
from tacit.remotes import keys
from tacit.remotes.keys import (
    MANIFEST_KIND,
    hand_over,
    lock_ring,
    make_machine,
    make_phrase,
    make_ring,
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
    former, ring = make_ring(1), make_ring(2)
    stays, lost = make_machine(), make_machine()
    data = hand_over(ring, former, [stays.recipient])
    assert take_over(data, former, stays) == ring
    assert take_over(data, former, lost) is None
    assert take_over(hand_over(ring, make_ring(), [stays.recipient]), former, stays) is None, "of who had no old keys"


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
