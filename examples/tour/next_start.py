"""Runs the hook that `tacit install claude` registers for the start of a session, and prints what the model gets."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tacit.hooks import agent

_TOLD = {"session_id": "the-next-one", "hook_event_name": "SessionStart", "source": "startup", "cwd": os.getcwd()}
_HOOK = (sys.executable, "-I", "-S", str(agent.__file__), "claude", "inject", "SessionStart")

answer = subprocess.run(_HOOK, input=json.dumps(_TOLD), capture_output=True, text=True, check=True).stdout
print(json.loads(answer)["hookSpecificOutput"]["additionalContext"].rstrip())
