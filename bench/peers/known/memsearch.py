"""memsearch: Markdown notes, cut at headings, in Milvus Lite; vectors and words, fused by rank."""

from __future__ import annotations

from asyncio import Runner
from collections.abc import Sequence
from importlib import import_module

from bench.peers.minilm import NEEDED, SIZE, WEIGHTS, MiniLM
from bench.peers.peer import Needs, Peer, Place

_A_DAY = 50


class Embedding:
    """The model in the form of one of its providers."""

    model_name, dimension, batch_size = MiniLM.name, SIZE, 32

    def __init__(self) -> None:
        self._model = MiniLM()

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return self._model.embed(texts)


class _Notes:
    """A file a day with a heading a note, as its plugins write them; then one call that files them all."""

    def __init__(self, place: Place) -> None:
        import_module("memsearch.embeddings")._PROVIDERS["minilm"] = (__name__, Embedding.__name__)
        self._folder = place.home / "notes"
        self._folder.mkdir(exist_ok=True)
        self._runner = Runner()
        self._memory = import_module("memsearch").MemSearch(
            [self._folder], embedding_provider="minilm", milvus_uri=str(place.home / "milvus.db")
        )

    def add(self, texts: Sequence[str]) -> None:
        for day, first in enumerate(range(0, len(texts), _A_DAY)):
            notes = [f"## Note {first + at}\n\n{text}\n" for at, text in enumerate(texts[first : first + _A_DAY])]
            (self._folder / f"day-{day:04}.md").write_text("\n".join(notes), "utf-8")
        self._runner.run(self._memory.index())

    def search(self, query: str, limit: int) -> list[str]:
        found = self._runner.run(self._memory.search(query, top_k=limit))
        return [one["content"].partition("\n")[2] for one in found]

    def close(self) -> None:
        self._memory.close()
        self._runner.close()


PEER = Peer("memsearch", "words and MiniLM", Needs(pip=("memsearch", *NEEDED), weights=WEIGHTS), _Notes)
