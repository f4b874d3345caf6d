"""Lines that look like secrets and are none: hashes, ids, digests, images, lock files, public keys, code, talk."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from random import Random
from uuid import UUID

from harness.vocabulary import identifier, sentence

# `{word}` is one of the holes below; every line is filled anew.
_LINES = (
    "{sentence}",
    "{sentence}",
    "{sentence}",
    "git show {sha1}",
    "commit {sha1}",
    "{short} {sentence}",
    "   {short}..{short}  main -> main",
    "index {short}..{short} 100644",
    "git cherry-pick {sha1} && git push origin HEAD:refs/heads/{identifier}",
    "{uuid}",
    '  "id": "{uuid}", "session": "{uuid}",',
    "{sha256}  {identifier}",
    "sha256:{sha256}",
    "{sha512}  release.tar.gz",
    "docker pull ghcr.io/acme/app@sha256:{sha256}",
    "FROM python:3.12-slim@sha256:{sha256}",
    '      "integrity": "sha512-{sri}",',
    '      "resolved": "https://registry.example.org/{identifier}/-/pkg-1.2.3.tgz#{sha1}",',
    '    hash = "sha256-{sri256}";',
    "/nix/store/{nix}-python3-3.12.4/bin/python3",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{image}",
    "background: url(data:image/jpeg;base64,/9j/4AAQSkZJRgABAQAAAQ{image});",
    "{image}",
    "color: #{hex6}; background: #{hex6}; border: 1px solid rgba(0,0,0,.12);",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} someone@host",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC{image}= someone@host",
    "-----BEGIN CERTIFICATE-----",
    "MIID{b60}",
    "-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
    "https://example.org/watch?v={w11}&list=PL{w32}&index=3",
    "https://docs.example.org/document/d/{w44}/edit#gid={number}",
    "https://cdn.example.org/assets/index-{w8}.js?v={short}",
    "GET /api/v1/items/{uuid}/children?page=2&limit=100 200 {number}ms",
    '!function(e,t){{"object"==typeof exports?module.exports=t():e.lib=t()}}(this,function(){{return r(0x{hex6})}});',
    'var a=e.key||e.token,n=t[a]||"{w8}";return r.auth=a,r.access=n,r',
    "def login(user: str, password: str, token: str | None = None) -> bool:",
    "    password = getpass.getpass('Password: ')",
    "    token = os.environ['GITHUB_TOKEN']",
    "const apiKey = process.env.API_KEY ?? config.get('apiKey');",
    "if (!password || password.length < 8) throw new Error('password too short');",
    "password: Optional[str] = None, secret: SecretStr = Field(...)",
    "export GITHUB_TOKEN=$(gh auth token) NPM_TOKEN=${{NPM_TOKEN:-}}",
    'curl -H "Authorization: Bearer $TOKEN" https://example.org/{identifier}',
    'curl -u "$USER:$PASSWORD" https://example.org/{short}',
    'docker login -u "$USER" --password-stdin < token.txt',
    "mysql -u root -p app < schema.sql",
    "mkdir -p {identifier} && ssh -p 2222 host",
    "the password is stored in 1Password, ask somebody of the team",
    "the token is invalid or has expired; log in again",
    "{sentence}; the secret is kept in the vault under {identifier}",
    "tokens: {number}, max_tokens=4096, token_count: {number}",
    "key: {identifier}  value: {number}",
    "cache_key = f'{identifier}:{short}'",
    '"publicKey": "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE{b60}",',
    'etag: "{md5}"  x-request-id: {uuid}',
    "traceparent: 00-{md5}-{hex16}-01",
    "arn:aws:iam::{number12}:role/{identifier}",
    "i-0{hex16} subnet-0{hex16} vpc-0{hex16} ami-0{hex16}",
    "postgres://localhost:5432/app and redis://cache:6379/0",
    "git clone git@github.com:acme/{identifier}.git ssh://git@example.org:22/x",
    "{number} passed, {number} skipped in {number}s",
    "PASS: tests/{identifier} ({number} ms)",
    "at Object.<anonymous> (/home/me/{identifier}:{number}:12)",
    "2026-03-02T12:00:{hex6}Z INFO worker[{number}]: key rotated, access granted to {identifier}",
)
_HEX, _WORD = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_NIX = "0123456789abcdfghijklmnpqrsvwxyz"


def lines(amount: int, seed: int = 7) -> Iterator[str]:
    """So many lines, each sort in turn."""
    holes = Holes(Random(seed))
    for number in range(amount):
        yield _LINES[number % len(_LINES)].format_map(holes)


class Holes(dict[str, str]):
    """What a hole is filled with, drawn anew each time."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self._random = random

    def __missing__(self, hole: str) -> str:
        draw = self._random
        plain = {"sentence": sentence, "identifier": identifier}
        if hole in plain:
            return plain[hole](draw)
        if hole == "uuid":
            return str(UUID(int=draw.getrandbits(128), version=4))
        if hole.startswith("number"):
            return str(draw.randrange(10 ** int(hole[6:] or 5)))
        return self._digits(hole)

    def _digits(self, hole: str) -> str:
        draw = self._random
        sizes = {"sha1": 40, "short": 7, "sha256": 64, "sha512": 128, "md5": 32}
        if hole in sizes or hole.startswith("hex"):
            return "".join(draw.choices(_HEX, k=sizes.get(hole) or int(hole[3:])))
        if hole == "nix":
            return "".join(draw.choices(_NIX, k=32))
        if hole[0] == "w":
            return "".join(draw.choices(_WORD, k=int(hole[1:])))
        size = {"sri": 64, "sri256": 32, "image": draw.randrange(60, 3000)}.get(hole) or int(hole[1:]) * 3 // 4
        return b64encode(draw.randbytes(size)).decode()
