"""Versions that a sentence states ("we are on Django 4.2", "Python 3.12+"), and whether a found one is among them.

A number behind a name is a version only if the name is that of a language or of a package that people write so, or if
both are written as code: `numpy==1.26.4`, `zod@3`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.model.conditions import PinnedVersion, Version

# Languages, whose version is in files of its own, and how people write packages whose name is another one.
LANGUAGES = frozenset(("python", "node", "go", "rust", "ruby", "php"))
_LANGUAGE_WORDS = {"node.js": "node", "nodejs": "node", "golang": "go"}
_PACKAGE_WORDS = {
    **{"next.js": "next", "nextjs": "next", "next": "next", "vue": "vue", "vue.js": "vue", "vuejs": "vue"},
    **{"nuxt": "nuxt", "nuxt.js": "nuxt", "tailwind": "tailwindcss", "tailwind css": "tailwindcss"},
    **{"tailwindcss": "tailwindcss", "angular": "@angular/core", "sveltekit": "@sveltejs/kit"},
    **{"react native": "react-native", "react router": "react-router", "tanstack query": "@tanstack/react-query"},
    **{"react query": "@tanstack/react-query", "material ui": "@mui/material", "mui": "@mui/material"},
    **{"storybook": "storybook", "nestjs": "@nestjs/core", "express.js": "express", "electron": "electron"},
    **{"ruby on rails": "rails", "rails": "rails", "spring boot": "", "material-ui": "@mui/material"},
}
_PACKAGES = frozenset(
    "react vite vitest jest eslint prettier typescript svelte expo express webpack astro remix redux zod prisma"
    " zustand playwright cypress biome turbo turborepo nx lerna django flask fastapi pydantic sqlalchemy celery numpy"
    " pandas pytest mypy ruff starlette httpx axum tokio bevy tauri clap serde laravel symfony phpunit sidekiq rspec"
    " drizzle-orm trpc fastify koa mongoose sequelize typeorm graphql bootstrap three d3 lit solid-js preact".split()
)
_NAMES = sorted((*LANGUAGES, *_LANGUAGE_WORDS, *_PACKAGE_WORDS, *_PACKAGES), key=len, reverse=True)
_NUMBER = r"v?(?P<number>\d{1,4}(?:\.\d{1,4}){0,3})(?:\.x)?"
_STATED = re.compile(
    rf"(?<![\w./@-])`?(?P<name>{'|'.join(map(re.escape, _NAMES))})`?(?: version| release)?:?\*{{0,2}}:?"
    rf" {{0,2}}(?P<least>(?:>=|≥|=>|\^|~) ?)?{_NUMBER}"
    r"(?P<more> ?\+|(?: or|,| and) (?:later|newer|above|higher|greater|up))?"
    r"(?![\w%]|[.,:-]?\d|-\w|/)",
    re.IGNORECASE,
)
_PINNED = re.compile(r"`(?P<name>@?[A-Za-z][\w./-]*)(?:==|@)v?(?P<number>\d[\d.]*)`")
# What makes a number something else than the version that is used.
_OTHERS = re.compile(
    r"\b(?:not|no|never|don[’']?t|instead|from|until|before|after|since|than|if|when|whenever|supports?|compatib\w+"
    r"|works? with|both|also|through|between|tested|deprecated|legacy|old|older|former\w*|was|were|docs?|documentation"
    r"|images?|syntax|bugs?|issue|breaking|changes?|features?|style|removed|introduced|backports?|below|under|up to"
    r"|except|unlike|compared|vs|or)\b",
    re.IGNORECASE,
)
# "Ant Design Vue 4", "Spring Boot 3": with another name before it, which is not the first word, it is another product.
_LONGER_NAME = re.compile(r"[\w`*)] +[A-Z][\w.]* $")
_MAX_STATED = 8


def parse_version(text: str) -> Version:
    """Return the numbers of a version; () if it begins with none."""
    match = re.match(r"[v=]?(\d{1,6}(?:\.\d{1,6}){0,3})", text.strip())
    return tuple(map(int, match[1].split("."))) if match else ()


def read_versions(sentence: str) -> Iterator[PinnedVersion]:
    """Yield the versions that a sentence states without a condition, a comparison or a denial."""
    found = [*_STATED.finditer(sentence)][:_MAX_STATED]
    prose = _STATED.sub(" ", sentence)
    is_plain = not _OTHERS.search(re.sub(r"`[^`]*`", " ", prose))
    names = [match["name"].lower() for match in found]
    for match, written in zip(found, names, strict=True):
        name = _LANGUAGE_WORDS.get(written) or _PACKAGE_WORDS.get(written, written)
        if _LONGER_NAME.search(sentence[: match.start()]):
            continue
        is_word = match["name"] == written and written in ("next", "go", "express", "three", "node", "lit", "rust")
        # A lower-case word with a number behind it is prose: "the next 2 steps"
        if not name or not is_plain or is_word or names.count(written) > 1:
            continue
        or_later = bool(match["least"] or match["more"])
        yield PinnedVersion(
            name, parse_version(match["number"]), or_later, " ".join(match[0].replace("`", "").replace("*", "").split())
        )
    for match in _PINNED.finditer(sentence):
        if is_plain and match["name"].lower() not in names and (version := parse_version(match["number"])):
            yield PinnedVersion(match["name"].lower(), version, False, match[0].strip("`"))
