"""The write side of a memory for coding agents: what it writes down, merges, overrules, forgets and tells.

    python -m bench.write_side                # every memory that has an adapter and is installed
    python -m bench.write_side --only plain   # that one

`cases.jsonl` holds the cases, README.md the rubric that they were written by. A memory is a file in `known/`.
"""
