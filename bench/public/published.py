"""What others have published on these sets about retrieval alone, each with its source and whether it can be compared.

Most figures of the field are answers that a model wrote and a model judged (mem0, Zep, Letta, memU, Hindsight,
supermemory, cognee and others on LoCoMo and BEAM). They measure another thing and depend on both models, so none of
them is here. A source is a file at a commit with its line, or a table of a paper; it was read, not heard of.
"""

from __future__ import annotations

from typing import NamedTuple

SESSIONS, TURNS, BEAM = "LoCoMo, sessions", "LoCoMo, turns", "BEAM 100K, messages"
_YES = "yes"


class Published(NamedTuple):
    """`same`: whether documents, questions and measure are those of the table, in a few words."""

    memory: str
    questions: int | None
    source: str
    same: str = _YES
    hit1: float | None = None
    hit5: float | None = None
    hit10: float | None = None
    mrr: float | None = None
    recall5: float | None = None
    recall10: float | None = None


_DEJA_VU = "vshulcz/deja-vu@341b4be docs/benchmarks/locomo.json:50"
_BRAINCTL = "TSchonleber/brainctl@646c33c README.md:263"
_ORGBRAIN = "miyajima/org-brain@da1887f docs/OSS_MEMORY_COMPARISON_2026-07-30.md"
_MEMPALACE = "MemPalace/mempalace@9b7cfc9 benchmarks/BENCHMARKS.md"
_MNEM = "Uranid/mnem@2a8a369 benchmarks/results/analysis/locomo.md:12"
_HEBB = "afx-team.github.io/hebb-mind/benchmarks/locomo"
_BASIC = "basicmachines-co/basic-memory-benchmarks@0632f72 benchmarks/results/matrix-v1.2-summary.md:58"
_PAPER = "arXiv:2402.17753, table 3"
# Questions without evidence count as found there, four of 1,986.
_FOUR_MORE = "yes, with 4 questions that have no evidence"
_TUNED = f"{_FOUR_MORE}; tuned on these questions"
_IN_PAPER = "no: 50 conversations, of which these ten are public"

PUBLISHED: dict[str, tuple[Published, ...]] = {
    SESSIONS: (
        Published("deja-vu, words", 1982, _DEJA_VU, hit1=0.699, hit5=0.857, mrr=0.768),
        Published("brainctl, sessions", 1982, _BRAINCTL, hit1=0.673, hit5=0.912, hit10=0.961, mrr=0.775),
        Published("brainctl, hybrid", 1982, _BRAINCTL, hit1=0.698, hit5=0.913, hit10=0.960, mrr=0.792),
        Published("OrgBrain", 1982, f"{_ORGBRAIN}:19", f"{_YES}; tuned on these questions", hit5=0.918),
        Published("hebb-mind, MiniLM", 1978, _HEBB, hit10=0.914, recall10=0.865),
        Published("hebb-mind, bge-large", 1978, _HEBB, hit10=0.941, recall10=0.899),
        Published("hebb-mind, bge-large and a cross-encoder", 1978, _HEBB, hit10=0.958, recall10=0.917),
        Published("mnem, MiniLM", 1986, _MNEM, hit5=0.726, hit10=0.855),
        Published("MemPalace, MiniLM, whole sessions", 1986, f"{_MEMPALACE}:136", _FOUR_MORE, recall10=0.603),
        Published("MemPalace, hybrid v5", 1986, f"{_MEMPALACE}:130", _TUNED, recall5=0.837, recall10=0.889),
        Published("MemPalace, bge-large hybrid", 1986, f"{_MEMPALACE}:129", _TUNED, recall10=0.924),
        Published(
            "basic-memory, words and vectors",
            1986,
            _BASIC,
            "no: all conversations together, evidence corrected",
            mrr=0.718,
            recall5=0.823,
        ),
        Published("DRAGON on summaries of sessions", None, _PAPER, _IN_PAPER, recall5=0.721, recall10=0.847),
    ),
    TURNS: (
        Published("brainctl, turns", 1982, _BRAINCTL, hit1=0.373, hit5=0.612, hit10=0.689, mrr=0.473),
        Published("MemPalace, MiniLM", 1986, f"{_MEMPALACE}:137", _FOUR_MORE, recall10=0.480),
        Published("DRAGON", None, _PAPER, _IN_PAPER, recall5=0.567, recall10=0.662),
        Published(
            "mcp-memory-service, MiniLM",
            None,
            "doobidoo/mcp-memory-service@2e19378 README.md:599",
            "no: sentences made from the turns by a model",
            mrr=0.414,
            recall5=0.497,
        ),
    ),
    BEAM: (Published("OrgBrain", 355, f"{_ORGBRAIN}:20", f"{_YES}; tuned on these questions", hit5=0.690),),
}
