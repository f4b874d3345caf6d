"""Tacit beside other memories for agents: one run, one machine, the same documents and questions, one table.

    python -m bench.peers                   # all of them; the first run installs them
    python -m bench.peers --only quilmem    # that one beside ours and plain FTS5

A peer is a file in `known/`: what to install, and how its own interface adds and searches. It runs in an environment
and a process of its own, with a home of its own, without keys and, where the kernel allows it, without a network.
"""
