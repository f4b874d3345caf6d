"""What each setting does, in one sentence. The guide has the same table."""

from __future__ import annotations

from typing import Final

DESCRIPTIONS: Final = {
    "recall.limit": "answers a question gets",
    "brief.entries": "memories in a brief, from 1 to 7",
    "brief.tokens": "what a brief may cost",
    "limits.text": "characters of one memory",
    "pages.background": (
        "draw the pages of the home in a process of its own, after a command has answered; `false`: before it returns"
    ),
    "pages.entries": (
        "memories on `long-term.md` and in the home's `memories.ndjson`, those that changed last, from 100 to 1,000,000"
    ),
    "shell.capture": "record the commands of shells that load `tacit hook`",
    "shell.notice": "one quiet line at the prompt when there is a new suggestion",
    "shell.ignore": 'command lines that are not recorded, as patterns of the whole line: `["*vpn*", "pass *"]`',
    "shell.ignore_directories": 'folders; nothing that is run there or below is recorded: `["~/private"]`',
    "agents.notice": (
        "one line for you when a session with an agent begins and suggestions wait; the model is not told"
    ),
    "agents.ignore_directories": (
        'folders; sessions with agents there or below are not captured and are given nothing: `["~/private"]`'
    ),
    "autocapture.enabled": "capture sessions with agents; the same as `tacit autocapture on`",
    "autocapture.on_modes": (
        'capture only in these permission modes of the agent: `["default", "plan"]`; empty: in all. An '
        "agent that names no mode is then not captured"
    ),
    "autocapture.skip_tools": 'further tools whose results are not kept: `["WebFetch"]`',
    "autocapture.max_turn_size": (
        "characters kept of a reply, and shown of a turn on its page, from 1,000 to 1,000,000; longer "
        "replies keep their beginning and end, longer turns are summed up. Your own words are kept whole"
    ),
    "autocapture.max_tool_input": (
        "characters kept of what a tool is given, and of what an edit changed, from 20 to 10,000"
    ),
    "autocapture.max_tool_result": "characters kept of what a tool answers, from 20 to 100,000",
    "autocapture.summarize": (
        "sum up turns longer than `max_turn_size` on the page of a session; `false` shows them whole"
    ),
    "autocapture.inject_on_start": "give a new session the brief and the last session of the project",
    "autocapture.inject_on_prompt": (
        "give a prompt the standing rules that were not told yet, and the memories and the session that bear on it"
    ),
    "autocapture.max_recent_sessions": "sessions of the last two days that are told at the start, from 1 to 10",
    "inject.max_characters": "what an agent is given at once, from 500 to 10,000",
    "learn.accept": "take at once, without a review, what you said clearly to an agent and in your own words",
    "learn.agent": (
        "a client that judges sessions when you type `tacit learn`: `claude`, `codex`, `gemini`, `copilot` "
        "or `opencode`; empty: none"
    ),
    "model.name": "a model of the `llm` library that judges sessions; empty: none is asked",
    "model.tokens_per_day": "what judges may cost, clients and models, questions and answers together",
    "model.timeout": "seconds one answer may take, from 1 to 600",
}
