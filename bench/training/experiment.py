"""From a folder with text, held-out text and the teacher to tables: every variant is fitted, quantized and measured.

The folder is all that this step reads, so that it can be run on a machine with a GPU and nothing else.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from multiprocessing.pool import Pool
from pathlib import Path
from typing import NamedTuple

import torch

from bench.training import held_out
from bench.training.catalogues import LANGUAGES
from bench.training.corpus import SEED, read
from bench.training.fit import Bags, as_numpy, bags, by_gradients, closed_form, principal_axes, rotated
from bench.training.quality import measure, of_teacher
from bench.training.sentences import Sentence
from bench.training.table_file import table_bytes
from bench.training.teacher import Teacher, Tokenizer, load_small
from bench.training.variants import VARIANTS, Variant
from bench.training.vocabulary import further_tokens, own_tokens
from tacit.meaning import TokenVectors
from tacit.meaning.wordpiece import split_words, word_pieces

TEXT_FILE, HELD_OUT_FILE, TEACHER_FILE = "train.xz", "held-out.json", "teacher.npz"
_CHUNK, _MOST_CHUNKS = 2_000, 64
_FEW_SENTENCES, _FEW_PAIRS = 1_000, 250  # that are held out where sentences are few


class Material(NamedTuple):
    """Sentences with the teacher's vectors, and the same for what was held out."""

    sentences: list[Sentence]
    vectors: torch.Tensor
    held_out: held_out.HeldOut
    held_out_vectors: torch.Tensor
    teacher: Teacher
    tokenizer: Tokenizer
    words: dict[str, Counter[str]]  # of each language


class Limits(NamedTuple):
    """What a run may take: sentences (0: all), processes, minutes, tables that are kept."""

    sentences: int
    jobs: int
    minutes: float
    tables: int


def run(folder: Path, out: Path, names: Sequence[str], limits: Limits, device: str) -> None:
    """Fit variants, write the best tables and a report. What does not fit into the time is left out."""
    # Processes are forked before the device is in use.
    pool = Pool(limits.jobs) if limits.jobs > 1 else None
    say = _Report(out / "report.txt")
    material = _material(folder, limits.sentences, device, pool, say)
    sets = _pair_texts(material.held_out)
    with_teacher = {
        name: (_encoded(material, both[0], pool), _encoded(material, both[1], pool)) for name, both in sets.items()
    }
    say(f"teacher: {of_teacher(with_teacher)}")
    scores: dict[Path, float] = {}
    rows: dict[str, _Rows] = {}  # of each vocabulary
    starts: dict[tuple[str, int, float], _Start] = {}
    for variant in VARIANTS:
        if (variant.name in names or (not names and not variant.small)) and say.minutes < limits.minutes:
            key = json.dumps(variant.rows)
            rows[key] = rows.get(key) or _rows(variant, material, sets, pool, device)
            start_key = key, variant.recipe.dimensions, variant.recipe.share
            starts[start_key] = starts.get(start_key) or _start(variant, material, rows[key], say)
            path = out / f"{variant.name}.bin"
            scores[path] = _fit(variant, material, rows[key], starts[start_key], path, say)
            for worse in sorted(scores, key=lambda one: -scores[one])[limits.tables :]:
                worse.unlink(missing_ok=True)
    if pool:
        pool.terminate()
    say("done")


class _Report:
    """Prints lines with the time, and keeps them in a file."""

    def __init__(self, path: Path) -> None:
        self._path, self._began = path, time.monotonic()
        path.parent.mkdir(parents=True, exist_ok=True)

    @property
    def minutes(self) -> float:
        """Since the start."""
        return (time.monotonic() - self._began) / 60

    def __call__(self, line: str) -> None:
        line = f"[{time.monotonic() - self._began:6.1f} s] {line}"
        print(line, flush=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def _material(folder: Path, most: int, device: str, pool: Pool | None, say: _Report) -> Material:
    weights, vocabulary = load_small(folder / TEACHER_FILE)
    every = list(read(folder / TEXT_FILE))
    sentences = every[:: max(1, -(-len(every) // most)) if most else 1]
    kept = held_out.load(folder / HELD_OUT_FILE)
    if most:
        kept = kept.first(_FEW_SENTENCES, _FEW_PAIRS)
    tokenizer = Tokenizer(vocabulary)
    read_as = [one.english or one.text for one in sentences]
    unique = list(dict.fromkeys(read_as))
    pairs = sum(bool(one.english) for one in sentences)
    say(f"{len(sentences)} sentences, {len(unique)} for the teacher, {pairs} pairs")
    words = {
        language: _counted([one.text for one in sentences if one.language == language], pool)
        for language in ("en", *LANGUAGES)
    }
    ids = _mapped(partial(_tokenized, tuple(vocabulary)), unique, pool)
    say("split into tokens")
    teacher = Teacher(weights, device, torch.float32 if device == "cpu" else torch.float16)
    vectors = teacher.encode(ids, _progress(len(ids)))
    place = {text: number for number, text in enumerate(unique)}
    found = vectors[torch.tensor([place[text] for text in read_as], device=device)]
    say("the teacher has read them")
    material = Material(sentences, found, kept, torch.empty(0), teacher, tokenizer, words)
    return material._replace(held_out_vectors=_encoded(material, kept.sentences, pool))


def _progress(count: int) -> Callable[[int], None]:
    began = time.monotonic()

    def tell(done: int) -> None:
        if done * 20 // count > told[0]:
            told[0] = done * 20 // count
            print(f"  {done} of {count}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)

    told = [0]
    return tell


def _encoded(material: Material, texts: Sequence[str], pool: Pool | None) -> torch.Tensor:
    return material.teacher.encode(_mapped(partial(_tokenized, tuple(material.tokenizer.ids)), texts, pool))


def _counted(texts: Sequence[str], pool: Pool | None) -> Counter[str]:
    chunks = [texts[start : start + 10 * _CHUNK] for start in range(0, len(texts), 10 * _CHUNK)]
    counted: Counter[str] = Counter()
    for one in map(_word_counts, chunks) if pool is None else pool.imap(_word_counts, chunks):
        counted.update(one)
    return counted


def _word_counts(texts: Sequence[str]) -> Counter[str]:
    return Counter(word for text in texts for word in split_words(text))


@cache
def _tokenizer(vocabulary: tuple[str, ...]) -> Tokenizer:
    return Tokenizer(vocabulary)


def _tokenized(vocabulary: tuple[str, ...], texts: Sequence[str]) -> list[list[int]]:
    return [_tokenizer(vocabulary)(text) for text in texts]


def _with_rows(tokens: tuple[str, ...], texts: Sequence[str]) -> list[list[int]]:
    find = {token: number for number, token in enumerate(tokens)}.get
    longest = max(map(len, tokens))
    word_rows = cache(lambda word: word_pieces(word, find, longest))
    return [[row for word in split_words(text) for row in word_rows(word)] for text in texts]


def _mapped(function: partial[list[list[int]]], texts: Sequence[str], pool: Pool | None) -> list[list[int]]:
    """Apply a function to chunks of texts, in several processes if there is a pool."""
    if pool is None:
        return function(texts)
    size = max(_CHUNK, len(texts) // _MOST_CHUNKS)
    chunks = [texts[start : start + size] for start in range(0, len(texts), size)]
    return [found for chunk in pool.map(function, chunks, chunksize=1) for found in chunk]


def _pair_texts(kept: held_out.HeldOut) -> dict[str, tuple[list[str], list[str]]]:
    pairs = {"definitions": kept.definitions, "paraphrases": kept.paraphrases, **kept.translations}
    return {name: ([one[0] for one in both], [one[1] for one in both]) for name, both in pairs.items() if both}


class _Rows(NamedTuple):
    """All texts as rows of one vocabulary."""

    tokens: tuple[str, ...]
    texts: list[list[int]]
    features: torch.Tensor
    held_out: Bags
    sets: dict[str, tuple[Bags, Bags]]


def _rows(
    variant: Variant,
    material: Material,
    sets: dict[str, tuple[list[str], list[str]]],
    pool: Pool | None,
    device: str,
) -> _Rows:
    own = own_tokens(list(material.tokenizer.ids))
    tokens = (*own, *further_tokens(material.words, own, variant.rows))
    to_rows = partial(_with_rows, tokens)

    def held_out_bags(given: Sequence[str]) -> Bags:
        return bags([text or [0] for text in to_rows(given)], device)

    return _Rows(
        tokens,
        _mapped(to_rows, [one.text for one in material.sentences], pool),
        _features(tokens, material),
        held_out_bags(material.held_out.sentences),
        {name: (held_out_bags(both[0]), held_out_bags(both[1])) for name, both in sets.items()},
    )


class _Start(NamedTuple):
    """What variants with the same vocabulary, dimensions and sentences begin with."""

    texts: Bags
    vectors: torch.Tensor
    targets: torch.Tensor
    table: torch.Tensor


def _start(variant: Variant, material: Material, rows: _Rows, say: _Report) -> _Start:
    """Fit rows in closed form."""
    recipe, device = variant.recipe, material.vectors.device
    used = [number for number, text in enumerate(rows.texts) if text][:: max(1, round(1 / recipe.share))]
    texts = bags([rows.texts[number] for number in used], str(device))
    vectors = material.vectors[torch.tensor(used, device=device)]
    targets = vectors @ principal_axes(vectors, recipe.dimensions)
    say(f"{len(rows.tokens)} tokens, {recipe.dimensions} dimensions, {len(used)} sentences")
    table = closed_form(texts, targets, rows.features)
    quality = measure(table, rows.held_out, material.held_out_vectors, rows.sets)
    say(f"closed form: {quality.row()}")
    return _Start(texts, vectors, targets, table)


def _fit(variant: Variant, material: Material, rows: _Rows, start: _Start, path: Path, say: _Report) -> float:
    """Fit and write a table. Return its score on what was held out."""
    torch.manual_seed(SEED)
    recipe, table = variant.recipe, start.table
    say(f"{variant.name}: {recipe}")
    if recipe.epochs:
        table = by_gradients(table, start.texts, start.targets, start.vectors, recipe, report=_tell)
    quality = measure(table, rows.held_out, material.held_out_vectors, rows.sets)
    say(f"{variant.name}: {quality.row()}")
    data = table_bytes(rows.tokens, as_numpy(rotated(table, SEED)))
    path.write_bytes(data)
    opened = TokenVectors(data)
    opened.verify()
    say(f"{variant.name}: score {quality.score:.4f}, {len(data) / 1e6:.2f} MB, version {opened.version}")
    return quality.score


def _tell(step: int, loss: float) -> None:
    if step % 1000 == 0:
        print(f"  step {step} loss {loss:.4f}", flush=True)


def _features(tokens: Sequence[str], material: Material) -> torch.Tensor:
    """Return the features of tokens: the teacher's input embedding beside its vector of the token alone."""
    ids = material.tokenizer.ids
    pieces = [[ids[token]] if token in ids else material.tokenizer(token)[1:-1] for token in tokens]
    embeddings = material.teacher.token_embeddings
    inputs = torch.stack([embeddings[torch.tensor(one, device=embeddings.device)].mean(0) for one in pieces])
    start, end = ids["[CLS]"], ids["[SEP]"]
    alone = material.teacher.encode([[start, *one, end] for one in pieces])
    halves = [torch.nn.functional.normalize(half - half.mean(0), dim=1) for half in (inputs, alone)]
    # What the teacher makes of the pieces of another script says nothing.
    known = torch.tensor([token in ids or token.isascii() for token in tokens], device=embeddings.device)
    return torch.cat(halves, dim=1) * known[:, None]
