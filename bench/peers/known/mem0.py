"""mem0 with `infer=False`: texts are kept as they are, without a language model; vectors in a local Qdrant folder."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from bench.peers.minilm import NEEDED, SIZE, WEIGHTS, MiniLM
from bench.peers.peer import Needs, Peer, Place

USER = "bench"


class Mem0:
    def __init__(self, place: Place) -> None:
        vectors = {"path": str(place.home / "vectors"), "embedding_model_dims": SIZE, "on_disk": True}
        self.memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": vectors},
                "embedder": {"provider": "langchain", "config": {"model": _embeddings()}},
                # It is made even where nothing is inferred; it is never asked, and there is no network to ask it on.
                "llm": {"provider": "openai", "config": {"api_key": "none"}},
                "history_db_path": str(place.home / "history.db"),
            }
        )

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self.memory.add(text, user_id=USER, infer=False)

    def search(self, query: str, limit: int) -> list[str]:
        found = self.memory.search(query, filters={"user_id": USER}, top_k=limit)
        return [one["memory"] for one in found["results"]]

    def close(self) -> None:
        self.memory.close()


def _embeddings() -> object:
    """The model in the form that LangChain knows, which mem0 takes as it is."""
    base = import_module("langchain.embeddings.base").Embeddings
    model = MiniLM()
    methods = {
        "embed_query": lambda _, text: model.embed([text])[0],
        "embed_documents": lambda _, texts: model.embed(texts),
    }
    made: object = type("Embeddings", (base,), methods)()
    return made


PEER = Peer(
    "mem0 (infer off)",
    "MiniLM",
    Needs(pip=("mem0ai", "langchain-classic", "langchain", *NEEDED), weights=WEIGHTS),
    Mem0,
)
